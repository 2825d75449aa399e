internal import Synchronization
public import TapedeckHTTP
public import TapedeckMocking
internal import TapedeckSockets

/// A mock server for tests: a real HTTP server at a port of this machine, with routes that are data.
///
/// ```swift
/// let feather = Feather(port: 0)
/// app.launchEnvironment["baseUrl"] = feather.baseUrl
/// try feather.startServer(with: [MockRoute(method: .get, endpoint: "user", code: 200, object: User.mock())])
/// …
/// try feather.updateRoute(method: .get, endpoint: "user", object: User.mock(username: "Jane"))
/// feather.pluck()
/// ```
///
/// Its routes can be changed at any time, and from any thread; the next request sees the change. What no route takes is
/// served from the cassette, if there is one, and else gets a 404 that names the request. Source: Feather.
public final class Feather: Sendable {
  private struct State {
    var server: ProxyServer?
    var reservation: PortReservation?
    /// The routes that are data, with their handles.
    var mocks: [(route: MockRoute, registered: Route)] = []
    var takesAll = false
  }

  /// The routes beneath: for handlers in Swift beside those that are data, and for latency.
  public let router = Router()
  /// The host it listens on.
  public let host: String
  private let ports: ClosedRange<Int>
  private let folder: String?
  private let cassette: String?
  private let state: Mutex<State>

  /// - Parameters:
  ///   - port: 0 lets the system choose one, at once: it is in `baseUrl` before the start.
  ///   - folder: of the files that routes name; nil for the current one.
  ///   - cassette: of recorded responses to what no route takes.
  public convenience init(
    host: String = "localhost", port: Int = 8080, folder: String? = nil, cassette: String? = nil
  ) {
    self.init(host: host, portRange: port...port, folder: folder, cassette: cassette)
  }

  /// - Parameter portRange: tried in order, at the start, until one is free.
  public init(
    host: String = "localhost", portRange: ClosedRange<Int>, folder: String? = nil, cassette: String? = nil
  ) {
    self.host = host
    ports = portRange
    self.folder = folder
    self.cassette = cassette
    // Where it cannot be had, the start will say why.
    let reservation = portRange == 0...0 ? try? PortReservation(host: host) : nil
    state = Mutex(State(reservation: reservation))
  }

  deinit { pluck() }

  // MARK: Where it is

  /// Where clients reach it, without a slash at the end. Before the start it is where it will be; of a range of ports,
  /// that is known after the start only.
  public var baseUrl: String { "http://\(SocketAddress(host: host, port: UInt16(clamping: port)))" }

  /// The port in use, or the one it will be.
  public var port: Int {
    state.withLock { state in
      if let server = state.server { return server.port }
      return state.reservation.map { Int($0.port) } ?? ports.lowerBound
    }
  }

  /// Whether the server is running.
  public var isRunning: Bool { state.withLock { $0.server != nil } }

  /// The server beneath while it runs, for its request log and for verification.
  public var server: ProxyServer? { state.withLock { $0.server } }

  // MARK: Start and stop

  /// Listens and serves these routes, beside those that were added before. When it throws, it does not run.
  public func startServer(with routes: [MockRoute] = []) throws(FeatherError) {
    if isRunning { throw .isRunning(baseUrl) }
    try addRoutes(routes)
    let server: ProxyServer
    do throws(FeatherError) { server = try start() } catch {
      for route in routes.flatMap(\.all) { _ = try? removeRoute(route) }
      throw error
    }
    let isFirst = state.withLock { state in
      guard state.server == nil else { return false }
      state.server = server
      return true
    }
    if isFirst { return }
    _ = try? server.stop(graceMilliseconds: 0)
    throw .isRunning(baseUrl)
  }

  private func start() throws(FeatherError) -> ProxyServer {
    let wanted = state.withLock { $0.reservation.map { Int($0.port)...Int($0.port) } } ?? ports
    for port in wanted {
      guard let number = UInt16(exactly: port) else { throw .badPort(port) }
      var configuration = ProxyConfiguration()
      configuration.listen = "\(SocketAddress(host: host, port: number))"
      configuration.threads = 1
      configuration.router = router
      configuration.cassette = cassette
      configuration.missStatus = 404
      do { return try ProxyServer(configuration) } catch {
        switch error as? ProxyError {
        case .addressInUse: continue
        case .some(let problem): throw .cannotListen("\(problem)")
        case nil: throw .badCassette("\(error)")
        }
      }
    }
    throw .portsTaken(host: host, ports: wanted)
  }

  /// Stops at once; responses under way are cut. The port is free when this returns, and all routes that are
  /// data are gone, so that the next start begins anew.
  public func pluck() {
    let (server, mocks) = state.withLock { state in
      defer { (state.server, state.mocks) = (nil, []) }
      return (state.server, state.mocks)
    }
    _ = try? server?.stop(graceMilliseconds: 0)
    for mock in mocks { mock.registered.remove() }
  }

  // MARK: Routes

  /// The routes that are data, in the order they were added.
  public var routes: [MockRoute] { state.withLock { $0.mocks.map(\.route) } }

  /// Adds a route; one for the same requests goes.
  public func addRoute(_ route: MockRoute) throws(FeatherError) { try addRoutes([route]) }

  /// Adds routes, all or none.
  public func addRoutes(_ routes: [MockRoute]) throws(FeatherError) {
    let routes = routes.flatMap(\.all)
    let registered: [Route]
    do throws(MockRouteError) { registered = try router.mock(routes, folder: folder) } catch {
      throw .badRoute(error)
    }
    state.withLock { state in
      for (route, handle) in zip(routes, registered) {
        state.mocks.removeAll { $0.route == route }
        state.mocks.append((route, handle))
      }
    }
  }

  /// Removes the route that is for the same requests. Throws when there is none.
  public func removeRoute(_ route: MockRoute) throws(FeatherError) {
    try remove("\(route.method.rawValue) \(route.endpoint)") { $0 == route }
  }

  /// Removes the routes of a method and path, whatever else they ask for. Throws when there is none.
  public func removeRoute(method: MockRoute.HTTPMethod, endpoint: String) throws(FeatherError) {
    try remove("\(method.rawValue) \(endpoint)") { Self.isRoute($0, method, endpoint) }
  }

  private func remove(_ name: String, _ isWanted: (MockRoute) -> Bool) throws(FeatherError) {
    let gone = state.withLock { state in
      let gone = state.mocks.filter { isWanted($0.route) }
      state.mocks.removeAll { isWanted($0.route) }
      return gone
    }
    if gone.isEmpty { throw unknown(name) }
    for mock in gone { mock.registered.remove() }
  }

  private static func isRoute(_ route: MockRoute, _ method: MockRoute.HTTPMethod, _ endpoint: String) -> Bool
  {
    MockRoute.simple(method: route.method, urlPath: route.endpoint)
      == MockRoute.simple(method: method, urlPath: endpoint)
  }

  private func unknown(_ name: String) -> FeatherError {
    let known = routes.map { "\($0.method.rawValue) \($0.endpoint)" }
    return .badRoute(.unknownRoute(route: name, known: known))
  }

  // MARK: Updates

  /// Gives a route another response, for the next request on.
  /// - Parameters:
  ///   - code: another status; nil for the one it has.
  ///   - headers: other header fields; nil for those it has.
  /// - Throws: when there is no route of that method and path; the others stay as they are.
  public func updateRoute(
    method: MockRoute.HTTPMethod, endpoint: String, json: String, code: Int? = nil,
    headers: [String: String]? = nil
  ) throws(FeatherError) {
    try updateRoute(method: method, endpoint: endpoint, content: .json(json), code: code, headers: headers)
  }

  /// Replaces the response of a route by an encoded value.
  public func updateRoute(
    method: MockRoute.HTTPMethod, endpoint: String, object: some Encodable, code: Int? = nil,
    headers: [String: String]? = nil
  ) throws(FeatherError) {
    let content = MockRoute.Content(encoding: object)
    try updateRoute(method: method, endpoint: endpoint, content: content, code: code, headers: headers)
  }

  /// Replaces the response of a route by a file.
  public func updateRoute(
    method: MockRoute.HTTPMethod, endpoint: String, filename: String, code: Int? = nil,
    headers: [String: String]? = nil
  ) throws(FeatherError) {
    try updateRoute(
      method: method, endpoint: endpoint, content: .file(filename), code: code, headers: headers)
  }

  /// - Parameter content: another body; nil for the one it has.
  public func updateRoute(
    method: MockRoute.HTTPMethod, endpoint: String, content: MockRoute.Content? = nil, code: Int? = nil,
    headers: [String: String]? = nil
  ) throws(FeatherError) {
    var changed = routes.filter { Self.isRoute($0, method, endpoint) }
    if changed.isEmpty { throw unknown("\(method.rawValue) \(endpoint)") }
    for index in changed.indices {
      if let content { changed[index].content = content }
      if let code { changed[index].code = code }
      if let headers { changed[index].headers = headers }
    }
    try addRoutes(changed)
  }

  // MARK: Middleware

  /// Puts something around all requests, also those that no route takes: it may look, respond itself, or change the response
  /// of `next`.
  public func use(_ middleware: @escaping Router.Middleware) {
    let isFirst = state.withLock { state in
      defer { state.takesAll = true }
      return !state.takesAll
    }
    if isFirst { router.any("*rest") { $0.continue() } }
    router.use(middleware)
  }
}

extension ProxyServer {
  /// The real port.
  fileprivate var port: Int { baseURL.split(separator: ":").last.flatMap { Int($0) } ?? 0 }
}

/// Why a mock server could not do what it was asked. Each text says what to do.
public enum FeatherError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The server is running already, at this URL.
  case isRunning(String)
  /// A number that is not a port.
  case badPort(Int)
  /// Every port of the range is taken.
  case portsTaken(host: String, ports: ClosedRange<Int>)
  /// The address cannot be bound; the value says why.
  case cannotListen(String)
  /// A route cannot be served.
  case badRoute(MockRouteError)
  /// The cassette cannot be used; the value says why.
  case badCassette(String)

  public var description: String {
    switch self {
    case .isRunning(let url): "the mock server runs already, at \(url); pluck() it first"
    case .badPort(let port): "\(port) is no port: they go from 1 to 65535, and 0 lets the system choose"
    case .portsTaken(let host, let ports):
      ports.count == 1
        ? "the port \(ports.lowerBound) of \(host) is taken: stop its holder, or use port 0, which finds a free one"
        : "all ports of \(host) from \(ports.lowerBound) to \(ports.upperBound) are taken: give a larger range, "
          + "or port 0, which finds a free one"
    case .cannotListen(let problem): problem
    case .badRoute(let error): "\(error)"
    case .badCassette(let problem): problem
    }
  }
}
