internal import TapedeckHTTP
internal import TapedeckSockets

/// The connections to one origin, for one event loop. Belongs to the loop's thread.
///
/// An exchange gets a connection that was looked at first, or a new one; when there may be no more it waits in line.
final class ConnectionPool {
  let configuration: UpstreamConfiguration
  let loop: EventLoop
  let connector: Connector
  /// Into which all connections read, one after the other.
  let readBuffer: UnsafeMutableRawBufferPointer
  /// Whether the origin has sent a body with a response that must not have one. Its connections do not serve again
  /// behind such responses.
  var hasSeenStrayBody = false
  /// All there are.
  private var connections: [UpstreamConnection] = []
  /// Those that are open and serve nobody; the last used one is the last.
  private var idle: [UpstreamConnection] = []
  private var closed: [UpstreamConnection] = []
  private var line: [(exchange: UpstreamExchange, deadline: MonotonicTime)] = []
  private var unread: [UpstreamConnection] = []
  private var lineTimer: LoopTimer?
  private var keepAliveTimer: LoopTimer?
  private var unreadTimer: LoopTimer?
  private var isShutDown = false

  /// How many idle connections are kept: each holds a descriptor.
  private static let keptConnections = 64
  /// A connection that has been idle for longer is not used again.
  private static let maxIdleMilliseconds = 30_000

  init(_ configuration: UpstreamConfiguration, _ loop: EventLoop) throws(UpstreamError) {
    self.configuration = configuration
    self.loop = loop
    connector = try Connector(loop: loop, onOpened: configuration.onConnectionOpened)
    // Not before: what throws while it is not whole has no `deinit`.
    readBuffer = .allocate(byteCount: 64 * 1024, alignment: 16)
    // Unowned: `closeAll`, at the latest in `deinit`, ends all three.
    lineTimer = loop.makeTimer { [unowned self] in failOverdue() }
    keepAliveTimer = loop.makeTimer { [unowned self] in closeIdle() }
    unreadTimer = loop.makeTimer { [unowned self] in receiveUnread() }
    closed.append(try makeConnection())
  }

  deinit {
    closeAll()
    readBuffer.deallocate()
  }

  /// Connections that exchanges run on.
  var activeCount: Int { connections.count - idle.count - closed.count }

  private func makeConnection() throws(UpstreamError) -> UpstreamConnection {
    let connection = try UpstreamConnection(self)
    connections.append(connection)
    return connection
  }

  // MARK: Starting

  private var hasRoom: Bool { activeCount < configuration.maxConnectionsPerLoop }

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

  /// RFC 9110 §9.2.2: a request that is not idempotent must not be repeated, so it takes no connection that may die
  /// under it for its age (B37). One that is idempotent but not safe takes none on which a body may still come that the
  /// response before must not have had.
  private func connection(for request: HTTPRequest) throws(UpstreamError) -> UpstreamConnection {
    while request.method.isIdempotent,
      let index = idle.lastIndex(where: { request.method.isSafe || !$0.hasEndedWithoutBody })
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

  /// The exchange waits no longer, and takes with it what its request holds.
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

  // MARK: Under way

  /// Lets `connection` read on in the next turn, though the kernel may have nothing for it.
  func receiveSoon(_ connection: UpstreamConnection) {
    unread.append(connection)
    unreadTimer?.set(loop.now)
  }

  private func receiveUnread() {
    let connections = unread
    unread = []
    for connection in connections { connection.receive() }
  }

  // MARK: Between exchanges

  /// Takes back the connection of an exchange that is over.
  /// - Parameter servesAgain: whether another exchange may use it as it is.
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

  /// An idle connection has closed itself.
  func idleEnded(_ connection: UpstreamConnection) {
    idle.removeAll { $0 === connection }
    closed.append(connection)
  }

  /// Where nothing runs for long, no connection is kept.
  private func closeIdle() {
    guard activeCount == 0 else { return }
    for connection in idle { discard(connection) }
    idle = []
  }

  // MARK: The end

  private static let shuttingDown = UpstreamFailure(.unavailable, "Tapedeck is shutting down.")

  /// Fails what still runs or waits, and closes every connection: the last one when its sink has returned.
  func shutDown() {
    guard !isShutDown else { return }
    isShutDown = true
    let waiting = line
    line = []
    for place in waiting { place.exchange.fail(Self.shuttingDown) }
    for connection in connections { connection.fail(Self.shuttingDown) }
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
