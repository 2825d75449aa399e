internal import Synchronization

/// Routers side by side, each for its base. The first one registered that has a route for a request takes it; several
/// routers may share a base.
///
/// Registries do not see one another, so tests with a registry each can run in parallel.
public final class RouterRegistry: Sendable {
  /// The registry behind `Router.register`.
  public static let shared = RouterRegistry()

  private let registered = Mutex<[Router]>([])

  /// Creates an empty registry.
  public init() {}

  /// The routers in the order in which they are asked.
  public var routers: [Router] { registered.withLock { $0 } }

  /// Creates a router for a base URL and adds it.
  /// - Parameter overriding: whether it is asked before those that are here.
  @discardableResult
  public func register(_ baseURL: String, overriding: Bool = false) -> Router {
    let router = Router(baseURL)
    add(router, overriding: overriding)
    return router
  }

  /// Adds a router.
  /// - Parameter overriding: whether it is asked before those that are here.
  public func add(_ router: Router, overriding: Bool = false) {
    registered.withLock { routers in
      routers.insert(router, at: overriding ? routers.startIndex : routers.endIndex)
    }
  }

  /// Removes all routers with this base, as it was written. Requests that they have taken are still served.
  /// - Returns: how many there were.
  @discardableResult
  public func unregister(_ baseURL: String) -> Int {
    let removed = registered.withLock { routers in
      let removed = routers.filter { $0.baseURL == baseURL }
      routers.removeAll { $0.baseURL == baseURL }
      return removed
    }
    return removed.count
  }

  /// Removes all routers.
  public func unregisterAll() {
    // Released outside the lock, because handlers may hold objects whose deinit does something.
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
    routers.lazy.compactMap { $0.match(request, at: door) }.first
  }
}
