public import FoundationNetworking
internal import Synchronization
public import TapedeckMocking

/// What requests of `URLSession` meet: routers, and what becomes of a request that none of them takes.
///
/// `Router.register` speaks to `Interception.current`, which is the one all share unless a test has its own:
///
/// ```swift
/// try await Interception().run {
///   Router.register("http://www.test.com").get("/users") { _ in ["id": 2] }
///   let (data, _) = try await URLSession.shared.data(from: url)
/// }
/// ```
///
/// Inside `run`, `URLSession.shared` sees the routers of that interception and no others, in whatever tasks are started
/// there. A session of one's own is tied to an interception by its configuration, and stays so on every thread.
public final class Interception: Sendable {
  /// The one behind `Router.register` where no other is in force.
  public static let shared = Interception(routers: .shared)

  /// The one in force here: that of the innermost `run`, else the one all share.
  public static var current: Interception { scope?.interception ?? shared }

  @TaskLocal static var scope: InterceptionScope?

  public let routers: RouterRegistry
  private let state = Mutex(State())

  private struct State {
    var unmatched = UnmatchedPolicy.passThrough
    var isRecording = false
    var exchanges: [InterceptedExchange] = []
    var log: (@Sendable (InterceptedExchange) -> Void)?
  }

  /// - Parameter unmatched: what becomes of requests that no route takes.
  public convenience init(unmatched: UnmatchedPolicy = .passThrough) {
    self.init(routers: RouterRegistry())
    self.unmatched = unmatched
  }

  private init(routers: RouterRegistry) { self.routers = routers }

  // MARK: Routers

  /// Makes a router for a base URL and intercepts its requests.
  /// - Parameter overriding: whether it is asked before those that are here.
  @discardableResult
  public func register(_ baseURL: String, overriding: Bool = false) -> Router {
    Server.enable()
    return routers.register(baseURL, overriding: overriding)
  }

  /// Intercepts the requests that the router has routes for.
  public func add(_ router: Router, overriding: Bool = false) {
    Server.enable()
    routers.add(router, overriding: overriding)
  }

  // MARK: Where it holds

  /// Runs `body` with this interception in force, for `URLSession.shared`, `Router.register` and every session that was
  /// given to `intercept`.
  public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try entered { scope in try Self.$scope.withValue(scope, operation: body) }
  }

  /// Runs `body` with this interception in force.
  public func run<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let scope = InterceptionScope.enter(self)
    defer { scope.leave() }
    return try await Self.$scope.withValue(scope, operation: body, isolation: isolation)
  }

  /// Runs a handler, for which this interception is in force, too.
  func runHandler<Result>(_ body: () throws -> Result) rethrows -> Result {
    self === Interception.shared ? try body() : try run(body)
  }

  /// Runs a handler that waits.
  func runHandler<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    self === Interception.shared ? try await body() : try await run(body)
  }

  private func entered<Result>(_ body: (InterceptionScope) throws -> Result) rethrows -> Result {
    let scope = InterceptionScope.enter(self)
    defer { scope.leave() }
    return try body(scope)
  }

  /// Makes sessions with this configuration meet this interception and no other, whichever one is in force.
  public func intercept(_ configuration: URLSessionConfiguration) {
    configuration.protocolClasses =
      [SessionServers.makeClass(for: self)]
      + (configuration.protocolClasses ?? []).filter { !($0 is Server.Type) }
  }

  /// A new configuration whose sessions meet this interception and no other.
  public var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    intercept(configuration)
    return configuration
  }

  // MARK: What no route takes

  /// What becomes of requests that no route takes. Other than `.passThrough`, it holds without any router, too.
  public var unmatched: UnmatchedPolicy {
    get { state.withLock { $0.unmatched } }
    set {
      Server.enable()
      state.withLock { $0.unmatched = newValue }
    }
  }

  /// Whether the request is ours to answer.
  func takes(_ request: URLRequest) -> Bool {
    guard let request = Request(request, body: []) else { return false }
    return isOfTheWeb(request) && seesEverything || routers.handles(request)
  }

  /// Requests of other kinds, like files, are only taken by routes that name them.
  private func isOfTheWeb(_ request: Request) -> Bool {
    request.scheme == "http" || request.scheme == "https"
  }

  private var seesEverything: Bool {
    state.withLock { state in
      if state.isRecording || state.log != nil { return true }
      if case .passThrough = state.unmatched { return false }
      return true
    }
  }

  // MARK: Looking

  /// Whether exchanges are kept, those with the real network included.
  public var isRecording: Bool {
    get { state.withLock { $0.isRecording } }
    set { state.withLock { $0.isRecording = newValue } }
  }

  /// What was asked while `isRecording`, in the order of the answers.
  public var exchanges: [InterceptedExchange] { state.withLock { $0.exchanges } }

  /// Told of every exchange, those with the real network included; nil for silence.
  public var log: (@Sendable (InterceptedExchange) -> Void)? {
    get { state.withLock { $0.log } }
    set { state.withLock { $0.log = newValue } }
  }

  func note(_ exchange: InterceptedExchange) {
    let log = state.withLock { state in
      if state.isRecording { state.exchanges.append(exchange) }
      return state.log
    }
    log?(exchange)
  }
}
