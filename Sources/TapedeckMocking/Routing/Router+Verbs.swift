internal import TapedeckHTTP

/// `get`, `post` and so on, for a router and for a group of its routes.
public protocol RouteRegistering {
  var group: RouteGroup { get }
}

extension RouteRegistering {
  public var get: RouteVerb { RouteVerb(.get, group) }
  public var post: RouteVerb { RouteVerb(.post, group) }
  public var put: RouteVerb { RouteVerb(.put, group) }
  public var patch: RouteVerb { RouteVerb(.patch, group) }
  public var del: RouteVerb { RouteVerb(.delete, group) }
  public var head: RouteVerb { RouteVerb(.head, group) }
  public var options: RouteVerb { RouteVerb(.options, group) }
  /// Routes for every method that has none of its own.
  public var any: RouteVerb { RouteVerb(nil, group) }

  /// Routes for a method of any name: `router.on("PURGE")("/cache") { … }`.
  public func on(_ method: String) -> RouteVerb { RouteVerb(HTTPMethod(rawValue: method), group) }

  /// Routes below a path, that have header fields, a predicate and a latency in common.
  public func group(
    _ prefix: String, headers: HeaderFields = [:], latency: Latency? = nil,
    when predicate: (@Sendable (Request) -> Bool)? = nil
  ) -> RouteGroup {
    group.nested(prefix, headers: headers, latency: latency, when: predicate)
  }

  /// Routes below a path: `router.group("/v1") { v1 in v1.get("/users") { … } }`.
  public func group(_ prefix: String, _ register: (RouteGroup) -> Void) { register(group(prefix)) }
}

extension Router: RouteRegistering {
  public var group: RouteGroup { RouteGroup(router: self) }
}

/// Routes of a router that begin alike.
public struct RouteGroup: RouteRegistering, Sendable {
  let router: Router
  private(set) var prefix = ""
  private var headers: [HeaderFields.Field] = []
  private var predicates: [RegisteredRoute.Predicate] = []
  private var latency: Latency?

  init(router: Router) { self.router = router }

  public var group: RouteGroup { self }

  /// How many segments of a path come before those of this group's routes.
  package var depth: Int { router.base.segments.count + prefix.split(separator: "/").count }

  func nested(
    _ prefix: String, headers: HeaderFields, latency: Latency?, when predicate: RegisteredRoute.Predicate?
  ) -> RouteGroup {
    var group = self
    let slash = prefix.hasPrefix("/") || prefix.isEmpty ? "" : "/"
    group.prefix =
      (self.prefix.hasSuffix("/") ? String(self.prefix.dropLast()) : self.prefix) + slash + prefix
    group.headers += headers.fields
    if let predicate { group.predicates.append(predicate) }
    group.latency = latency ?? self.latency
    return group
  }

  func register(_ method: HTTPMethod?, _ path: String, _ handler: RouteHandling) -> Route {
    do {
      return router.register(method, try RoutePattern(path, prefix: prefix), handler) { route in
        route.headers = headers
        route.predicates = predicates
        route.latency = latency
      }
    } catch {
      preconditionFailure(
        "\(error); for paths that are not known beforehand there is `register`, which throws")
    }
  }
}

/// One verb of a router, waiting for path and handler: `router.get("/users/:id") { request in … }`.
///
/// A handler returns anything serialisable, an object literal of mixed values, an `Encodable` value, or nil; it may
/// throw, and it may be `async`. One that is not runs where the request arrived: in the proxy on an event loop, whose
/// other connections wait meanwhile.
public struct RouteVerb: Sendable {
  private let method: HTTPMethod?
  private let group: RouteGroup

  init(_ method: HTTPMethod?, _ group: RouteGroup) {
    self.method = method
    self.group = group
  }

  @_disfavoredOverload @discardableResult
  public func callAsFunction(_ path: String, handler: @escaping RouteHandler) -> Route {
    group.register(method, path, .returning(handler))
  }

  @discardableResult
  public func callAsFunction(
    _ path: String, handler: @escaping @Sendable (Request) throws -> JSONObject
  ) -> Route {
    callAsFunction(path) { request throws -> (any Serializable)? in try handler(request) }
  }

  @_disfavoredOverload @discardableResult
  public func callAsFunction<Value: Encodable & SendableMetatype>(
    _ path: String, handler: @escaping @Sendable (Request) throws -> Value?
  ) -> Route {
    callAsFunction(path) { request throws -> (any Serializable)? in
      try handler(request).map { EncodedValue($0) }
    }
  }

  @_disfavoredOverload @discardableResult
  public func callAsFunction(_ path: String, handler: @escaping AsyncRouteHandler) -> Route {
    group.register(method, path, .returning(handler))
  }

  @discardableResult
  public func callAsFunction(
    _ path: String, handler: @escaping @Sendable (Request) async throws -> JSONObject
  ) -> Route {
    callAsFunction(path) { request async throws -> (any Serializable)? in try await handler(request) }
  }

  @_disfavoredOverload @discardableResult
  public func callAsFunction<Value: Encodable & SendableMetatype>(
    _ path: String, handler: @escaping @Sendable (Request) async throws -> Value?
  ) -> Route {
    callAsFunction(path) { request async throws -> (any Serializable)? in
      try await handler(request).map { EncodedValue($0) }
    }
  }

  /// Answers one after the other; the last one stays.
  @discardableResult
  public func callAsFunction(_ path: String, sequence answers: [any Serializable & Sendable]) -> Route {
    group.register(method, path, .sequence(answers))
  }
}
