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
  // Routes must not capture the group, which retains their router.
  let group: RouteGroup
  let service: ResourceService

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
      { resource, text in (resource.entity as? T).map { filter($0, text) } ?? false }
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
    on([.patch], linkage, served) { try $0.replaceLinkage() }
    on([.post], linkage, served) { try $0.addLinkage() }
    on([.delete], linkage, served) { try $0.removeLinkage() }
    on([.post], linkage, served, Self.override) { try $0.replaceLinkage() }
  }

  /// For clients that cannot send a PATCH (JSON:API recommendations).
  private static let override: HeaderFields = ["X-HTTP-Method-Override": "PATCH"]

  private func on(
    _ methods: [HTTPMethod], _ path: String, _ served: ServedResource, _ headers: HeaderFields = [:],
    _ respond: @escaping @Sendable (JSONAPIExchange) throws -> Response
  ) {
    service.on(methods, path, served, in: group, headers: headers) { core in
      try JSONAPIExchange.checkAccept(of: core.request)
      return try respond(JSONAPIExchange(core: core))
    } failure: { _, error in
      (error as? JSONAPIError) ?? JSONAPIError(ResourceProblem(error))
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
    let service = ResourceService(store, rootDepth: group.depth)
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

/// How a stored type is served by JSON:API.
public struct JSONAPIOptions<T: Storable>: Sendable {
  /// How collections are cut into pages.
  public var pagination: JSONAPIResources.Pagination
  /// What can be done beside reading; the rest is a 403.
  public var changes: ResourceActions
  /// Whether new resources may bring their id.
  public var allowsClientIDs: Bool
  /// Your own filters by name: whether an entity is wanted, given the text in `filter[name]=text`. They go before those
  /// on attributes and relationships.
  public var filters: [String: @Sendable (T, String) -> Bool]
  /// The base names of query parameters that are left alone, like `apiVersion`; each with a character outside a–z
  /// (JSON:API 1.1 §8.1). Handlers and predicates may read them.
  public var parameters: Set<String>

  /// Creates options; by default everything is allowed but ids of clients.
  public init(
    pagination: JSONAPIResources.Pagination = .number(), changes: ResourceActions = .all,
    allowsClientIDs: Bool = false, filters: [String: @Sendable (T, String) -> Bool] = [:],
    parameters: Set<String> = []
  ) {
    self.pagination = pagination
    self.changes = changes
    self.allowsClientIDs = allowsClientIDs
    self.filters = filters
    self.parameters = parameters
  }
}

extension JSONAPIResources {
  /// How a collection is cut into pages. The parameters of other strategies are a 400.
  public enum Pagination: Sendable {
    /// `page[…]` is refused.
    case none
    /// `page[number]` from 1, and `page[size]`.
    /// - Parameter size: where the request names none; nil for everything.
    case number(size: Int? = nil, maximumSize: Int = 100)
    /// `page[offset]` from 0, and `page[limit]`.
    /// - Parameter limit: where the request names none; nil for everything.
    case offset(limit: Int? = nil, maximumLimit: Int = 100)
    /// `page[size]`, `page[after]` and `page[before]`, as in the cursor pagination profile.
    case cursor(size: Int = 20, maximumSize: Int = 100)

    static let cursorProfile = "https://jsonapi.org/profiles/ethanresnick/cursor-pagination/"

    /// The profile that responses follow.
    var profile: String? {
      if case .cursor = self { Self.cursorProfile } else { nil }
    }
  }
}
