internal import TapedeckHTTP
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
  private let group: RouteGroup
  private let service: ResourceService
  private let serializer: any ResourceSerializer

  init(group: RouteGroup, service: ResourceService, serializer: any ResourceSerializer) {
    self.group = group
    self.service = service
    self.serializer = serializer
  }

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
    // Does not capture self, which holds the router that holds the handler.
    let (service, serializer) = (service, serializer)
    for method in methods {
      let route = group.on(method.rawValue)(path) { request -> Response in
        do {
          let narrowed = try served.type.narrowed(served, to: request, at: path, in: service.store)
          let core = ResourceExchange(request, service, narrowed)
          return try respond(RESTExchange(core: core, standard: serializer))
        } catch {
          return Self.response(to: request, ResourceProblem(error), served)
        }
      }
      if !served.passes.isEmpty {
        route.when { request in !request.queryParameters.contains { served.passes.contains($0.name) } }
      }
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
    return Response(
      statusCode: missing.status, json: Envelope.filled(body) { $0 == "id" ? id : JSONValue?.none })
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
    let service = ResourceService(store: store, rootDepth: group.depth)
    return RESTResources(group: group, service: service, serializer: serializer)
      .resource(type, at: path, only: only, except: except)
  }
}
