public import Foundation
public import FoundationNetworking
internal import Synchronization
public import TapedeckMocking

/// Routers for the requests of `URLSession`, and the policy for requests that none of them takes.
///
/// `Router.register` uses `Interception.current`, the shared one unless a test has its own:
///
/// ```swift
/// try await Interception().run {
///   Router.register("http://www.test.com").get("/users") { _ in ["id": 2] }
///   let (data, _) = try await URLSession.shared.data(from: url)
/// }
/// ```
///
/// Inside `run`, `URLSession.shared` sees the routers of that interception and no others, in all tasks that are started
/// there. Any other session is tied to an interception by its configuration.
public final class Interception: Sendable {
  /// The interception behind `Router.register` where no other is in force.
  public static let shared = Interception(routers: .shared)

  /// The interception in force here: that of the innermost `run`, else the shared one.
  public static var current: Interception { scope?.interception ?? shared }

  @TaskLocal static var scope: InterceptionScope?

  /// The routers.
  public let routers: RouterRegistry
  private let state = Mutex(State())

  private struct State {
    var unmatched = UnmatchedPolicy.passThrough
    var isRecording = false
    var exchanges: [InterceptedExchange] = []
    var log: (@Sendable (InterceptedExchange) -> Void)?
  }

  /// Creates an interception without routers.
  /// - Parameter unmatched: the policy for requests that no route takes.
  public convenience init(unmatched: UnmatchedPolicy = .passThrough) {
    self.init(routers: RouterRegistry())
    self.unmatched = unmatched
  }

  private init(routers: RouterRegistry) { self.routers = routers }

  // MARK: Routers

  /// Creates a router for a base URL and intercepts its requests.
  /// - Parameter overriding: whether it is asked before those that are here.
  @discardableResult
  public func register(_ baseURL: String, overriding: Bool = false) -> Router {
    Server.enable()
    return routers.register(baseURL, overriding: overriding)
  }

  /// Intercepts the requests that the router has routes for.
  /// - Parameter overriding: whether it is asked before those that are here.
  public func add(_ router: Router, overriding: Bool = false) {
    Server.enable()
    routers.add(router, overriding: overriding)
  }

  // MARK: Scope

  /// Runs `body` with this interception in force for `URLSession.shared` and `Router.register`.
  public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    let scope = InterceptionScope.enter(self)
    defer { scope.leave() }
    return try Self.$scope.withValue(scope, operation: body)
  }

  /// Runs `body` with this interception in force for `URLSession.shared` and `Router.register`.
  public func run<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let scope = InterceptionScope.enter(self)
    defer { scope.leave() }
    return try await Self.$scope.withValue(scope, operation: body, isolation: isolation)
  }

  /// Runs a handler with this interception in force.
  func runHandler<Result>(_ body: () throws -> Result) rethrows -> Result {
    self === Interception.shared ? try body() : try run(body)
  }

  /// Runs an async handler with this interception in force.
  func runHandler<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    self === Interception.shared ? try await body() : try await run(body)
  }

  /// Ties the sessions of a configuration to this interception, whichever one is in force.
  public func intercept(_ configuration: URLSessionConfiguration) {
    configuration.protocolClasses =
      [SessionServers.makeClass(for: self)]
      + (configuration.protocolClasses ?? []).filter { !($0 is Server.Type) }
  }

  /// A new ephemeral configuration whose sessions are tied to this interception.
  public var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    intercept(configuration)
    return configuration
  }

  // MARK: Unmatched requests

  /// The policy for requests that no route takes. It holds without any router, too, unless it is `.passThrough`.
  public var unmatched: UnmatchedPolicy {
    get { state.withLock { $0.unmatched } }
    set {
      Server.enable()
      state.withLock { $0.unmatched = newValue }
    }
  }

  /// Whether the request is intercepted.
  func takes(_ request: URLRequest) -> Bool {
    guard let request = Request(request, body: []) else { return false }
    // Requests of other schemes, like `file`, are only taken by routes that name them.
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

  /// The exchanges while `isRecording`, in the order of the responses.
  public var exchanges: [InterceptedExchange] { state.withLock { $0.exchanges } }

  /// Called with every exchange, including those with the real network; `nil` for none.
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
  /// Creates a router in `Interception.current` and intercepts its requests: those of `URLSession.shared` and of sessions
  /// with `Server` among the `protocolClasses` of their configuration. The router stays until it is unregistered.
  @discardableResult
  public static func register(_ baseURL: String) -> Router { Interception.current.register(baseURL) }

  /// Removes all routers with this base, as it was written. Requests that they have taken are still served.
  public static func unregister(_ baseURL: String) { Interception.current.routers.unregister(baseURL) }

  /// Removes all routers. The policy for unmatched requests stays.
  public static func disableAll() { Interception.current.routers.unregisterAll() }
}

// MARK: - Unmatched requests

/// The policy for a request that no route takes.
public indirect enum UnmatchedPolicy: Sendable {
  /// Sends it to the real network, as if nothing were intercepted.
  case passThrough
  /// Fails it with an error that names the nearest routes, without asking the network.
  case fail
  /// Responds; a response without a body gets one that names the request and the nearest routes.
  case answer(Response)
  /// Lets a closure decide: exceptions by host or path, an assertion, an issue of the test.
  case decide(@Sendable (UnmatchedRequest) -> UnmatchedPolicy)

  /// A 404 that names the request and the nearest routes.
  public static let notFound = UnmatchedPolicy.answer(Response(statusCode: 404))
}

/// A request that no route takes, and the routes that come nearest.
public struct UnmatchedRequest: Sendable, CustomStringConvertible {
  /// The request.
  public let request: Request
  /// The nearest routes, the nearest first, each with what differs.
  public let nearestRoutes: [String]

  /// The request and the nearest routes as one sentence.
  public var description: String {
    Request.refusal("\(request.method) \(request.url)", nearest: nearestRoutes)
  }
}

// MARK: - Exchanges

/// A request of `URLSession` and how it ended.
public struct InterceptedExchange: Sendable {
  /// The source of a response.
  public enum Source: Sendable, Equatable {
    /// A route, like `GET /users/:id`.
    case route(String)
    /// The real network.
    case network
    /// No route took the request, and the policy did not ask the network.
    case unmatched
  }

  /// The end of an exchange.
  public enum Outcome: Sendable {
    /// A response with this status.
    case status(Int)
    /// An error.
    case failure(URLError)
  }

  /// The request.
  public let request: Request
  /// Where the response came from.
  public let source: Source
  /// How it ended.
  public let outcome: Outcome

  /// The status; `nil` for a failure.
  public var statusCode: Int? {
    if case .status(let status) = outcome { status } else { nil }
  }
}

extension InterceptedExchange: CustomStringConvertible {
  /// Method, URL, outcome and source in one line.
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
