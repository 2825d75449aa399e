internal import TapedeckHTTP

/// The verbs that register routes in a router or a group.
public protocol RouteRegistering {
  /// The group of new routes.
  var group: RouteGroup { get }
}

extension RouteRegistering {
  /// Registers routes for GET.
  public var get: RouteVerb { RouteVerb(.get, group) }
  /// Registers routes for POST.
  public var post: RouteVerb { RouteVerb(.post, group) }
  /// Registers routes for PUT.
  public var put: RouteVerb { RouteVerb(.put, group) }
  /// Registers routes for PATCH.
  public var patch: RouteVerb { RouteVerb(.patch, group) }
  /// Registers routes for DELETE.
  public var delete: RouteVerb { RouteVerb(.delete, group) }
  /// The same as `delete`, in Kakapo's spelling.
  public var del: RouteVerb { delete }
  /// Registers routes for HEAD.
  public var head: RouteVerb { RouteVerb(.head, group) }
  /// Registers routes for OPTIONS.
  public var options: RouteVerb { RouteVerb(.options, group) }
  /// Registers routes for every method without a route of its own.
  public var any: RouteVerb { RouteVerb(nil, group) }

  /// Registers routes for any method by name: `router.on("PURGE")("/cache") { … }`.
  public func on(_ method: String) -> RouteVerb { RouteVerb(HTTPMethod(rawValue: method), group) }

  /// A group of routes below a path that share header fields, a latency and a predicate.
  public func group(
    _ prefix: String, headers: HeaderFields = [:], latency: Latency? = nil,
    when predicate: (@Sendable (Request) -> Bool)? = nil
  ) -> RouteGroup {
    group.nested(prefix, headers: headers, latency: latency, when: predicate)
  }

  /// Registers routes below a path: `router.group("/v1") { v1 in v1.get("/users") { … } }`.
  public func group(_ prefix: String, _ register: (RouteGroup) -> Void) { register(group(prefix)) }
}

extension Router: RouteRegistering {
  /// All routes of the router.
  public var group: RouteGroup { RouteGroup(router: self) }
}

/// Routes of a router with a common prefix.
public struct RouteGroup: RouteRegistering, Sendable {
  let router: Router
  private(set) var prefix = ""
  private var headers: [HeaderFields.Field] = []
  private var predicates: [RegisteredRoute.Predicate] = []
  private var latency: Latency?

  init(router: Router) { self.router = router }

  /// The group itself.
  public var group: RouteGroup { self }

  /// How many segments of a path precede those of this group's routes.
  package var depth: Int {
    router.base.segments.count + RoutePattern.path(of: prefix).split(separator: "/").count
  }

  func nested(
    _ prefix: String, headers: HeaderFields, latency: Latency?, when predicate: RegisteredRoute.Predicate?
  ) -> RouteGroup {
    var group = self
    precondition(
      !RoutePattern.isAbsolute(prefix) || self.prefix.isEmpty && router.baseURL.isEmpty,
      "\(PathPatternError.hostInside("\(router.baseURL)\(self.prefix) \(prefix)"))")
    let isWhole = prefix.hasPrefix("/") || prefix.isEmpty
    let slash = isWhole || self.prefix.isEmpty && RoutePattern.isAbsolute(prefix) ? "" : "/"
    group.prefix =
      (self.prefix.hasSuffix("/") ? String(self.prefix.dropLast()) : self.prefix) + slash + prefix
    group.headers += headers.fields
    if let predicate { group.predicates.append(predicate) }
    group.latency = latency ?? self.latency
    return group
  }

  func register(_ method: HTTPMethod?, _ path: String, _ handler: RouteHandling) -> Route {
    do {
      return router.register(method, try router.pattern(path, prefix: prefix), handler) { route in
        route.headers = headers
        route.predicates = predicates
        route.latency = latency
      }
    } catch {
      preconditionFailure(
        "\(error); for paths that are not known to be valid use `register`, which throws")
    }
  }
}

/// A verb of a router, called with a path and a handler: `router.get("/users/:id") { request in … }`.
///
/// A handler returns anything serializable, an object literal of mixed values, an `Encodable` value, or
/// `nil`. If it is not `async`, it runs where the request arrives; in the proxy, it blocks the other
/// connections of its event loop.
public struct RouteVerb: Sendable {
  private let method: HTTPMethod?
  private let group: RouteGroup

  init(_ method: HTTPMethod?, _ group: RouteGroup) {
    self.method = method
    self.group = group
  }

  /// Registers a handler that returns anything serializable.
  @_disfavoredOverload @discardableResult
  public func callAsFunction(_ path: String, handler: @escaping RouteHandler) -> Route {
    group.register(method, path, .returning(handler))
  }

  /// Registers a handler that returns an object literal.
  @discardableResult
  public func callAsFunction(
    _ path: String, handler: @escaping @Sendable (Request) throws -> JSONObject
  ) -> Route {
    callAsFunction(path) { request throws -> (any Serializable)? in try handler(request) }
  }

  /// Registers a handler that returns an `Encodable` value.
  @_disfavoredOverload @discardableResult
  public func callAsFunction<Value: Encodable & SendableMetatype>(
    _ path: String, handler: @escaping @Sendable (Request) throws -> Value?
  ) -> Route {
    callAsFunction(path) { request throws -> (any Serializable)? in
      try handler(request).map { EncodedValue($0) }
    }
  }

  /// Registers an async handler that returns anything serializable.
  @_disfavoredOverload @discardableResult
  public func callAsFunction(
    _ path: String, handler: @escaping @Sendable (Request) async throws -> (any Serializable)?
  ) -> Route {
    group.register(method, path, .returning(handler))
  }

  /// Registers an async handler that returns an object literal.
  @discardableResult
  public func callAsFunction(
    _ path: String, handler: @escaping @Sendable (Request) async throws -> JSONObject
  ) -> Route {
    callAsFunction(path) { request async throws -> (any Serializable)? in try await handler(request) }
  }

  /// Registers an async handler that returns an `Encodable` value.
  @_disfavoredOverload @discardableResult
  public func callAsFunction<Value: Encodable & SendableMetatype>(
    _ path: String, handler: @escaping @Sendable (Request) async throws -> Value?
  ) -> Route {
    callAsFunction(path) { request async throws -> (any Serializable)? in
      try await handler(request).map { EncodedValue($0) }
    }
  }

  /// Registers one response after the other; the last one repeats.
  @discardableResult
  public func callAsFunction(_ path: String, sequence responses: [any Serializable & Sendable]) -> Route {
    group.register(method, path, .sequence(responses))
  }
}
