internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckResources

/// The objects of a session's resources, and their server. Both are created at the first request for a resource or its
/// data.
final class ResourceData: RuleState {
  private struct State {
    var table: RuleTable<ResourceRule>
    var served: (store: Store, server: SchemalessServer)?

    var catalog: ResourceCatalog { table.index.catalog }

    /// The store and its server, created from the seeds at the first use.
    mutating func begin() -> (store: Store, server: SchemalessServer) {
      if let served { return served }
      let catalog = catalog
      let store = Store()
      // Seeds were checked when they were declared.
      for declaration in catalog.declarations { try? store.fill(declaration) }
      let served = (store, SchemalessServer(catalog, over: store))
      self.served = served
      return served
    }

    /// Replaces the resources; a new one, or one whose declaration changed, begins with its seeds.
    mutating func take(_ new: RuleTable<ResourceRule>, refilling refilled: String?) {
      let old = table
      table = new
      guard let store = served?.store else { return }
      let known = Dictionary(
        old.index.catalog.declarations.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      for declaration in catalog.declarations
      where declaration.id == refilled || known[declaration.id] != declaration {
        try? store.fill(declaration)
      }
      let ids = Set(catalog.declarations.map(\.id))
      for gone in known.values where !ids.contains(gone.id) { store.empty(gone) }
      served = (store, SchemalessServer(catalog, over: store))
    }
  }

  private let state: Mutex<State>

  init(_ table: RuleTable<ResourceRule>) { state = Mutex(State(table: table)) }

  func take(_ table: RuleTable<ResourceRule>, restarting id: String?) {
    state.withLock { $0.take(table, refilling: id) }
  }

  func counts(of rule: ResourceRule) -> RuleUsage { RuleUsage() }

  func reset() { state.withLock { $0.served = nil } }

  var server: SchemalessServer { state.withLock { $0.begin().server } }

  /// All objects of a resource, including hidden members; `nil` if no resource has the id.
  func data(of id: String) -> JSONValue? {
    let (catalog, store) = state.withLock { ($0.catalog, $0.begin().store) }
    return catalog.objects(of: id, in: store).map { .array($0) }
  }

  /// Replaces all objects of a resource, or throws and changes nothing.
  /// - Returns: `false` if no resource has the id.
  func setData(of id: String, to data: JSONValue) throws(OverrideProblem) -> Bool {
    try state.withLock { state throws(OverrideProblem) in
      guard let declaration = state.catalog.declarations.first(where: { $0.id == id }) else { return false }
      if let within = declaration.within {
        throw OverrideProblem("", "the objects of \(id) are within those of \(within): change those")
      }
      guard let objects = data.array else { throw OverrideProblem("", "must be a list of objects") }
      do throws(SeedProblem) { try state.begin().store.fill(declaration, with: objects) } catch {
        throw OverrideProblem("[\(error.index)]", error.text)
      }
      return true
    }
  }
}

/// The link of the chain that serves the resources of an overrides file and of the admin API.
final class ResourceRuleResponder: Responder {
  private let resources: ResourceIndex
  private let data: ResourceData

  init(_ resources: ResourceIndex, _ data: ResourceData) {
    self.resources = resources
    self.data = data
  }

  func needsBody(of request: HTTPRequest) -> Bool { resources.tree.mayFit(target: request.target) }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    guard resources.tree.mayFit(target: request.target) else { return nil }
    if let decisions {
      for (id, condition) in resources.unmet(by: request) {
        decisions.decline(.store, rule: id, .unmet(condition))
      }
    }
    let server = data.server
    guard let match = server.router.match(Request(http: request), at: .server),
      case .response(let response) = match.response()
    else { return nil }
    if let decisions { decisions.respond(.store, rule: server.resource(of: match), .declared) }
    return ServedResponse(.response(response), by: .store)
  }
}
