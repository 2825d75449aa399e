internal import Synchronization
public import TapedeckHTTP

/// A handler of one route. `nil` lets the request go on down the chain.
public typealias RouteHandler = @Sendable (Request) throws -> Response?

/// Routes that answer before any recording does.
///
/// Of the routes that match, the most specific one is asked; among equals, the one registered last. Registering the
/// same method and path again replaces the handler. Safe to use from any thread.
public final class Router: Sendable {
  private struct Route: Sendable {
    var method: HTTPMethod
    var path: String
    var pattern: PathPattern
    var handler: RouteHandler
  }

  private let routes = Mutex<[Route]>([])

  public init() {}

  public func get(_ path: String, handler: @escaping RouteHandler) throws(PathPatternError) {
    try on(.get, path, handler: handler)
  }

  public func post(_ path: String, handler: @escaping RouteHandler) throws(PathPatternError) {
    try on(.post, path, handler: handler)
  }

  public func put(_ path: String, handler: @escaping RouteHandler) throws(PathPatternError) {
    try on(.put, path, handler: handler)
  }

  public func patch(_ path: String, handler: @escaping RouteHandler) throws(PathPatternError) {
    try on(.patch, path, handler: handler)
  }

  public func del(_ path: String, handler: @escaping RouteHandler) throws(PathPatternError) {
    try on(.delete, path, handler: handler)
  }

  /// Registers a route for any method.
  public func on(
    _ method: HTTPMethod, _ path: String, handler: @escaping RouteHandler
  ) throws(PathPatternError) {
    let route = Route(method: method, path: path, pattern: try PathPattern(path), handler: handler)
    routes.withLock { routes in
      routes.removeAll { $0.method == method && $0.path == path }
      let place = routes.firstIndex { !$0.pattern.isMoreSpecific(than: route.pattern) } ?? routes.endIndex
      routes.insert(route, at: place)
    }
  }

  public var isEmpty: Bool { routes.withLock { $0.isEmpty } }

  /// The answer of the first route that matches and does not decline; nil when none does.
  public func respond(to request: HTTPRequest) throws -> HTTPResponse? {
    for route in routes.withLock({ $0 }) where route.method == request.method {
      guard let components = route.pattern.match(request.path) else { continue }
      let response = try route.handler(Request(components: components, http: request))
      if let response { return try response.httpResponse() }
    }
    return nil
  }
}
