internal import Synchronization
public import TapedeckHTTP

/// Routes under a base URL, and who answers them.
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
  /// As it was given.
  public let baseURL: String
  let base: BaseURL
  private let state = Mutex(State())
  /// How many routes there are, to be looked at without waiting.
  private let routeCount = Atomic<Int>(0)

  private struct State {
    var routes: [Int: RegisteredRoute] = [:]
    var numbers: [RouteIdentity: Int] = [:]
    /// What a route took the place of, by its number.
    var replaced: [Int: RegisteredRoute] = [:]
    var nextNumber = 0
    var settings = RouterSettings()
    var generator = SplitMix64(state: 0)
    var table: RouteTable?
  }

  /// A router for everything below `baseURL`: `http://api.test.com/v1`, `test.com` for any scheme and subdomain,
  /// `localhost:8080`, or nothing for all there is. In the proxy only its path counts: there the client asks us.
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

  /// How long each answer takes: before the handler runs. A route's own latency goes before it.
  public var latency: Latency {
    get { state.withLock { $0.settings.latency ?? .zero } }
    set { change { $0.settings.latency = newValue } }
  }

  /// The status of an answer whose handler returned nil. Kakapo's is 200; 404 suits handlers that look something up.
  public var nilStatusCode: Int {
    get { state.withLock { $0.settings.nilStatusCode } }
    set { change { $0.settings.nilStatusCode = newValue } }
  }

  public var isPathCaseSensitive: Bool {
    get { state.withLock { $0.settings.isPathCaseSensitive } }
    set { change { $0.settings.isPathCaseSensitive = newValue } }
  }

  /// How values are written for which JSON has no word, and how the JSON looks.
  public var format: SerializationFormat {
    get { state.withLock { $0.settings.format } }
    set { change { $0.settings.format = newValue } }
  }

  func changeSettings(_ body: (inout RouterSettings) -> Void) { change { body(&$0.settings) } }

  // MARK: Registration

  /// Registers a route whose path is not known to be one. The verbs, like `get`, are for those that are.
  /// - Parameter method: nil for any.
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

  /// Puts a route in; the one that it takes the place of waits for its return.
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

  /// A route that is registered over and over would keep all of its past.
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

  /// Puts back what a route took the place of, unless something else is there now.
  private static func reinstate(_ replaced: RegisteredRoute?, in state: inout State) {
    guard let replaced, let identity = replaced.identity, state.numbers[identity] == nil else { return }
    insert(replaced, into: &state)
  }

  /// Alters a route. When it is no longer what it was, what it took the place of is back beside it.
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

  /// Removes the routes of a method and path, those with predicates and header constraints included; how many.
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

  /// Removes every route. Settings stay.
  public func removeAll() {
    change { state in
      state.routes = [:]
      state.numbers = [:]
      state.replaced = [:]
    }
  }

  /// Runs `body` with the routes that it registers, alters and removes; then those of before are back.
  public func withOverrides<Result>(_ body: () throws -> Result) rethrows -> Result {
    let saved = snapshot
    defer { restore(saved) }
    return try body()
  }

  /// Runs `body` with the routes that it registers, alters and removes; then those of before are back.
  public func withOverrides<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let saved = snapshot
    defer { restore(saved) }
    return try await body()
  }

  /// The routes and settings of a moment.
  public struct Snapshot: Sendable {
    fileprivate let routes: [Int: RegisteredRoute]
    fileprivate let numbers: [RouteIdentity: Int]
    fileprivate let replaced: [Int: RegisteredRoute]
    fileprivate let settings: RouterSettings
  }

  public var snapshot: Snapshot {
    state.withLock { state in
      Snapshot(
        routes: state.routes, numbers: state.numbers, replaced: state.replaced, settings: state.settings)
    }
  }

  /// Goes back to the routes and settings of a moment.
  public func restore(_ snapshot: Snapshot) {
    change { state in
      state.routes = snapshot.routes
      state.numbers = snapshot.numbers
      state.replaced = snapshot.replaced
      state.settings = snapshot.settings
    }
  }

  // MARK: Looking

  public var isEmpty: Bool { routeCount.load(ordering: .acquiring) == 0 }

  /// How many routes there are.
  public var count: Int { routeCount.load(ordering: .acquiring) }

  /// The routes, like `GET /users/:id`, in the order they were registered.
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

  /// A time out of a latency's range; the same ones in the same order in every run.
  func nanoseconds(of latency: Latency) -> Int64 {
    if latency.isZero { return 0 }
    return state.withLock { latency.nanoseconds(using: &$0.generator) }
  }
}
