internal import TapedeckHTTP
public import TapedeckMocking

/// Stored types as a JSON:API 1.1 server.
///
/// ```swift
/// router.jsonAPI(store, Article.self, at: "/articles")
///   .resource(User.self, at: "/users")
/// ```
///
/// Each type gets its collection, its resources, and for each of its relationships the related resources and the
/// linkage. All take `include` and sparse fieldsets; collections also take sorting, filters and pages. Links are paths
/// from the root of the host, so that the same store and request give the same bytes behind any listener.
///
/// Errors are JSON:API documents. Source: JSON:API 1.1 §6 to §11; the cursor pagination profile.
public struct JSONAPIResources: Sendable {
  private let group: RouteGroup
  private let service: ResourceService

  init(group: RouteGroup, service: ResourceService) {
    self.group = group
    self.service = service
  }

  /// Serves another type. A type that others relate to and that is not served appears as linkage and in `included`.
  /// - Parameter path: of its collection, below the router's base; by default the resource type.
  @discardableResult
  public func resource<T: ResourceEntity>(
    _ type: T.Type, at path: String? = nil, options: JSONAPIOptions<T> = JSONAPIOptions()
  ) -> JSONAPIResources {
    var served = ServedResource(resourceType(of: type), at: path)
    served.pagination = options.pagination
    served.actions = options.changes
    served.allowsClientIDs = options.allowsClientIDs
    served.parameters = options.parameters
    served.filters = options.filters.mapValues { filter in
      { resource, _, text in (resource.entity as? T).map { filter($0, text) } ?? false }
    }
    add(served)
    return self
  }

  func add(_ served: ServedResource) {
    service.add(served)
    let path = served.path
    let (one, related) = ("\(path)/:id", "\(path)/:id/:relationship")
    let linkage = "\(path)/:id/relationships/:relationship"
    on([.get, .head], path, served) { try $0.fetchCollection() }
    on([.post], path, served) { try $0.create() }
    on([.get, .head], one, served) { try $0.fetchResource() }
    on([.patch], one, served) { try $0.update() }
    on([.delete], one, served) { try $0.delete() }
    on([.post], one, served, Self.override) { try $0.update() }
    on([.get, .head], related, served) { try $0.fetchRelated() }
    on([.get, .head], linkage, served) { try $0.fetchLinkage() }
    on([.patch], linkage, served) { try $0.change(.replace) }
    on([.post], linkage, served) { try $0.change(.add) }
    on([.delete], linkage, served) { try $0.change(.remove) }
    on([.post], linkage, served, Self.override) { try $0.change(.replace) }
  }

  /// For clients that cannot send a PATCH (JSON:API recommendations).
  private static let override: HeaderFields = ["X-HTTP-Method-Override": "PATCH"]

  private func on(
    _ methods: [HTTPMethod], _ path: String, _ served: ServedResource, _ headers: HeaderFields = [:],
    _ respond: @escaping @Sendable (JSONAPIExchange) throws -> Response
  ) {
    // Does not capture self, which holds the router that holds the handler.
    let service = service
    for method in methods {
      let route = group.on(method.rawValue)(path) { request -> any Serializable in
        do {
          try JSONAPIMediaType.checkAccept(of: request)
          return try respond(JSONAPIExchange(core: ResourceExchange(request, service, served)))
        } catch {
          return (error as? JSONAPIError) ?? JSONAPIError(ResourceProblem(error))
        }
      }
      if !headers.isEmpty { route.headers(headers) }
    }
  }
}

extension RouteRegistering {
  /// Serves a stored type as a JSON:API server: `router.jsonAPI(store, Article.self, at: "/articles")`. More types are
  /// added to the result.
  /// - Parameter path: of its collection; by default the resource type, which is `JSONAPIEntity.type` or the type's name
  ///   in small letters.
  @discardableResult
  public func jsonAPI<T: ResourceEntity>(
    _ store: Store, _ type: T.Type, at path: String? = nil, options: JSONAPIOptions<T> = JSONAPIOptions()
  ) -> JSONAPIResources {
    let service = ResourceService(store: store, rootDepth: group.depth)
    return JSONAPIResources(group: group, service: service).resource(type, at: path, options: options)
  }
}

extension JSONAPIError {
  fileprivate init(_ problem: ResourceProblem) {
    self.init(statusCode: problem.status, headerFields: ["Vary": "Accept"]) { error in
      error.title = HTTPStatus.reason(problem.status)
      error.detail = problem.detail
      error.type = problem.type.map { .simple(value: $0) }
      error.meta = problem.meta
      if problem.pointer != nil || problem.parameter != nil || problem.header != nil {
        error.source = Source(
          pointer: problem.parameter == nil && problem.header == nil ? problem.pointer : nil,
          parameter: problem.parameter, header: problem.header)
      }
    }
  }
}
