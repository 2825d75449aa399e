internal import TapedeckHTTP
internal import TapedeckMocking

/// One request for resources, whatever their representation. What it reads is one state of the store; each change
/// happens as a whole or not at all.
struct ResourceExchange {
  let request: Request
  let service: ResourceService
  let served: ServedResource
  /// The store at the moment of the request.
  let view: Store
  /// What comes before the resources' paths, as the client wrote it.
  private let root: String

  init(_ request: Request, _ service: ResourceService, _ served: ServedResource) {
    self.request = request
    self.service = service
    self.served = served
    view = service.store.copy()
    root = request.path.split(separator: "/").prefix(service.rootDepth).map { "/\($0)" }.joined()
  }

  var type: any ResourceType { served.type }

  /// The exchange as it is after a change.
  var renewed: ResourceExchange { ResourceExchange(request, service, served) }

  // MARK: URLs

  func url(of served: ServedResource) -> String { root + served.path }

  /// Nil for a type that is not served.
  func url(of resource: ResourceIdentifier) -> String? {
    service.resource(named: resource.type).map { "\(url(of: $0))/\(URLEncoding.encoded(resource.id))" }
  }

  // MARK: What the request names

  /// The resource whose id is in the URL, or 404.
  func resource() throws -> StoredResource {
    let id = request.components["id"] ?? ""
    guard let found = try type.find(id, in: view) else { throw ResourceProblem.missing(type.name, id) }
    return found
  }

  // MARK: Changes

  func create(_ change: (Store) throws -> ResourceChange) throws -> StoredResource {
    try service.store.transaction { store in try type.create(try change(store), in: store) }
  }

  func update(_ id: String, _ change: (Store) throws -> ResourceChange) throws -> StoredResource {
    try service.store.transaction { store in try type.update(id, try change(store), in: store) }
  }

  func delete(_ id: String) throws(ResourceProblem) {
    let isDone = service.store.transaction { store in type.delete(id, in: store) }
    guard isDone else { throw .missing(type.name, id) }
  }
}

extension Request {
  /// The request's path with another query: without the items that are to be dropped, and with others at the end.
  func path(dropping isDropped: (String) -> Bool, adding items: [String]) -> String {
    let kept = (http.query ?? []).split(separator: UInt8(ascii: "&")).filter {
      !isDropped(QueryItem.parse($0).first?.name ?? "")
    }
    return "\(path)?\((kept.map { String(decoding: $0, as: UTF8.self) } + items).joined(separator: "&"))"
  }
}
