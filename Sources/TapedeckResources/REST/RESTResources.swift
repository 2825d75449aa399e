package import TapedeckHTTP
public import TapedeckMocking

/// Stored types as a REST API, in the representation that a serializer gives them.
///
/// ```swift
/// router.rest(store, Article.self, at: "/articles")
///   .resource(User.self, at: "/users", except: .delete)
/// ```
///
/// A missing resource is a 404, a new one a 201 with `Location`, a deleted one a 204, an unreadable body a 422. The
/// collection takes `sort=-views,title`, `page=2` and `per_page=10`, `ids[]=1&ids[]=2`, and any property as a filter:
/// `title=Swift`; `X-Total-Count` is the number of resources on all pages. Errors are `application/problem+json`
/// (RFC 9457).
public struct RESTResources: Sendable {
  // Routes must not capture the group, which retains their router.
  let group: RouteGroup
  let service: ResourceService
  let serializer: any ResourceSerializer

  /// Serves another type.
  /// - Parameters:
  ///   - path: of its collection; by default the resource type.
  ///   - serializer: by default the one that the type names as a ``SerializedResource``, or else that of all.
  @discardableResult
  public func resource<T: ResourceEntity>(
    _ type: T.Type, at path: String? = nil, only: ResourceActions = .all, except: ResourceActions = [],
    as serializer: (any ResourceSerializer)? = nil
  ) -> RESTResources {
    let resource = resourceType(of: type)
    var served = ServedResource(resource, at: path)
    served.serializer = serializer ?? resource.ownSerializer
    served.actions = only.subtracting(except)
    add(served)
    return self
  }

  func add(_ served: ServedResource) {
    service.add(served)
    let (path, actions) = (served.path, served.actions)
    if actions.contains(.index) { on([.get, .head], path, served) { try $0.index() } }
    if actions.contains(.create) { on([.post], path, served) { try $0.create() } }
    if actions.contains(.show) { on([.get, .head], "\(path)/:id", served) { try $0.show() } }
    if actions.contains(.delete) { on([.delete], "\(path)/:id", served) { try $0.delete() } }
    if actions.contains(.update) { on([.put, .patch], "\(path)/:id", served) { try $0.update() } }
    for list in served.lists where actions.contains(.index) {
      on([.get, .head], list, served) { try $0.index() }
    }
  }

  private func on(
    _ methods: [HTTPMethod], _ path: String, _ served: ServedResource,
    _ respond: @escaping @Sendable (RESTExchange) throws -> Response
  ) {
    service.on(methods, path, served, in: group) { [serializer] core in
      try respond(RESTExchange(core: core, standard: serializer))
    } failure: { request, error in
      Self.response(to: request, ResourceProblem(error), served)
    }
  }

  private static func response(
    to request: Request, _ problem: ResourceProblem, _ served: ServedResource
  ) -> Response {
    guard problem.status == 404, let missing = served.style.missing, let body = missing.body else {
      let members = problem.pointer.map { [JSONMember("pointer", JSONValue($0))] } ?? []
      return Response(.problem(problem.status, problem.detail, members: members, style: .compact))
    }
    let id = request.components["id"].map { served.type.json(ofID: $0) }
    return Response(statusCode: missing.status, json: body.filled(id.map { ["id": $0] } ?? [:]))
  }
}

extension RouteRegistering {
  /// Serves a stored type as REST: `router.rest(store, Article.self, at: "/articles")`. More types are added to the
  /// result.
  /// - Parameters:
  ///   - path: of its collection; by default the resource type, which is the type's name in small letters.
  ///   - serializer: for all types that name none themselves (``SerializedResource``): `.rest`, `.snakeCase`, `.hal`, a
  ///     ``RESTSerializer`` with options, or your own.
  @discardableResult
  public func rest<T: ResourceEntity>(
    _ store: Store, _ type: T.Type, at path: String? = nil, only: ResourceActions = .all,
    except: ResourceActions = [], as serializer: any ResourceSerializer = RESTSerializer()
  ) -> RESTResources {
    let service = ResourceService(store, rootDepth: group.depth)
    return RESTResources(group: group, service: service, serializer: serializer)
      .resource(type, at: path, only: only, except: except)
  }
}

/// How a REST API responds and counts pages, where it differs from the usual.
package struct RESTStyle: Sendable, Equatable {
  /// The response to an action.
  package struct Response: Sendable, Equatable {
    package var status: Int
    /// With values to fill in, like `"{{item}}"`; nil for the usual one.
    package var body: JSONValue?

    package init(status: Int, body: JSONValue? = nil) {
      self.status = status
      self.body = body
    }
  }

  package var created = Response(status: 201)
  package var updated = Response(status: 200)
  package var deleted = Response(status: 204)
  /// Nil for problem details.
  package var missing: Response?
  /// The query items that ask for a page by its number, for its size, and for how many resources to skip.
  package var pageNumber = "page"
  package var pageSize = "per_page"
  package var pageOffset: String?
  /// The size of a page that is asked for by its number alone.
  package var standardPageSize = 20
  /// Whether a request that asks for no page gets the first one.
  package var isAlwaysPaged = false
  /// Whether a PUT changes only what it names, as a PATCH does.
  package var putMerges = true
  /// Whether a request without a body counts as an empty object.
  package var acceptsEmptyBody = false
}
