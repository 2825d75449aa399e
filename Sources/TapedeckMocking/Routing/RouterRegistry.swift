internal import Synchronization

/// Routers that answer side by side, each for its base. The first one registered that has a route for a request
/// answers it; routers of one base add up.
///
/// What is registered in one registry is not seen in another, so tests that each have their own run side by side.
public final class RouterRegistry: Sendable {
  /// The one behind `Router.register`.
  public static let shared = RouterRegistry()

  private let registered = Mutex<[Router]>([])

  public init() {}

  public var routers: [Router] { registered.withLock { $0 } }

  /// - Parameter overriding: whether the new router is asked before those that are here.
  @discardableResult
  public func register(_ baseURL: String, overriding: Bool = false) -> Router {
    let router = Router(baseURL)
    add(router, overriding: overriding)
    return router
  }

  public func add(_ router: Router, overriding: Bool = false) {
    registered.withLock { routers in
      routers.insert(router, at: overriding ? routers.startIndex : routers.endIndex)
    }
  }

  /// Removes all routers with this base, as it was written; how many. Requests that they have taken they still answer.
  @discardableResult
  public func unregister(_ baseURL: String) -> Int {
    let removed = registered.withLock { routers in
      let removed = routers.filter { $0.baseURL == baseURL }
      routers.removeAll { $0.baseURL == baseURL }
      return removed
    }
    return removed.count
  }

  public func unregisterAll() {
    // Let go of outside the lock: what handlers hold may have something to say when it goes.
    _ = registered.withLock { routers in
      let removed = routers
      routers = []
      return removed
    }
  }

  /// Whether some router takes the request. Handlers do not run.
  package func handles(_ request: Request, at door: RouterDoor = .url) -> Bool {
    routers.contains { $0.handles(request, at: door) }
  }

  /// The route that takes the request; its handler has not run yet.
  package func match(_ request: Request, at door: RouterDoor = .url) -> RouteMatch? {
    for router in routers {
      if let match = router.match(request, at: door) { return match }
    }
    return nil
  }
}
