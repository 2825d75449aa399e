internal import TapedeckHTTP
internal import TapedeckSockets

/// The connections to one origin, for one event loop. Belongs to the loop's thread.
///
/// An exchange gets an idle connection that has just been checked, or a new one. When all allowed connections are busy
/// it waits in line.
final class ConnectionPool {
  let configuration: UpstreamConfiguration
  let loop: EventLoop
  let connector: Connector
  /// All connections read into it, one after the other.
  let readBuffer: UnsafeMutableRawBufferPointer
  /// Whether the origin has sent a body with a response that must not have one. After such a response its connections
  /// are not used again.
  var hasSeenStrayBody = false
  /// All of them: active, idle and closed.
  private var connections: [UpstreamConnection] = []
  /// Open connections without an exchange; the most recently used one is the last.
  private var idle: [UpstreamConnection] = []
  private var closed: [UpstreamConnection] = []
  private var line: [(exchange: UpstreamExchange, deadline: MonotonicTime)] = []
  private var unread: [UpstreamConnection] = []
  private var lineTimer: LoopTimer?
  private var keepAliveTimer: LoopTimer?
  private var unreadTimer: LoopTimer?
  private var isShutDown = false

  /// How many idle connections are kept; each holds a descriptor.
  private static let keptConnections = 64
  /// A connection that has been idle for longer is not used again.
  private static let maxIdleMilliseconds = 30_000

  init(_ configuration: UpstreamConfiguration, _ loop: EventLoop) throws(UpstreamError) {
    self.configuration = configuration
    self.loop = loop
    connector = try Connector(loop: loop, onOpened: configuration.onConnectionOpened)
    // Allocated after everything that throws before all properties are set: `deinit` does not run then.
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

  /// RFC 9110 §9.2.2: a request that is not idempotent must not be repeated, so it gets a new connection, which cannot
  /// die of old age (B37). One that is idempotent but not safe gets none whose last response had no body, because a
  /// body that it must not have may still arrive.
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

  /// The exchange is over; the line must not keep its request in memory.
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

  /// Reads on from `connection` in the next turn, although the kernel may have nothing for it.
  func receiveSoon(_ connection: UpstreamConnection) {
    unread.append(connection)
    unreadTimer?.set(loop.now)
  }

  private func receiveUnread() {
    let connections = unread
    unread = []
    for connection in connections { connection.exchange?.receive() }
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

  /// Closes the idle connections, when no exchange has run for a while.
  private func closeIdle() {
    guard activeCount == 0 else { return }
    for connection in idle { discard(connection) }
    idle = []
  }

  // MARK: The end

  private static let shuttingDown = UpstreamFailure(.unavailable, "Tapedeck is shutting down.")

  /// Fails all exchanges and closes all connections, those whose sink is being called when it has returned.
  func shutDown() {
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
