internal import Glibc
public import TapedeckHTTP
public import TapedeckSockets

/// Sends requests to one origin, for one event loop. Never follows redirects, and never repeats a request
/// that must not be repeated. Belongs to the loop's thread.
///
/// An exchange gets a checked idle connection or a new one, or waits until there is room.
public final class UpstreamClient {
  let configuration: UpstreamConfiguration
  let loop: EventLoop
  let connector: Connector
  let readBuffer: UnsafeMutableRawBufferPointer
  /// Set by a body that must not be there; afterwards connections are not reused.
  var hasSeenStrayBody = false
  // The lists are used by one thread, and nothing is called while one of them changes.
  @exclusivity(unchecked) private var connections: [UpstreamConnection] = []
  /// Open connections without an exchange, the most recently used one last.
  @exclusivity(unchecked) private var idle: [UpstreamConnection] = []
  @exclusivity(unchecked) private var closed: [UpstreamConnection] = []
  @exclusivity(unchecked) private var line: [(exchange: UpstreamExchange, deadline: MonotonicTime)] = []
  private var unread: [UpstreamConnection] = []
  private var lineTimer: LoopTimer?
  private var keepAliveTimer: LoopTimer?
  private var unreadTimer: LoopTimer?
  private var isShutDown = false

  private static let keptConnections = 64
  private static let maxIdleMilliseconds = 30_000

  /// Throws when libcurl cannot be used or a file of certificates cannot be read.
  public init(configuration: UpstreamConfiguration, loop: EventLoop) throws(UpstreamError) {
    try configuration.checkFiles()
    self.configuration = configuration
    self.loop = loop
    connector = try Connector(loop: loop, onOpened: configuration.onConnectionOpened)
    // Last, because `deinit` does not run when an initializer throws before all properties are set.
    readBuffer = .allocate(byteCount: 64 * 1024, alignment: 16)
    // Unowned: `closeAll` cancels all three, at the latest in `deinit`.
    lineTimer = loop.makeTimer { [unowned self] in failOverdue() }
    keepAliveTimer = loop.makeTimer { [unowned self] in closeIdle() }
    unreadTimer = loop.makeTimer { [unowned self] in receiveUnread() }
    closed.append(try makeConnection())
  }

  deinit {
    closeAll()
    readBuffer.deallocate()
  }

  /// The versions of libcurl and its TLS library.
  public static var libcurlVersion: String { CurlHandle.libraryVersion }

  /// The number of sockets opened to the origin.
  public var connectionsOpened: Int { connector.openedCount }
  /// The number of exchanges with a connection.
  public var activeCount: Int { connections.count - idle.count - closed.count }

  /// Whether nothing is under way that needs it.
  var isIdle: Bool { activeCount == 0 && line.isEmpty && tunnelCount == 0 }
  /// The number of tunnels through it.
  var tunnelCount = 0

  /// Makes a tunnel that begins with `start(into:)`. It carries bytes of any protocol, so the origin's scheme must be
  /// http: libcurl does no TLS then.
  package func tunnel() throws(UpstreamError) -> UpstreamTunnel { try UpstreamTunnel(self) }

  private func makeConnection() throws(UpstreamError) -> UpstreamConnection {
    let connection = try UpstreamConnection(self)
    connections.append(connection)
    return connection
  }

  // MARK: Starting

  /// Makes an exchange that begins with `start(into:)`.
  public func fetch(_ request: HTTPRequest) -> UpstreamExchange { UpstreamExchange(request, client: self) }

  /// An open WebSocket stays for long, and its origin has answered: it leaves the room to others.
  private var hasRoom: Bool { activeCount - switchedCount < configuration.maxConnectionsPerLoop }
  /// The number of exchanges that have become WebSockets.
  private var switchedCount = 0

  func exchangeSwitched() {
    switchedCount += 1
    runNextInLine()
  }

  func switchedEnded() { switchedCount -= 1 }

  func start(_ exchange: UpstreamExchange) {
    if isShutDown { return exchange.fail(Self.shuttingDown) }
    if line.isEmpty, hasRoom { return run(exchange) }
    let deadline = loop.now.adding(milliseconds: configuration.timeouts.connectMilliseconds)
    line.append((exchange, deadline))
    if lineTimer?.isSet == false { lineTimer?.set(deadline) }
  }

  private func run(_ exchange: UpstreamExchange) {
    do throws(UpstreamError) {
      exchange.run(on: try connection(for: exchange.request))
    } catch {
      exchange.fail(.internalError, "\(error).")
    }
  }

  /// Gives a request an idle connection that is quiet, or a new one. One that is not idempotent only follows at once,
  /// because it is not sent again when the origin closes the connection (RFC 9110 §9.2.2, B37). An unsafe one follows no
  /// response without a body: a stray body may still arrive. An upload always gets a new one, because its body is here only
  /// once.
  private func connection(for request: HTTPRequest) throws(UpstreamError) -> UpstreamConnection {
    let method = request.method
    let limit = configuration.timeouts.reuseMilliseconds
    while request.uploadBytes == nil,
      let index = idle.lastIndex(where: {
        (method.isSafe || !$0.hasEndedWithoutBody) && (method.isIdempotent || $0.wasUsed(within: limit))
      })
    {
      let connection = idle.remove(at: index)
      if connection.isFresh(within: Self.maxIdleMilliseconds) { return connection }
      discard(connection)
    }
    if let connection = closed.popLast() { return connection }
    return try makeConnection()
  }

  func runNextInLine() {
    while !line.isEmpty, hasRoom { run(line.removeFirst().exchange) }
  }

  func leaveLine(_ exchange: UpstreamExchange) { line.removeAll { $0.exchange === exchange } }

  private func failOverdue() {
    while let first = line.first {
      if first.deadline > loop.now {
        lineTimer?.set(first.deadline)
        return
      }
      line.removeFirst()
      let limit = configuration.maxConnectionsPerLoop
      first.exchange.fail(
        .limitReached, "All \(limit) connections to the origin are busy (--max-upstream-connections).")
    }
  }

  // MARK: Receiving

  /// Reads from `connection` in the next turn, even if the kernel has nothing for it.
  func receiveSoon(_ connection: UpstreamConnection) {
    unread.append(connection)
    unreadTimer?.set(loop.now)
  }

  private func receiveUnread() {
    let connections = unread
    unread = []
    for connection in connections { connection.exchange?.receive() }
  }

  // MARK: Idle connections

  /// - Parameter servesAgain: whether another exchange may use it.
  func release(_ connection: UpstreamConnection, servesAgain: Bool) {
    connection.rest()
    if servesAgain, !isShutDown {
      if idle.count >= Self.keptConnections { discard(idle.removeFirst()) }
      idle.append(connection)
    } else {
      discard(connection)
    }
    guard activeCount == 0 else { return }
    if isShutDown { return closeAll() }
    keepAliveTimer?.set(loop.now.adding(milliseconds: configuration.timeouts.keepAliveMilliseconds))
  }

  private func discard(_ connection: UpstreamConnection) {
    connection.close()
    closed.append(connection)
  }

  /// Called when an idle connection has closed itself.
  func idleEnded(_ connection: UpstreamConnection) {
    idle.removeAll { $0 === connection }
    closed.append(connection)
  }

  private func closeIdle() {
    guard activeCount == 0 else { return }
    for connection in idle { discard(connection) }
    idle = []
  }

  // MARK: Shutdown

  private static let shuttingDown = UpstreamFailure(.unavailable, "Tapedeck is shutting down.")

  /// Fails all exchanges and closes all connections. An exchange inside its sink ends when the call returns.
  public func shutDown() {
    guard !isShutDown else { return }
    isShutDown = true
    let waiting = line
    line = []
    for place in waiting { place.exchange.fail(Self.shuttingDown) }
    for connection in connections { connection.exchange?.fail(Self.shuttingDown) }
    if activeCount == 0 { closeAll() }
  }

  private func closeAll() {
    for timer in [lineTimer, keepAliveTimer, unreadTimer] { timer?.cancel() }
    for connection in connections { connection.close() }
    connections = []
    idle = []
    closed = []
    unread = []
    connector.close()
  }
}

extension UpstreamConfiguration {
  /// Throws when a file of certificates cannot be read.
  package func checkFiles() throws(UpstreamError) {
    for path in [caCertificatePath, clientCertificatePath, clientKeyPath] {
      guard let path, access(path, R_OK) != 0 else { continue }
      throw .certificatesUnreadable(path: path, reason: String(cString: strerror(errno)))
    }
  }
}

/// Why no upstream client could be created.
public enum UpstreamError: Error, Equatable, Sendable {
  case libcurlFailed(reason: String)
  case certificatesUnreadable(path: String, reason: String)
}

extension UpstreamError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .libcurlFailed(let reason):
      "libcurl could not be started: \(reason); Debian and Ubuntu have it in the package libcurl4"
    case .certificatesUnreadable(let path, let reason):
      "the certificate file \(path) cannot be read: \(reason)"
    }
  }
}
