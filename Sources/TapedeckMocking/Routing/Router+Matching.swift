internal import TapedeckHTTP

/// Where a request came in.
package enum RouterDoor: Sendable {
  /// By its whole URL, as a client of the real thing asks it.
  case url
  /// At a server of ours, so that the host is ours, and of a router's base only the path counts.
  case server
}

extension Router {
  /// Whether some route takes the request. Handlers do not run, and one-shot routes stay.
  package func handles(_ request: Request, at door: RouterDoor = .url) -> Bool {
    candidate(for: request, at: door) { $0.uses?.isSpent != true } != nil
  }

  /// The route that takes the request, and with it one of its uses; its handler has not run yet.
  package func match(_ request: Request, at door: RouterDoor = .url) -> RouteMatch? {
    candidate(for: request, at: door) { $0.uses?.take() != false }
  }

  private func candidate(
    for request: Request, at door: RouterDoor, _ claims: (RegisteredRoute) -> Bool
  ) -> RouteMatch? {
    guard !isEmpty else { return nil }
    if door == .url, !base.covers(URLText(request.url)) { return nil }
    let table = table
    let foldsCase = !table.settings.isPathCaseSensitive
    let path = PathSegments(request.http.path, foldsCase: foldsCase)
    guard base.beginsPath(path, foldsCase: foldsCase) else { return nil }
    let start = base.segments.count
    return table.first(for: path, from: start) { route in
      guard let matched = matched(route, request, path, start), claims(route) else { return nil }
      return RouteMatch(
        route: route, request: matched, settings: table.settings, nanoseconds: latency(of: route, table))
    }
  }

  /// The request with what the route's wildcards caught; nil when the route is not for it.
  private func matched(
    _ route: RegisteredRoute, _ request: Request, _ path: PathSegments, _ start: Int
  ) -> Request? {
    guard route.method == nil || route.method == request.method else { return nil }
    var request = request
    request.catchComponents(of: route.pattern, in: path, from: start)
    if !route.pattern.query.isEmpty {
      guard let caught = route.pattern.matchQuery(request.queryParameters) else { return nil }
      request.components.merge(caught) { $1 }
    }
    guard route.acceptsHeaders(request.http.fields) else { return nil }
    for predicate in route.predicates where !predicate(request) { return nil }
    return request
  }

  private func latency(of route: RegisteredRoute, _ table: RouteTable) -> Int64 {
    nanoseconds(
      of: LatencyOverride.forced ?? route.latency ?? table.settings.latency ?? LatencyOverride.general)
  }
}

extension Request {
  fileprivate mutating func catchComponents(of pattern: RoutePattern, in path: PathSegments, from start: Int)
  {
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
