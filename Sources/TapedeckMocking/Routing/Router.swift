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
/// Of the routes that match a request, the most specific one is asked: at the first difference of their paths a literal
/// goes before a wildcard and a wildcard before a catch-all, whatever the order of registration. For the same path, one
/// for the request's method goes before one for any, one that constrains the query before one that does not, then one
/// that constrains header fields; among equals the one registered last.
///
/// Safe to use from any thread; no lock is held while handlers and predicates run.
public final class Router: Sendable {
  /// The base URL as it was given.
  public let baseURL: String
  let base: BaseURL
  private let state = Mutex(State())
  /// How many routes there are, readable without the lock.
  private let routeCount = Atomic<Int>(0)

  private struct State {
    var routes: [Int: RegisteredRoute] = [:]
    var numbers: [RegisteredRoute.Identity: Int] = [:]
    /// The route that a route replaced, by the number of the latter.
    var replaced: [Int: RegisteredRoute] = [:]
    var nextNumber = 0
    var settings = RouterSettings()
    var generator = SplitMix64(state: 0)
    var table: RouteTable?
  }

  /// Creates a router for everything below `baseURL`: `http://api.test.com/v1`, `test.com` for any scheme and subdomain,
  /// `localhost:8080`, or the empty string for everything. In the proxy only its path counts.
  public init(_ baseURL: String = "") {
    self.baseURL = baseURL
    base = BaseURL(baseURL)
  }

  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      let result = body(&state)
      state.table = nil
      routeCount.store(state.routes.count, ordering: .releasing)
      return result
    }
  }

  // MARK: Settings

  /// How long each request waits before its handler runs. A route's own latency takes precedence.
  public var latency: Latency {
    get { state.withLock { $0.settings.latency ?? .zero } }
    set { change { $0.settings.latency = newValue } }
  }

  /// The status of a response whose handler returned `nil`. 200 as in Kakapo; 404 suits handlers that look something up.
  public var nilStatusCode: Int {
    get { state.withLock { $0.settings.nilStatusCode } }
    set { change { $0.settings.nilStatusCode = newValue } }
  }

  /// Whether the case of a path counts; true unless set.
  public var isPathCaseSensitive: Bool {
    get { state.withLock { $0.settings.isPathCaseSensitive } }
    set { change { $0.settings.isPathCaseSensitive = newValue } }
  }

  /// How dates, data and roots are written, and the style of the JSON.
  public var format: SerializationFormat {
    get { state.withLock { $0.settings.format } }
    set { change { $0.settings.format = newValue } }
  }

  /// Adds a function around the handlers of all of this router's routes; the one added first is the outermost. To have
  /// it around other requests too, register `any("*rest") { $0.continue() }`.
  public func use(_ middleware: @escaping Middleware) { change { $0.settings.middleware.append(middleware) } }

  /// A function around the handlers of a router. It may inspect a request, call `next` with a changed one, respond without
  /// calling `next`, or change the response. `next` throws what the handler throws.
  public typealias Middleware =
    @Sendable (
      _ request: Request, _ next: @escaping @Sendable (Request) async throws -> Response
    ) async throws -> (any Serializable)?

  // MARK: Registration

  /// Registers a route whose path may be invalid. The verbs, like `get`, are for paths that are known to be valid.
  /// - Parameter method: `nil` for any.
  /// - Throws: `PathPatternError` when the path is not a pattern.
  @discardableResult
  public func register(
    _ method: HTTPMethod?, _ path: String, handler: @escaping RouteHandler
  ) throws(PathPatternError) -> Route {
    register(method, try RoutePattern(path), .returning(handler))
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
    change { Self.insert(registered, into: &$0) }
    return Route(router: self, number: number)
  }

  /// Puts a route in and keeps the one that it replaces.
  private static func insert(_ route: RegisteredRoute, into state: inout State) {
    state.routes[route.number] = route
    guard let identity = route.identity else { return }
    if let number = state.numbers[identity], number != route.number {
      state.replaced[route.number] = state.routes.removeValue(forKey: number)
      forgetLongReplaced(behind: route.number, in: &state)
    }
    state.numbers[identity] = route.number
  }

  private static let replacedDepth = 16

  /// Limits what a route keeps that is registered over and over.
  private static func forgetLongReplaced(behind number: Int, in state: inout State) {
    var number = number
    for _ in 0..<replacedDepth {
      guard let replaced = state.replaced[number] else { return }
      number = replaced.number
    }
    state.replaced[number] = nil
  }

  private static func takeOut(_ number: Int, of state: inout State) -> RegisteredRoute? {
    guard let route = state.routes.removeValue(forKey: number) else { return nil }
    if let identity = route.identity, state.numbers[identity] == number { state.numbers[identity] = nil }
    return route
  }

  /// Puts back a replaced route, unless something else is there now.
  private static func reinstate(_ replaced: RegisteredRoute?, in state: inout State) {
    guard let replaced, let identity = replaced.identity, state.numbers[identity] == nil else { return }
    insert(replaced, into: &state)
  }

  /// Alters a route. When that changes its identity, the route it replaced comes back beside it.
  func alter(_ number: Int, _ body: (inout RegisteredRoute) -> Void) {
    change { state in
      guard var route = Self.takeOut(number, of: &state) else { return }
      let replaced = state.replaced.removeValue(forKey: number)
      body(&route)
      if route.identity == replaced?.identity {
        state.replaced[number] = replaced
      } else {
        Self.reinstate(replaced, in: &state)
      }
      Self.insert(route, into: &state)
    }
  }

  // MARK: Removal

  func remove(_ number: Int, restoringReplaced: Bool) -> Bool {
    change { state in
      let replaced = state.replaced.removeValue(forKey: number)
      guard Self.takeOut(number, of: &state) != nil else { return false }
      if restoringReplaced { Self.reinstate(replaced, in: &state) }
      return true
    }
  }

  /// Removes the routes of a method and path, including those with predicates and header constraints.
  /// - Returns: how many there were.
  @discardableResult
  public func remove(_ method: HTTPMethod?, _ path: String) -> Int {
    guard let shape = try? RoutePattern(path).shape else { return 0 }
    return change { state in
      let numbers = state.routes.values.filter { $0.method == method && $0.pattern.shape == shape }.map(
        \.number)
      for number in numbers {
        _ = Self.takeOut(number, of: &state)
        state.replaced[number] = nil
      }
      return numbers.count
    }
  }

  /// Removes every route; settings stay.
  public func removeAll() {
    change { state in
      state.routes = [:]
      state.numbers = [:]
      state.replaced = [:]
    }
  }

  /// Runs `body`, then goes back to the routes and settings of before.
  public func withOverrides<Result>(_ body: () throws -> Result) rethrows -> Result {
    let saved = snapshot
    defer { restore(saved) }
    return try body()
  }

  /// Runs `body`, then goes back to the routes and settings of before.
  public func withOverrides<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let saved = snapshot
    defer { restore(saved) }
    return try await body()
  }

  /// The routes and settings of a router at one moment.
  public struct Snapshot: Sendable {
    fileprivate let routes: [Int: RegisteredRoute]
    fileprivate let numbers: [RegisteredRoute.Identity: Int]
    fileprivate let replaced: [Int: RegisteredRoute]
    fileprivate let settings: RouterSettings
  }

  /// The routes and settings as they are now.
  public var snapshot: Snapshot {
    state.withLock { state in
      Snapshot(
        routes: state.routes, numbers: state.numbers, replaced: state.replaced, settings: state.settings)
    }
  }

  /// Goes back to the routes and settings of a snapshot.
  public func restore(_ snapshot: Snapshot) {
    change { state in
      state.routes = snapshot.routes
      state.numbers = snapshot.numbers
      state.replaced = snapshot.replaced
      state.settings = snapshot.settings
    }
  }

  // MARK: Inspection

  /// Whether there is no route.
  public var isEmpty: Bool { routeCount.load(ordering: .acquiring) == 0 }

  /// How many routes there are.
  public var count: Int { routeCount.load(ordering: .acquiring) }

  /// The routes, like `GET /users/:id`, in the order of registration.
  public var routes: [String] {
    state.withLock { $0.routes.values.sorted { $0.number < $1.number }.map(\.description) }
  }

  var table: RouteTable {
    state.withLock { state in
      if let table = state.table { return table }
      let table = RouteTable(Array(state.routes.values), settings: state.settings)
      state.table = table
      return table
    }
  }

  /// A time out of a latency's range; every run draws the same ones in the same order.
  func nanoseconds(of latency: Latency) -> Int64 {
    if latency.isZero { return 0 }
    return state.withLock { latency.nanoseconds(using: &$0.generator) }
  }
}

/// What holds for all routes of a router.
struct RouterSettings: Sendable {
  var latency: Latency?
  var nilStatusCode = 200
  var isPathCaseSensitive = true
  var format = SerializationFormat()
  /// The first one is the outermost.
  var middleware: [Router.Middleware] = []
}

// MARK: - All routers

private let commonLatency = Mutex<(usual: Latency, forced: Latency?)>((.zero, nil))

extension Router {
  /// The latency of all routers that have none of their own.
  public static var defaultLatency: Latency {
    get { commonLatency.withLock { $0.usual } }
    set { commonLatency.withLock { $0.usual = newValue } }
  }

  /// The latency of everything, whatever routers and routes say; a test suite may set it to zero. `nil` for none.
  public static var forcedLatency: Latency? {
    get { commonLatency.withLock { $0.forced } }
    set { commonLatency.withLock { $0.forced = newValue } }
  }
}
