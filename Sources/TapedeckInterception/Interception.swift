public import Foundation
public import FoundationNetworking
internal import Synchronization
public import TapedeckMocking

/// Routers for the requests of `URLSession`, and the policy for requests that no route matches.
///
/// `Router.register` uses `Interception.current`, which is the shared one unless a test has its own:
///
/// ```swift
/// try await Interception().run {
///   Router.register("http://www.test.com").get("/users") { _ in ["id": 2] }
///   let (data, _) = try await URLSession.shared.data(from: url)
/// }
/// ```
///
/// Inside `run`, and in all tasks started there, `URLSession.shared` sees only the routers of that
/// interception. Any other session is tied to an interception by its configuration.
public final class Interception: Sendable {
  /// The interception that is current outside of any `run`.
  public static let shared = Interception(routers: .shared)

  /// The interception of the innermost `run`, or else the shared one.
  public static var current: Interception { scope?.interception ?? shared }

  @TaskLocal static var scope: InterceptionScope?

  /// The routers, each for its base URL.
  public let routers: RouterRegistry
  private let state = Mutex(State())

  private struct State {
    var unmatched = UnmatchedPolicy.passThrough
    var isRecording = false
    var exchanges: [InterceptedExchange] = []
    var log: (@Sendable (InterceptedExchange) -> Void)?
  }

  /// Creates an interception without routers.
  /// - Parameter unmatched: the policy for requests that no route matches.
  public convenience init(unmatched: UnmatchedPolicy = .passThrough) {
    self.init(routers: RouterRegistry())
    self.unmatched = unmatched
  }

  private init(routers: RouterRegistry) { self.routers = routers }

  // MARK: Routers

  /// Creates a router for a base URL and intercepts its requests.
  /// - Parameter overriding: whether it is tried before the routers already registered.
  @discardableResult
  public func register(_ baseURL: String, overriding: Bool = false) -> Router {
    Server.enable()
    return routers.register(baseURL, overriding: overriding)
  }

  /// Intercepts the requests that the router has routes for.
  /// - Parameter overriding: whether it is tried before the routers already registered.
  public func add(_ router: Router, overriding: Bool = false) {
    Server.enable()
    routers.add(router, overriding: overriding)
  }

  // MARK: Scope

  /// Runs `body` with this interception as the current one, also for `URLSession.shared`.
  public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    let scope = InterceptionScope.enter(self)
    defer { scope.leave() }
    return try Self.$scope.withValue(scope, operation: body)
  }

  /// Runs `body` with this interception as the current one, also for `URLSession.shared`.
  public func run<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let scope = InterceptionScope.enter(self)
    defer { scope.leave() }
    return try await Self.$scope.withValue(scope, operation: body, isolation: isolation)
  }

  func runHandler<Result>(_ body: () throws -> Result) rethrows -> Result {
    self === Interception.shared ? try body() : try run(body)
  }

  func runHandler<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    self === Interception.shared ? try await body() : try await run(body)
  }

  /// Ties the sessions of a configuration to this interception, whichever one is current.
  public func intercept(_ configuration: URLSessionConfiguration) {
    configuration.protocolClasses =
      [makeServerClass()]
      + (configuration.protocolClasses ?? []).filter { !($0 is Server.Type) }
  }

  /// A new ephemeral configuration whose sessions are tied to this interception.
  public var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    intercept(configuration)
    return configuration
  }

  // MARK: Unmatched requests

  /// The policy for requests that no route matches; except for `.passThrough`, it needs no router.
  public var unmatched: UnmatchedPolicy {
    get { state.withLock { $0.unmatched } }
    set {
      Server.enable()
      state.withLock { $0.unmatched = newValue }
    }
  }

  func takes(_ request: URLRequest) -> Bool {
    guard let request = Request(request, body: []) else { return false }
    // Other schemes, like `file`, are intercepted only by routes that name them.
    let isHTTP = request.scheme == "http" || request.scheme == "https"
    return isHTTP && seesEverything || routers.handles(request)
  }

  private var seesEverything: Bool {
    state.withLock { state in
      if state.isRecording || state.log != nil { return true }
      if case .passThrough = state.unmatched { return false }
      return true
    }
  }

  // MARK: Observation

  /// Whether `exchanges` are kept, including those with the real network.
  public var isRecording: Bool {
    get { state.withLock { $0.isRecording } }
    set { state.withLock { $0.isRecording = newValue } }
  }

  /// The exchanges kept while `isRecording`, in the order of their responses.
  public var exchanges: [InterceptedExchange] { state.withLock { $0.exchanges } }

  /// Called with every exchange, including those with the real network.
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

// MARK: - Kakapo's facade

extension Router {
  /// Creates a router in `Interception.current` and intercepts its requests: those of `URLSession.shared`,
  /// and of sessions with `Server` among the `protocolClasses` of their configuration.
  @discardableResult
  public static func register(_ baseURL: String) -> Router { Interception.current.register(baseURL) }

  /// Removes all routers whose base URL is spelled like this. Requests already matched are still served.
  public static func unregister(_ baseURL: String) { Interception.current.routers.unregister(baseURL) }

  /// Removes all routers and keeps the policy for unmatched requests.
  public static func disableAll() { Interception.current.routers.unregisterAll() }
}

/// The policy for a request that no route matches.
public indirect enum UnmatchedPolicy: Sendable {
  /// Sends it to the real network, as if nothing were intercepted.
  case passThrough
  /// Fails it with an error that names the nearest routes, without using the network.
  case fail
  /// Responds; an empty body is replaced by a text that names the request and the nearest routes.
  case respond(Response)
  /// Lets a closure decide, for exceptions by host or path, or to record a test failure.
  case decide(@Sendable (UnmatchedRequest) -> UnmatchedPolicy)

  /// A 404 that names the request and the nearest routes.
  public static let notFound = UnmatchedPolicy.respond(Response(statusCode: 404))
}

/// A request that no route matches, and the nearest routes.
public struct UnmatchedRequest: Sendable, CustomStringConvertible {
  /// The request.
  public let request: Request
  /// The nearest routes, the nearest first, each with its differences.
  public let nearestRoutes: [String]

  public var description: String {
    Request.refusal("\(request.method) \(request.url)", nearest: nearestRoutes)
  }
}

/// A request of `URLSession` and its outcome.
public struct InterceptedExchange: Sendable {
  /// The source of a response.
  public enum Source: Sendable, Equatable {
    /// A route, like `GET /users/:id`.
    case route(String)
    /// The real network.
    case network
    /// No route matched the request, and the policy did not use the network.
    case unmatched
  }

  /// The outcome of an exchange.
  public enum Outcome: Sendable {
    /// A response with this status.
    case status(Int)
    /// An error.
    case failure(URLError)
  }

  /// The request.
  public let request: Request
  /// The source of the response.
  public let source: Source
  /// The outcome.
  public let outcome: Outcome

  /// The status; `nil` for a failure.
  public var statusCode: Int? {
    if case .status(let status) = outcome { status } else { nil }
  }
}

extension InterceptedExchange: CustomStringConvertible {
  public var description: String {
    let responder =
      switch source {
      case .route(let route): "route \(route)"
      case .network: "network"
      case .unmatched: "unmatched"
      }
    let result =
      switch outcome {
      case .status(let status): "\(status)"
      case .failure(let error): "failed: \(error.localizedDescription)"
      }
    return "\(request.method) \(request.url) → \(result) (\(responder))"
  }
}
