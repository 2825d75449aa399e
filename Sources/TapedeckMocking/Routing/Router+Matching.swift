public import TapedeckHTTP

/// How a request arrives.
package enum RouterDoor: Sendable {
  /// With its whole URL, as a client of the origin sends it.
  case url
  /// At our own server: unless the client names the origin, as those of a forward proxy do, the host is ours, so only
  /// paths are compared.
  case server
}

/// The routes of a router in the order in which they are tried. Replaced after a change, never modified.
final class RouteTable: Sendable {
  let routes: [RegisteredRoute]
  let settings: RouterSettings
  private let tree: PathTree

  init(_ routes: [RegisteredRoute], settings: RouterSettings) {
    let routes = routes.sorted { $0.goesBefore($1) }
    self.routes = routes
    self.settings = settings
    tree = PathTree(routes.map(\.pattern.segments), foldsCase: !settings.isPathCaseSensitive)
  }

  /// The first result of `accepts`, among the routes whose pattern matches the path from segment `start` on.
  func first<Result>(
    for path: PathSegments, from start: Int, _ accepts: (RegisteredRoute) -> Result?
  ) -> Result? {
    var result: Result?
    tree.offer(path, from: start) { index in
      result = accepts(routes[index])
      return result != nil
    }
    return result
  }
}

extension Router {
  /// Whether a route matches the request. Runs no handler and uses up no one-shot route.
  package func handles(_ request: Request, at door: RouterDoor = .url) -> Bool {
    candidate(for: request, at: door) { $0.uses?.isSpent != true } != nil
  }

  /// The route that matches the request; uses up one of its uses, without running its handler.
  package func match(_ request: Request, at door: RouterDoor = .url) -> RouteMatch? {
    candidate(for: request, at: door) { $0.uses.map { $0.take() > 0 } != false }
  }

  private func candidate(
    for request: Request, at door: RouterDoor, _ claims: (RegisteredRoute) -> Bool
  ) -> RouteMatch? {
    guard !isEmpty else { return nil }
    let names = door == .url || request.http.namesOrigin
    if names, !base.covers(URLText(request.url)) { return nil }
    let table = table
    let foldsCase = !table.settings.isPathCaseSensitive
    let path = PathSegments(request.http.path, foldsCase: foldsCase)
    guard base.beginsPath(path, foldsCase: foldsCase) else { return nil }
    let start = base.segments.count
    return table.first(for: path, from: start) { route in
      if route.opensWebSocket, door == .url || !request.http.asksForWebSocket { return nil }
      if names, let origin = route.pattern.origin, !origin.covers(URLText(request.url)) { return nil }
      guard let matched = matched(route, request, path, start), claims(route) else { return nil }
      let latency =
        Router.forcedLatency ?? route.latency ?? table.settings.latency ?? Router.defaultLatency
      return RouteMatch(
        route: route, request: matched, settings: table.settings,
        latencyNanoseconds: nanoseconds(of: latency))
    }
  }

  /// The request with the values of the route's parameters; `nil` if the route does not match.
  private func matched(
    _ route: RegisteredRoute, _ request: Request, _ path: PathSegments, _ start: Int
  ) -> Request? {
    guard route.method == nil || route.method == request.method else { return nil }
    var request = request
    request.setComponents(of: route.pattern, in: path, from: start)
    if !route.pattern.query.isEmpty {
      guard let values = route.pattern.matchQuery(request.queryParameters) else { return nil }
      request.components.merge(values) { $1 }
    }
    guard route.acceptsHeaders(request.http.fields) else { return nil }
    for predicate in route.predicates where !predicate(request) { return nil }
    return request
  }
}

extension Request {
  fileprivate mutating func setComponents(of pattern: RoutePattern, in path: PathSegments, from start: Int) {
    for (offset, segment) in pattern.segments.enumerated() {
      switch segment {
      case .literal: continue
      case .parameter(let name):
        components[name] = path.text(start + offset)
        if path.isEncoded { encodedComponents[name] = path.rawText(start + offset) }
      case .rest(let name):
        components[name] = path.rest(from: start + offset)
        if path.isEncoded { encodedComponents[name] = path.rawRest(from: start + offset) }
      }
    }
  }
}

// MARK: - Responding without a network

extension Router {
  /// The response after the route's latency; `nil` if no route matches or the handler passes the request on.
  public func respond(to request: Request) async throws -> HTTPResponse? {
    guard let match = match(request) else { return nil }
    if match.latencyNanoseconds > 0 { try await Task.sleep(nanoseconds: UInt64(match.latencyNanoseconds)) }
    try Task.checkCancellation()
    switch await match.response(next: nil) {
    case .response(let response):
      return request.method == .head ? HTTPResponse(head: response.head) : response
    case .stream(let head, let stream): return try await HTTPResponse(head: head, body: stream.collected())
    case .passthrough: return nil
    }
  }

  /// The response of a handler that is not async, without the route's latency; `nil` if no route matches, or
  /// if the handler passes the request on or streams.
  public func respond(to request: HTTPRequest) throws -> HTTPResponse? {
    guard let match = match(Request(http: request), at: .server) else { return nil }
    guard case .response(let response) = match.response() else { return nil }
    return response
  }
}
