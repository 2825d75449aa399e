internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckMocking

/// The resources that are served together, from one store.
final class ResourceService: Sendable {
  let store: Store
  /// How many of a path's segments come before those of resources.
  let rootDepth: Int
  private let served = Mutex<[ServedResource]>([])

  init(_ store: Store, rootDepth: Int) { (self.store, self.rootDepth) = (store, rootDepth) }

  func add(_ resource: ServedResource) { served.withLock { $0.append(resource) } }

  func resource(named name: String) -> ServedResource? {
    served.withLock { $0.first { $0.type.name == name } }
  }

  /// Registers a route for each method, for requests with these headers.
  func on(
    _ methods: [HTTPMethod], _ path: String, _ served: ServedResource, in group: RouteGroup,
    headers: HeaderFields = [:], _ respond: @escaping @Sendable (ResourceExchange) throws -> any Serializable,
    failure: @escaping @Sendable (Request, any Error) -> any Serializable
  ) {
    for method in methods {
      let route = group.on(method.rawValue)(path) { request -> any Serializable in
        do {
          let narrowed = try served.type.narrowed(served, to: request, at: path, in: self.store)
          return try respond(ResourceExchange(request, self, narrowed))
        } catch {
          return failure(request, error)
        }
      }
      if !headers.isEmpty { route.headers(headers) }
      if !served.passes.isEmpty {
        route.when { request in !request.queryParameters.contains { served.passes.contains($0.name) } }
      }
    }
  }
}

/// A type of resources and the options with which it is served.
struct ServedResource: Sendable {
  var type: any ResourceType
  /// The path below the root, like `/articles`.
  var path: String
  var actions = ResourceActions.all
  var allowsClientIDs = false

  // REST
  var serializer: (any ResourceSerializer)?
  var style = RESTStyle()
  /// Other paths of the list.
  var lists: [String] = []
  /// Requests with these query items are left to other routes.
  var passes: Set<String> = []

  // JSON:API
  var pagination = JSONAPIResources.Pagination.number()
  var filters: [String: ResourceSelection.Filter] = [:]
  /// Query parameters that are ignored.
  var parameters: Set<String> = []

  init(_ type: any ResourceType, at path: String?) {
    self.type = type
    self.path = (path ?? type.name).split(separator: "/").map { "/\($0)" }.joined()
  }
}

/// What can be done with resources.
public struct ResourceActions: OptionSet, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// `GET` and `HEAD /articles`; JSON:API always has it.
  public static let index = ResourceActions(rawValue: 1)
  /// `GET` and `HEAD /articles/1`; JSON:API always has it.
  public static let show = ResourceActions(rawValue: 2)
  /// `POST /articles`
  public static let create = ResourceActions(rawValue: 4)
  /// `PUT` and `PATCH /articles/1`, and in JSON:API changes of relationships.
  public static let update = ResourceActions(rawValue: 8)
  /// `DELETE /articles/1`
  public static let delete = ResourceActions(rawValue: 16)
  /// Replacing all members of a to-many relationship at once, in JSON:API.
  public static let replace = ResourceActions(rawValue: 32)
  /// Everything.
  public static let all: ResourceActions = [.index, .show, .create, .update, .delete, .replace]
}

/// One request for resources, in any representation. It reads one state of the store, and each change happens as a whole
/// or not at all.
struct ResourceExchange {
  let request: Request
  let service: ResourceService
  let served: ServedResource
  let view: Store
  /// The part of the path before that of the resources, as the client wrote it.
  private let root: String

  init(_ request: Request, _ service: ResourceService, _ served: ServedResource) {
    self.request = request
    self.service = service
    self.served = served
    view = service.store.copy()
    root = request.path.split(separator: "/").prefix(service.rootDepth).map { "/\($0)" }.joined()
  }

  var type: any ResourceType { served.type }

  /// The exchange with the store as it is after a change.
  var renewed: ResourceExchange { ResourceExchange(request, service, served) }

  func url(of served: ServedResource) -> String { root + served.path }

  /// Nil for a type that is not served.
  func url(of resource: ResourceIdentifier) -> String? {
    service.resource(named: resource.type).map { "\(url(of: $0))/\(URLEncoding.encoded(resource.id))" }
  }

  /// The resource whose id is in the URL, or 404.
  func resource() throws -> StoredResource {
    let id = request.components["id"] ?? ""
    if let found = try type.find(id, in: view) { return found }
    throw ResourceProblem.missing(type.name, id)
  }

  func create(_ change: (Store) throws -> ResourceChange) throws -> StoredResource {
    try service.store.transaction { store in try type.create(try change(store), in: store) }
  }

  func update(_ id: String, _ change: (Store) throws -> ResourceChange) throws -> StoredResource {
    try service.store.transaction { store in try type.update(id, try change(store), in: store) }
  }

  func delete(_ id: String) throws(ResourceProblem) {
    if service.store.transaction({ store in type.delete(id, in: store) }) { return }
    throw .missing(type.name, id)
  }

  /// The request's body, or 400.
  func json() throws(ResourceProblem) -> JSONValue {
    do throws(JSONError) { return try JSONValue(parsing: request.http.body) } catch {
      throw ResourceProblem(400, "the body is not JSON: \(error)")
    }
  }
}

extension Request {
  /// The request's path with some query items dropped and others appended.
  func path(dropping isDropped: (String) -> Bool, adding items: [String]) -> String {
    let kept = (http.query ?? []).split(separator: UInt8(ascii: "&")).filter {
      !isDropped(QueryItem.parse($0).first?.name ?? "")
    }
    return "\(path)?\((kept.map { String(decoding: $0, as: UTF8.self) } + items).joined(separator: "&"))"
  }
}
