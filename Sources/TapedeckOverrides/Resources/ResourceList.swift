internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckResources

/// The resources of a session and what they hold, as they stand: changed from any thread, seen by the next request.
///
/// Lists share their declarations until one of them is changed. A store is made when the first request for a resource
/// comes, or the first question about its data.
final class ResourceList: Sendable {
  struct Entry: Sendable {
    var rule: ResourceRule
    /// Whether it goes when the overrides file is read anew.
    var isFromFile: Bool
  }

  /// The resources of a moment, for all lists that have them.
  struct Declared: Sendable {
    var entries: [Entry] = []
    let catalog: ResourceCatalog
    let routes: ResourceRoutes

    init(_ entries: [Entry]) {
      self.entries = entries
      catalog = ResourceCatalog(entries.map(\.rule.declaration))
      routes = ResourceRoutes(catalog)
    }
  }

  /// A session's own objects, and what serves them.
  private struct Served {
    let store: Store
    var server: SchemalessServer
  }

  private struct State {
    var declared: Declared
    var served: Served?

    /// The objects as they are, or as they are in the beginning.
    mutating func begin() -> Served {
      if let served { return served }
      let store = Store()
      // Seeds have been checked when they were declared.
      for declaration in declared.catalog.declarations { try? store.fill(declaration) }
      let served = Served(store: store, server: SchemalessServer(declared.catalog, over: store))
      self.served = served
      return served
    }

    /// Takes what is declared now; what is new, or declared in another way, begins with its seeds.
    /// - Parameter refilled: the id of one that begins anew all the same.
    mutating func take(_ new: Declared, refilling refilled: String?) {
      let old = declared.catalog
      declared = new
      guard let store = served?.store else { return }
      Self.refill(store, new.catalog, since: old, refilled)
      served = Served(store: store, server: SchemalessServer(new.catalog, over: store))
    }

    private static func refill(
      _ store: Store, _ catalog: ResourceCatalog, since old: ResourceCatalog, _ refilled: String?
    ) {
      let known = Dictionary(old.declarations.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      for declaration in catalog.declarations
      where declaration.id == refilled || known[declaration.id] != declaration {
        try? store.fill(declaration)
      }
      let ids = Set(catalog.declarations.map(\.id))
      for gone in old.declarations where !ids.contains(gone.id) { store.empty(gone) }
    }
  }

  private let state: Mutex<State>
  /// How many there are, to be looked at without waiting.
  private let count: Atomic<Int>

  convenience init() { self.init(Declared([])) }

  private init(_ declared: Declared) {
    count = Atomic(declared.entries.count)
    state = Mutex(State(declared: declared))
  }

  var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

  var entries: [Entry] { state.withLock { $0.declared.entries } }

  /// What serves a request; nil where it is for no resource.
  func server(for request: Request) -> SchemalessServer? {
    let (served, routes) = state.withLock { ($0.served?.server, $0.declared.routes) }
    if let served { return served }
    guard routes.serve(request) else { return nil }
    return state.withLock { $0.begin().server }
  }

  // MARK: Changing

  /// Changes the list, unless `body` throws.
  private func change<Result: Sendable, Problem: Error>(
    refilling refilled: String? = nil, _ body: (inout [Entry]) throws(Problem) -> Result
  ) throws(Problem) -> Result {
    try state.withLock { state throws(Problem) in
      var entries = state.declared.entries
      let result = try body(&entries)
      state.take(Declared(entries), refilling: refilled)
      count.store(entries.count, ordering: .releasing)
      return result
    }
  }

  /// What is wrong with resources that stand together.
  static func problems(of rules: [ResourceRule]) -> [OverrideProblem] {
    let catalog = ResourceCatalog(rules.map(\.declaration))
    return rules.compactMap { problem(of: $0, in: catalog) }
  }

  private static func problem(of rule: ResourceRule, in catalog: ResourceCatalog) -> OverrideProblem? {
    let declaration = rule.declaration
    let place = rule.place.isEmpty ? "" : "\(rule.place)."
    if let within = declaration.within, catalog.home(of: declaration) == nil {
      return OverrideProblem(
        "\(place)within.resource", "\(within.resource.debugDescription) is no resource that holds objects")
    }
    guard declaration.representation == .jsonAPI, catalog.countOfJSONAPI(named: declaration.name) > 1 else {
      return nil
    }
    return OverrideProblem(
      "\(place)name", "\(declaration.name.debugDescription) is the type of another resource as well")
  }

  /// Adds a resource, or puts it in the place of the one with its id; it begins with its seeds.
  /// - Returns: whether it is new.
  @discardableResult
  func put(_ rule: ResourceRule, isFromFile: Bool = false) throws(OverrideProblem) -> Bool {
    try change(refilling: rule.id) { entries throws(OverrideProblem) in
      let entry = Entry(rule: rule, isFromFile: isFromFile)
      let index = entries.firstIndex { $0.rule.id == rule.id }
      if let index { entries[index] = entry } else { entries.append(entry) }
      let catalog = ResourceCatalog(entries.map(\.rule.declaration))
      if let problem = Self.problem(of: rule, in: catalog) { throw problem }
      return index == nil
    }
  }

  /// False when there was none.
  func remove(_ id: String) -> Bool {
    change { entries in
      guard let index = entries.firstIndex(where: { $0.rule.id == id }) else { return false }
      entries.remove(at: index)
      return true
    }
  }

  func removeAll() { change { $0 = [] } }

  /// Puts the resources of a file in the place of all that came from it before; one that is declared as before keeps
  /// its data.
  func take(_ file: FileResources) {
    state.withLock { state in
      state.take(file.declared(after: state.declared), refilling: nil)
      count.store(state.declared.entries.count, ordering: .releasing)
    }
  }

  // MARK: Data

  /// All objects of a resource, hidden members included; nil where there is none of that id.
  func data(of id: String) -> JSONValue? {
    let (catalog, store) = state.withLock { ($0.declared.catalog, $0.begin().store) }
    return catalog.objects(of: id, in: store).map { .array($0) }
  }

  /// Puts these objects in the place of all that a resource holds; false where there is none of that id. Throws what is
  /// wrong with them, and then changes nothing.
  func setData(of id: String, to data: JSONValue) throws(OverrideProblem) -> Bool {
    try state.withLock { state throws(OverrideProblem) in
      guard let declaration = state.declared.catalog.declarations.first(where: { $0.id == id }) else {
        return false
      }
      if let within = declaration.within {
        throw OverrideProblem("", "the objects of \(id) are within those of \(within.resource): change those")
      }
      guard let objects = data.array else { throw OverrideProblem("", "must be a list of objects") }
      do throws(SeedProblem) { try state.begin().store.fill(declaration, with: objects) } catch {
        throw OverrideProblem("[\(error.index)]", error.text)
      }
      return true
    }
  }

  /// The same resources with the data they began with, for another session.
  func fresh() -> ResourceList { ResourceList(state.withLock { $0.declared }) }

  /// All data as it was in the beginning.
  func reset() { state.withLock { $0.served = nil } }
}
