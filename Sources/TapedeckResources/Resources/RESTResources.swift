internal import Synchronization
internal import TapedeckHTTP
public import TapedeckMocking

/// What can be done with a stored type over REST.
public struct RESTActions: OptionSet, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// `GET` and `HEAD /articles`
  public static let index = RESTActions(rawValue: 1)
  /// `GET` and `HEAD /articles/1`
  public static let show = RESTActions(rawValue: 2)
  /// `POST /articles`
  public static let create = RESTActions(rawValue: 4)
  /// `PUT` and `PATCH /articles/1`
  public static let update = RESTActions(rawValue: 8)
  /// `DELETE /articles/1`
  public static let delete = RESTActions(rawValue: 16)
  public static let all: RESTActions = [.index, .show, .create, .update, .delete]
}

/// Stored types as a REST API, in the look that a serializer gives them.
///
/// ```swift
/// router.rest(store, Article.self, at: "/articles")
///   .resource(User.self, at: "/users", except: .delete)
/// ```
///
/// What is missing is a 404, what is created a 201 with `Location`, what is deleted a 204, what cannot be read a 422. The
/// collection takes `sort=-views,title`, `page=2` and `per_page=10`, `ids[]=1&ids[]=2`, and any property as a filter:
/// `title=Swift`; `X-Total-Count` says how many there are on all pages. Errors are `application/problem+json`
/// (RFC 9457).
public struct RESTResources: Sendable {
  private let group: RouteGroup
  private let registry: JSONAPIRegistry
  private let serializer: any ResourceSerializer

  init(group: RouteGroup, store: Store, serializer: any ResourceSerializer) {
    self.group = group
    self.serializer = serializer
    registry = JSONAPIRegistry(store: store, rootDepth: group.depth)
  }

  /// Serves another type.
  /// - Parameters:
  ///   - path: of its collection; by default the resource type.
  ///   - serializer: its look; by default what the type says as a ``SerializedResource``, or else that of all.
  @discardableResult
  public func resource<T: ResourceEntity>(
    _ type: T.Type, at path: String? = nil, only: RESTActions = .all, except: RESTActions = [],
    as serializer: (any ResourceSerializer)? = nil
  ) -> RESTResources {
    let resource = ResourceTypes.type(of: type)
    let segments = (path ?? resource.name).split(separator: "/")
    let served = ServedResource(
      type: resource, path: segments.map { "/\($0)" }.joined(), options: ServedOptions(),
      serializer: serializer ?? resource.ownSerializer)
    registry.add(served)
    let actions = only.subtracting(except)
    let one = "\(served.path)/:id"
    if actions.contains(.index) {
      on(group.get, served.path, served) { try $0.index() }
      on(group.head, served.path, served) { try $0.index() }
    }
    if actions.contains(.create) { on(group.post, served.path, served) { try $0.create() } }
    if actions.contains(.show) {
      on(group.get, one, served) { try $0.show() }
      on(group.head, one, served) { try $0.show() }
    }
    if actions.contains(.delete) { on(group.del, one, served) { try $0.delete() } }
    if actions.contains(.update) {
      on(group.put, one, served) { try $0.update() }
      on(group.patch, one, served) { try $0.update() }
    }
    return self
  }

  private func on(
    _ verb: RouteVerb, _ path: String, _ served: ServedResource,
    _ answer: @escaping @Sendable (RESTExchange) throws -> Response
  ) {
    // Not self, which holds the router that holds the handler.
    let (registry, serializer) = (registry, serializer)
    verb(path) { request -> Response in
      do {
        return try answer(
          RESTExchange(exchange: JSONAPIExchange(request, registry, served), standard: serializer))
      } catch {
        return Response(ResourceProblem(error))
      }
    }
  }
}

extension RouteRegistering {
  /// Serves a stored type as REST: `router.rest(store, Article.self, at: "/articles")`. More types are added to what this
  /// returns.
  /// - Parameters:
  ///   - path: of its collection; by default the resource type, which is the type's name in small letters.
  ///   - serializer: the look of all types that say none themselves (``SerializedResource``): `.rest`, `.snakeCase`,
  ///     `.hal`, a ``RESTSerializer`` with options, or one's own.
  @discardableResult
  public func rest<T: ResourceEntity>(
    _ store: Store, _ type: T.Type, at path: String? = nil, only: RESTActions = .all,
    except: RESTActions = [], as serializer: any ResourceSerializer = RESTSerializer()
  ) -> RESTResources {
    RESTResources(group: group, store: store, serializer: serializer)
      .resource(type, at: path, only: only, except: except)
  }
}

extension Response {
  init(_ problem: ResourceProblem) {
    var members: [JSONMember] = [
      JSONMember("title", JSONValue(problem.title)), JSONMember("status", JSONValue(problem.status)),
      JSONMember("detail", JSONValue(problem.detail)),
    ]
    if let pointer = problem.pointer { members.append(JSONMember("pointer", JSONValue(pointer))) }
    self.init(statusCode: problem.status, json: .object(members))
    headers["Content-Type"] = "application/problem+json"
  }
}
