internal import TapedeckHTTP

/// The routes of a router in the order in which they are to be asked, made anew after a change and never altered.
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

  /// The first route for which `accepts` has something, of those whose pattern fits the path from segment `start` on.
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
