internal import TapedeckHTTP
public import TapedeckMocking

/// Stored types as a JSON:API 1.1 server.
///
/// ```swift
/// router.jsonAPI(store, Article.self, at: "/articles")
///   .resource(User.self, at: "/users")
/// ```
///
/// Each type gets its collection, its resources, and for each of its relationships what is related and the linkage; all
/// of them with `include`, sparse fieldsets, and collections with sorting, filters and pages. Links are paths from the
/// root of the host, so that the same store and request give the same bytes behind any door.
///
/// Errors are JSON:API documents. Source: JSON:API 1.1 §6 to §11; the cursor pagination profile.
public struct JSONAPIResources: Sendable {
  private let group: RouteGroup
  private let registry: JSONAPIRegistry

  init(group: RouteGroup, store: Store) {
    self.init(group: group, registry: JSONAPIRegistry(store: store, rootDepth: group.depth))
  }

  init(group: RouteGroup, registry: JSONAPIRegistry) {
    self.group = group
    self.registry = registry
  }

  /// Serves another type. One that others relate to and that is not served appears as linkage and in `included`.
  /// - Parameters:
  ///   - path: of its collection, below the router's base; by default the resource type.
  @discardableResult
  public func resource<T: ResourceEntity>(
    _ type: T.Type, at path: String? = nil, options: JSONAPIOptions<T> = JSONAPIOptions()
  ) -> JSONAPIResources {
    let resource = ResourceTypes.type(of: type)
    let segments = (path ?? resource.name).split(separator: "/")
    let served = ServedResource(
      type: resource, path: segments.map { "/\($0)" }.joined(), options: ServedOptions(options))
    add(served)
    return self
  }

  func add(_ served: ServedResource) {
    registry.add(served)
    registerCollection(served)
    registerRelationships(served)
  }

  // MARK: Routes

  private func registerCollection(_ served: ServedResource) {
    let path = served.path
    reads(path, served) { try $0.fetchCollection() }
    on(group.post, path, served) { try $0.create() }
    reads("\(path)/:id", served) { try $0.fetchResource() }
    on(group.patch, "\(path)/:id", served) { try $0.update() }
    on(group.del, "\(path)/:id", served) { try $0.delete() }
    on(group.post, "\(path)/:id", served) { try $0.update() }.headers(Self.override)
  }

  private func registerRelationships(_ served: ServedResource) {
    let related = "\(served.path)/:id/:relationship"
    let linkage = "\(served.path)/:id/relationships/:relationship"
    reads(related, served) { try $0.fetchRelated() }
    reads(linkage, served) { try $0.fetchRelationship() }
    on(group.patch, linkage, served) { try $0.change(.replace) }
    on(group.post, linkage, served) { try $0.change(.add) }
    on(group.del, linkage, served) { try $0.change(.remove) }
    on(group.post, linkage, served) { try $0.change(.replace) }.headers(Self.override)
  }

  /// For clients that cannot send a PATCH (JSON:API recommendations).
  private static let override: HeaderFields = ["X-HTTP-Method-Override": "PATCH"]

  /// `HEAD` is answered like `GET`; doors leave the body out (RFC 9110 §9.3.2).
  private func reads(
    _ path: String, _ served: ServedResource,
    _ answer: @escaping @Sendable (JSONAPIExchange) throws -> Response
  ) {
    on(group.get, path, served, answer)
    on(group.head, path, served, answer)
  }

  @discardableResult
  private func on(
    _ verb: RouteVerb, _ path: String, _ served: ServedResource,
    _ answer: @escaping @Sendable (JSONAPIExchange) throws -> Response
  ) -> Route {
    // Not self, which holds the router that holds the handler.
    let registry = registry
    return verb(path) { request in
      Self.answer(request) { try answer(JSONAPIExchange(request, registry, served)) }
    }
  }

  /// The answer, or the error as one.
  private static func answer(
    _ request: Request, _ body: () throws -> Response
  ) -> any Serializable {
    do {
      try JSONAPIMediaType.checkAccept(of: request)
      return try body()
    } catch {
      return (error as? JSONAPIError) ?? JSONAPIError(ResourceProblem(error))
    }
  }
}

extension RouteRegistering {
  /// Serves a stored type as a JSON:API server: `router.jsonAPI(store, Article.self, at: "/articles")`. More types are
  /// added to what this returns.
  /// - Parameter path: of its collection; by default the resource type, which is `JSONAPIEntity.type` or the type's name
  ///   in small letters.
  @discardableResult
  public func jsonAPI<T: ResourceEntity>(
    _ store: Store, _ type: T.Type, at path: String? = nil, options: JSONAPIOptions<T> = JSONAPIOptions()
  ) -> JSONAPIResources {
    JSONAPIResources(group: group, store: store).resource(type, at: path, options: options)
  }
}

extension ServedOptions {
  init<T: Storable>(_ options: JSONAPIOptions<T>) {
    self.init(
      pagination: options.pagination, changes: options.changes,
      allowsClientIDs: options.allowsClientIDs,
      filters: options.filters.mapValues { filter in
        { resource, store, text in store.find(T.self, id: resource.id).map { filter($0, text) } ?? false }
      }, parameters: options.parameters)
  }
}

extension JSONAPIError {
  init(_ problem: ResourceProblem) {
    self.init(statusCode: problem.status, headerFields: ["Vary": "Accept"]) { error in
      error.title = problem.title
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
