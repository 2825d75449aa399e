internal import TapedeckHTTP

/// A route that did not take a request, and how far from it it is.
struct NearestRoute {
  /// The larger, the nearer.
  let score: Int
  let description: String

  init(_ route: RegisteredRoute, of router: Router, to request: Request) {
    let isOurs = router.base.covers(URLText(request.url))
    let isMethod = route.method == nil || route.method == request.method
    let path = PathSegments(request.http.path).keys
    let wanted = router.base.segments.map { PathPattern.Segment.literal($0) } + route.pattern.segments
    let fits = Self.fits(path, wanted)
    score =
      (isOurs ? 4 : 0) + (isMethod ? 1 : 0)
      + 2 * zip(path, wanted).count { $1.takes($0) } - abs(path.count - wanted.count)
    let differences = [
      isOurs ? nil : "its base is another", fits ? nil : "its path is another",
      isMethod ? nil : "its method is another",
    ].compactMap { $0 }
    let reason =
      differences.isEmpty
      ? "its query, header fields or predicate want more" : differences.joined(separator: ", ")
    let base = router.baseURL.isEmpty ? "" : " below \(router.baseURL)"
    description = "\(route.description)\(base) (\(reason))"
  }

  private static func fits(_ path: [ArraySlice<UInt8>], _ wanted: [PathPattern.Segment]) -> Bool {
    let takesRest = if case .rest? = wanted.last { true } else { false }
    guard takesRest ? path.count >= wanted.count - 1 : path.count == wanted.count else { return false }
    return zip(path, wanted).allSatisfy { $1.takes($0) }
  }
}

extension PathPattern.Segment {
  fileprivate func takes(_ piece: ArraySlice<UInt8>) -> Bool {
    if case .literal(let bytes) = self { piece.elementsEqual(bytes) } else { true }
  }
}

extension RouterRegistry {
  /// The routes that come nearest to a request which none of them takes, for people to read; the nearest one first.
  package func nearestRoutes(to request: Request, count: Int = 3) -> [String] {
    routers.nearestRoutes(to: request, count: count)
  }
}

extension [Router] {
  /// The same of some routers.
  package func nearestRoutes(to request: Request, count: Int = 3) -> [String] {
    let routes = flatMap { router in router.table.routes.map { NearestRoute($0, of: router, to: request) } }
    let sorted = routes.sorted { ($1.score, $0.description) < ($0.score, $1.description) }
    return sorted.prefix(count).map(\.description)
  }
}

/// What is said of a request that no route takes, wherever routes answer.
package enum RouteRefusal {
  package static func text(_ request: String, nearest: [String]) -> String {
    let nearest =
      nearest.isEmpty ? "No route is registered here." : "Nearest: \(nearest.joined(separator: "; "))."
    return "No route takes \(request). \(nearest)"
  }
}
