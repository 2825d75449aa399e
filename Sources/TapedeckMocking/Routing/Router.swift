internal import Synchronization
public import TapedeckHTTP

/// Routes below a base URL, with their handlers.
///
/// ```swift
/// let router = Router("http://www.test.com")
/// router.get("/users/:id") { request in
///   store.find(User.self, id: request.components["id"]!)
/// }
/// ```
///
/// The most specific route that matches a request responds: at the first difference of their paths, a literal
/// precedes a parameter, and a parameter a wildcard. For the same path, a route for the request's method
/// comes first, then one with a query, then one with header fields; among equals, the last one registered.
///
/// Safe to use from any thread; no lock is held while handlers and predicates run.
public final class Router: Sendable {
  /// The base URL as given.
  public let baseURL: String
  let base: BaseURL
  private let state = Mutex(State())
  /// Readable without the lock.
  private let routeCount = Atomic<Int>(0)

  /// The routes and settings of a router at one moment.
  public struct Snapshot: Sendable {
    fileprivate var routes: [Int: RegisteredRoute] = [:]
    fileprivate var numbers: [[String]: Int] = [:]
    /// The route that each route replaced, by the number of the replacement.
    fileprivate var replaced: [Int: RegisteredRoute] = [:]
    fileprivate var settings = RouterSettings()
  }

  private struct State {
    var current = Snapshot()
    var nextNumber = 0
    var generator = SplitMix64(state: 0)
    var table: RouteTable?
  }

  /// Creates a router for everything below `baseURL`: `http://api.test.com/v1`, `test.com` for any scheme and
  /// subdomain, `localhost:8080`, or the empty string for everything. At the proxy, scheme and host count for clients
  /// that name the origin, as those of a forward proxy do; for others only the path counts.
  public init(_ baseURL: String = "") {
    self.baseURL = baseURL
    base = BaseURL(baseURL)
  }

  private func change<Result: Sendable>(_ body: (inout Snapshot) -> Result) -> Result {
    state.withLock { state in
      let result = body(&state.current)
      state.table = nil
      routeCount.store(state.current.routes.count, ordering: .releasing)
      return result
    }
  }

  // MARK: Settings

  /// The delay of each request before its handler runs. A route's own latency takes precedence.
  public var latency: Latency {
    get { state.withLock { $0.current.settings.latency ?? .zero } }
    set { change { $0.settings.latency = newValue } }
  }

  /// The status of a response whose handler returned `nil`. 200 as in Kakapo; 404 suits lookups.
  public var nilStatusCode: Int {
    get { state.withLock { $0.current.settings.nilStatusCode } }
    set { change { $0.settings.nilStatusCode = newValue } }
  }

  /// Whether paths are case-sensitive; true by default.
  public var isPathCaseSensitive: Bool {
    get { state.withLock { $0.current.settings.isPathCaseSensitive } }
    set { change { $0.settings.isPathCaseSensitive = newValue } }
  }

  /// The format of dates, data and roots, and the style of the JSON.
  public var format: SerializationFormat {
    get { state.withLock { $0.current.settings.format } }
    set { change { $0.settings.format = newValue } }
  }

  /// Adds a function around the handlers of all routes; the first one added is the outermost. To include
  /// other requests, register `any("*rest") { $0.continue() }`.
  public func use(_ middleware: @escaping Middleware) { change { $0.settings.middleware.append(middleware) } }

  /// A function around a router's handlers. It may change the request or the response, or respond itself.
  public typealias Middleware =
    @Sendable (
      _ request: Request, _ next: @escaping @Sendable (Request) async throws -> Response
    ) async throws -> (any Serializable)?

  // MARK: Registration

  /// Registers a route whose path may be invalid; verbs like `get` are for valid paths.
  /// - Parameter method: `nil` for any.
  /// - Throws: `PathPatternError` if the path is not a pattern.
  @discardableResult
  public func register(
    _ method: HTTPMethod?, _ path: String, handler: @escaping RouteHandler
  ) throws(PathPatternError) -> Route {
    register(method, try pattern(path), .returning(handler))
  }

  func pattern(_ text: String, prefix: String = "") throws(PathPatternError) -> RoutePattern {
    let pattern = try RoutePattern(text, prefix: prefix)
    guard pattern.origin == nil || baseURL.isEmpty else { throw .hostInside("\(baseURL) \(text)") }
    return pattern
  }

  func register(
    _ method: HTTPMethod?, _ pattern: RoutePattern, _ handler: RouteHandling,
    _ prepare: (inout RegisteredRoute) -> Void = { _ in }
  ) -> Route {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    var route = RegisteredRoute(number: number, method: method, pattern: pattern, handler: handler)
    prepare(&route)
    let registered = route
    change { $0.insert(registered) }
    return Route(router: self, number: number)
  }

  /// Changes a route. If that changes its identity, the route it replaced is restored.
  func alter(_ number: Int, _ body: (inout RegisteredRoute) -> Void) {
    change { current in
      guard var route = current.takeOut(number) else { return }
      let replaced = current.replaced.removeValue(forKey: number)
      body(&route)
      if route.identity == replaced?.identity {
        current.replaced[number] = replaced
      } else {
        current.reinstate(replaced)
      }
      current.insert(route)
    }
  }

  // MARK: Removal

  func remove(_ number: Int, restoringReplaced: Bool) -> Bool {
    change { current in
      let replaced = current.replaced.removeValue(forKey: number)
      guard current.takeOut(number) != nil else { return false }
      if restoringReplaced { current.reinstate(replaced) }
      return true
    }
  }

  /// Removes the routes of a method and path, including those with predicates and header constraints.
  /// - Returns: the number of removed routes.
  @discardableResult
  public func remove(_ method: HTTPMethod?, _ path: String) -> Int {
    guard let shape = try? RoutePattern(path).shape else { return 0 }
    return change { current in
      let found = current.routes.values.filter { $0.method == method && $0.pattern.shape == shape }
      for route in found {
        _ = current.takeOut(route.number)
        current.replaced[route.number] = nil
      }
      return found.count
    }
  }

  /// Removes every route; settings stay.
  public func removeAll() { change { $0 = Snapshot(settings: $0.settings) } }

  /// Runs `body`, then restores the previous routes and settings.
  public func withOverrides<Result>(_ body: () throws -> Result) rethrows -> Result {
    let saved = snapshot
    defer { restore(saved) }
    return try body()
  }

  /// Runs `body`, then restores the previous routes and settings.
  public func withOverrides<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let saved = snapshot
    defer { restore(saved) }
    return try await body()
  }

  /// The current routes and settings.
  public var snapshot: Snapshot { state.withLock { $0.current } }

  /// Restores the routes and settings of a snapshot.
  public func restore(_ snapshot: Snapshot) { change { $0 = snapshot } }

  // MARK: Inspection

  /// Whether there are no routes.
  public var isEmpty: Bool { routeCount.load(ordering: .acquiring) == 0 }

  /// The number of routes.
  public var count: Int { routeCount.load(ordering: .acquiring) }

  /// The routes, like `GET /users/:id`, in the order of registration.
  public var routes: [String] {
    state.withLock { $0.current.routes.values.sorted { $0.number < $1.number }.map(\.description) }
  }

  package var routeNumbers: [Int] { state.withLock { Array($0.current.routes.keys) } }

  var table: RouteTable {
    state.withLock { state in
      if let table = state.table { return table }
      let table = RouteTable(Array(state.current.routes.values), settings: state.current.settings)
      state.table = table
      return table
    }
  }

  /// A time drawn from a latency's range; every run draws the same times in the same order.
  func nanoseconds(of latency: Latency) -> Int64 {
    if latency.isZero { return 0 }
    return state.withLock { latency.nanoseconds(using: &$0.generator) }
  }
}

extension Router.Snapshot {
  /// Inserts a route and keeps the one that it replaces.
  fileprivate mutating func insert(_ route: RegisteredRoute) {
    routes[route.number] = route
    guard let identity = route.identity else { return }
    if let number = numbers[identity], number != route.number {
      replaced[route.number] = routes.removeValue(forKey: number)
      forgetLongReplaced(behind: route.number)
    }
    numbers[identity] = route.number
  }

  /// Limits the chain of replaced routes to 16, for a route that is registered over and over.
  private mutating func forgetLongReplaced(behind number: Int) {
    var number = number
    for _ in 0..<16 {
      guard let next = replaced[number] else { return }
      number = next.number
    }
    replaced[number] = nil
  }

  fileprivate mutating func takeOut(_ number: Int) -> RegisteredRoute? {
    guard let route = routes.removeValue(forKey: number) else { return nil }
    if let identity = route.identity, numbers[identity] == number { numbers[identity] = nil }
    return route
  }

  /// Restores a replaced route, unless another one has its identity now.
  fileprivate mutating func reinstate(_ replaced: RegisteredRoute?) {
    guard let replaced, let identity = replaced.identity, numbers[identity] == nil else { return }
    insert(replaced)
  }
}

struct RouterSettings: Sendable {
  var latency: Latency?
  var nilStatusCode = 200
  var isPathCaseSensitive = true
  var format = SerializationFormat()
  /// The first one is the outermost.
  var middleware: [Router.Middleware] = []
  /// Whether a response may be the 101 that opens a WebSocket.
  var opensWebSocket = false
}

// MARK: - All routers

private let commonLatency = Mutex<(usual: Latency, forced: Latency?)>((.zero, nil))

extension Router {
  /// The latency of all routers that do not set their own.
  public static var defaultLatency: Latency {
    get { commonLatency.withLock { $0.usual } }
    set { commonLatency.withLock { $0.usual = newValue } }
  }

  /// Overrides every other latency, for example with zero in a test suite; `nil` for none.
  public static var forcedLatency: Latency? {
    get { commonLatency.withLock { $0.forced } }
    set { commonLatency.withLock { $0.forced = newValue } }
  }
}
