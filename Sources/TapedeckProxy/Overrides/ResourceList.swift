internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckMocking

/// The resources of a session and what they hold, as they stand: changed from any thread, seen by the next request.
final class ResourceList: Sendable {
  struct Entry: Sendable {
    var rule: ResourceRule
    /// Whether it goes when the overrides file is read anew.
    var isFromFile: Bool
  }

  private struct State {
    var entries: [Entry] = []
    var catalog: DocumentCatalog

    init(over store: Store) {
      catalog = DocumentCatalog([])
      server = DocumentServer(catalog, over: store)
    }

    var server: DocumentServer
  }

  private let store = Store()
  private let state: Mutex<State>
  /// How many there are, to be looked at without waiting.
  private let count = Atomic<Int>(0)

  init(_ entries: [Entry] = []) {
    state = Mutex(State(over: store))
    if !entries.isEmpty { change { $0 = entries } }
  }

  var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

  var entries: [Entry] { state.withLock { $0.entries } }

  /// What serves the resources of this moment.
  var server: DocumentServer { state.withLock { $0.server } }

  // MARK: Changing

  /// Changes the list, unless `body` throws; what is new, or declared in another way, begins with its seeds.
  /// - Parameter refilled: the id of one that begins anew all the same.
  private func change<Result: Sendable, Problem: Error>(
    refilling refilled: String? = nil, _ body: (inout [Entry]) throws(Problem) -> Result
  ) throws(Problem) -> Result {
    try state.withLock { state throws(Problem) in
      var entries = state.entries
      let result = try body(&entries)
      let catalog = DocumentCatalog(entries.map(\.rule.declaration))
      refill(catalog, since: state.catalog, refilled)
      state.entries = entries
      state.catalog = catalog
      state.server = DocumentServer(catalog, over: store)
      count.store(entries.count, ordering: .releasing)
      return result
    }
  }

  private func refill(_ catalog: DocumentCatalog, since old: DocumentCatalog, _ refilled: String?) {
    for declaration in catalog.declarations
    where declaration.id == refilled || !old.declarations.contains(declaration) {
      // Its seeds have been checked when it was declared.
      try? store.fill(declaration)
    }
    let ids = Set(catalog.declarations.map(\.id))
    for gone in old.declarations where !ids.contains(gone.id) { store.empty(gone) }
  }

  /// What is wrong with resources that stand together.
  static func problems(of rules: [ResourceRule]) -> [OverrideProblem] {
    let catalog = DocumentCatalog(rules.map(\.declaration))
    return rules.compactMap { problem(of: $0, in: catalog) }
  }

  private static func problem(of rule: ResourceRule, in catalog: DocumentCatalog) -> OverrideProblem? {
    let declaration = rule.declaration
    let place = rule.place.isEmpty ? "" : "\(rule.place)."
    if let within = declaration.within, catalog.home(of: declaration) == nil {
      return OverrideProblem(
        "\(place)within.resource", "\(within.resource.debugDescription) is no resource that holds objects")
    }
    let twins = catalog.declarations.filter { $0.look == .jsonAPI && $0.name == declaration.name }
    guard declaration.look == .jsonAPI, twins.count > 1 else { return nil }
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
      let catalog = DocumentCatalog(entries.map(\.rule.declaration))
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

  /// Puts these in the place of all that came from the file; one that is declared as before keeps its data.
  func replaceFileRules(_ rules: [ResourceRule]) {
    change { entries in
      entries.removeAll(where: \.isFromFile)
      let taken = Set(entries.map(\.rule.id))
      entries.insert(
        contentsOf: rules.filter { !taken.contains($0.id) }.map { Entry(rule: $0, isFromFile: true) }, at: 0)
    }
  }

  // MARK: Data

  /// All objects of a resource, hidden members included; nil where there is none of that id.
  func data(of id: String) -> JSONValue? {
    let catalog = state.withLock { $0.catalog }
    return catalog.objects(of: id, in: store).map { .array($0) }
  }

  /// Puts these objects in the place of all that a resource holds; false where there is none of that id. Throws what is
  /// wrong with them, and then changes nothing.
  func setData(of id: String, to data: JSONValue) throws(OverrideProblem) -> Bool {
    try state.withLock { state throws(OverrideProblem) in
      guard let declaration = state.catalog.declarations.first(where: { $0.id == id }) else { return false }
      if let within = declaration.within {
        throw OverrideProblem("", "the objects of \(id) are within those of \(within.resource): change those")
      }
      guard let objects = data.array else { throw OverrideProblem("", "must be a list of objects") }
      do throws(DocumentProblem) { try store.fill(declaration, with: objects) } catch {
        throw OverrideProblem("[\(error.index)]", error.text)
      }
      return true
    }
  }

  /// The same resources with the data they began with, for another session.
  func fresh() -> ResourceList { ResourceList(entries) }

  /// All data as it was in the beginning.
  func reset() {
    state.withLock { state in
      for declaration in state.catalog.declarations { try? store.fill(declaration) }
    }
  }
}
