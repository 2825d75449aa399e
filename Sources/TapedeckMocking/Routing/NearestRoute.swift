internal import TapedeckHTTP

extension [Router] {
  /// The routes nearest to a request that no route matches, as text for people; the nearest first.
  package func nearestRoutes(to request: Request, count: Int = 3) -> [String] {
    let routes = flatMap { router in router.table.routes.map { router.nearness(of: $0, to: request) } }
    let sorted = routes.sorted { ($1.score, $0.description) < ($0.score, $1.description) }
    return sorted.prefix(count).map(\.description)
  }
}

extension Router {
  /// How near a route is to a request that it does not match; the larger the score, the nearer.
  fileprivate func nearness(
    of route: RegisteredRoute, to request: Request
  ) -> (score: Int, description: String) {
    let url = URLText(request.url)
    let isBelow = base.covers(url)
    let isOurs = isBelow && route.pattern.origin?.covers(url) != false
    let isMethod = route.method == nil || route.method == request.method
    let path = PathSegments(request.http.path)
    let wanted = base.segments.map { PathPattern.Segment.literal($0) } + route.pattern.segments
    let fits = PathTree([wanted]).offer(path) { _ in true }
    let score =
      (isOurs ? 4 : 0) + (isMethod ? 1 : 0)
      + 2 * zip(path.keys, wanted).count { $1.takes($0) } - abs(path.keys.count - wanted.count)
    let differences = [
      isOurs ? nil : isBelow ? "its host is another" : "its base is another",
      fits ? nil : "its path is another",
      isMethod ? nil : "its method is another",
    ].compactMap { $0 }
    let reason =
      differences.isEmpty
      ? "its query, header fields or predicate want more" : differences.joined(separator: ", ")
    let below = baseURL.isEmpty ? "" : " below \(baseURL)"
    return (score, "\(route.description)\(below) (\(reason))")
  }
}

extension PathPattern.Segment {
  fileprivate func takes(_ piece: ArraySlice<UInt8>) -> Bool {
    if case .literal(let bytes) = self { piece.elementsEqual(bytes) } else { true }
  }
}

extension Request {
  package static func refusal(_ request: String, nearest: [String]) -> String {
    let nearest =
      nearest.isEmpty ? "No route is registered here." : "Nearest: \(nearest.joined(separator: "; "))."
    return "No route takes \(request). \(nearest)"
  }
}
