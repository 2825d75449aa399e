public import TapedeckMocking

/// Kakapo's facade: routers of the interception in force, which is the one all share unless a test has its own.
extension Router {
  /// Makes a router for a base URL and intercepts its requests, those of `URLSession.shared` and of sessions whose
  /// configuration has `Server` among its `protocolClasses`. The router stays until it is unregistered.
  @discardableResult
  public static func register(_ baseURL: String) -> Router { Interception.current.register(baseURL) }

  /// Removes all routers with this base, as it was written. Requests that they have taken they still answer.
  public static func unregister(_ baseURL: String) { Interception.current.routers.unregister(baseURL) }

  /// Removes all routers. What becomes of requests that no route takes, stays as it was said: strict stays strict.
  public static func disableAll() { Interception.current.routers.unregisterAll() }
}
