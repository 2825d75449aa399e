internal import Synchronization

/// Routers, each for its base URL; the first one with a route for a request handles it. Tests can run in
/// parallel if each has its own registry.
public final class RouterRegistry: Sendable {
  /// The registry behind `Router.register`.
  public static let shared = RouterRegistry()

  private let registered = Mutex<[Router]>([])
  private let last = Mutex<Router?>(nil)

  /// Creates an empty registry.
  public init() {}

  /// The routers in the order in which they are tried.
  public var routers: [Router] { registered.withLock { $0 } }

  /// Tried after all routers, also after those that are added later; stays when they are removed.
  package var fallback: Router? {
    get { last.withLock { $0 } }
    set { last.withLock { $0 = newValue } }
  }

  /// Creates a router for a base URL and adds it.
  /// - Parameter overriding: whether it is tried before the routers already registered.
  @discardableResult
  public func register(_ baseURL: String, overriding: Bool = false) -> Router {
    let router = Router(baseURL)
    add(router, overriding: overriding)
    return router
  }

  /// Adds a router.
  /// - Parameter overriding: whether it is tried before the routers already registered.
  public func add(_ router: Router, overriding: Bool = false) {
    registered.withLock { routers in
      routers.insert(router, at: overriding ? routers.startIndex : routers.endIndex)
    }
  }

  /// Removes all routers whose base URL is spelled like this. Requests already matched are still served.
  /// - Returns: the number of removed routers.
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
    // Released outside the lock, because handlers may hold objects whose deinit runs code.
    _ = registered.withLock { routers in
      let removed = routers
      routers = []
      return removed
    }
  }

  /// Whether a router matches the request. Runs no handler.
  package func handles(_ request: Request, at door: RouterDoor = .url) -> Bool {
    routers.contains { $0.handles(request, at: door) } || fallback?.handles(request, at: door) == true
  }

  package func match(_ request: Request, at door: RouterDoor = .url) -> RouteMatch? {
    routers.lazy.compactMap { $0.match(request, at: door) }.first ?? fallback?.match(request, at: door)
  }
}
