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
    var catalog = DocumentCatalog([])
    var router = Router()
  }

  private let store = Store()
  private let state = Mutex(State())
  /// How many there are, to be looked at without waiting.
  private let count = Atomic<Int>(0)

  init(_ entries: [Entry] = []) { change { $0 = entries } }

  var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

  var entries: [Entry] { state.withLock { $0.entries } }

  /// The routes by which the resources are served.
  var router: Router { state.withLock { $0.router } }

  // MARK: Changing

  /// Changes the list; what is new, or declared in another way, begins with its seeds.
  /// - Parameters:
  ///   - refilled: the id of one that begins anew all the same.
  ///   - check: throws where the list would not do, and then nothing changes.
  private func change<Result: Sendable, Problem: Error>(
    refilling refilled: String? = nil, check: ([Entry], DocumentCatalog) throws(Problem) -> Void,
    _ body: (inout [Entry]) -> Result
  ) throws(Problem) -> Result {
    try state.withLock { state throws(Problem) in
      var entries = state.entries
      let result = body(&entries)
      let catalog = DocumentCatalog(entries.map(\.rule.declaration))
      try check(entries, catalog)
      refill(catalog, since: state.catalog, refilled)
      state.entries = entries
      state.catalog = catalog
      state.router = DocumentServer.router(catalog, over: store)
      count.store(entries.count, ordering: .releasing)
      return result
    }
  }

  private func change<Result: Sendable>(_ body: (inout [Entry]) -> Result) -> Result {
    change(check: { _, _ throws(Never) in }, body)
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

  /// Whether new resources go with the others.
  private static func check(
    _ rules: [ResourceRule], _ entries: [Entry], _ catalog: DocumentCatalog
  ) throws(OverrideProblem) {
    for rule in rules {
      let declaration = rule.declaration
      let place = rule.place.isEmpty ? "" : "\(rule.place)."
      if let within = declaration.within, catalog.home(of: declaration) == nil {
        throw OverrideProblem(
          "\(place)within.resource", "\(within.resource.debugDescription) is no resource that holds objects")
      }
      let twins = entries.map(\.rule.declaration).filter {
        $0.look == .jsonAPI && $0.name == declaration.name
      }
      if declaration.look == .jsonAPI, twins.count > 1 {
        throw OverrideProblem(
          "\(place)name", "\(declaration.name.debugDescription) is the type of another resource as well")
      }
    }
  }

  /// Adds a resource, or puts it in the place of the one with its id; it begins with its seeds.
  /// - Returns: whether it is new.
  @discardableResult
  func put(_ rule: ResourceRule, isFromFile: Bool = false) throws(OverrideProblem) -> Bool {
    let check = { (entries: [Entry], catalog: DocumentCatalog) throws(OverrideProblem) in
      try Self.check([rule], entries, catalog)
    }
    return try change(refilling: rule.id, check: check) { entries in
      let entry = Entry(rule: rule, isFromFile: isFromFile)
      if let index = entries.firstIndex(where: { $0.rule.id == rule.id }) {
        entries[index] = entry
        return false
      }
      entries.append(entry)
      return true
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
  func replaceFileRules(_ rules: [ResourceRule]) throws(OverrideProblem) {
    let check = { (entries: [Entry], catalog: DocumentCatalog) throws(OverrideProblem) in
      try Self.check(rules, entries, catalog)
    }
    try change(check: check) { entries in
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
