internal import Glibc
public import TapedeckHTTP
public import TapedeckSockets

/// Asks one origin, for one event loop: keeps connections, never follows, never repeats what may not be
/// repeated.
///
/// Belongs to the loop's thread entirely. An exchange runs on a connection that was looked at first, or on a new one;
/// when there may be no more it waits in line.
public final class UpstreamClient {
  public let configuration: UpstreamConfiguration
  private let loop: EventLoop
  let multi: CurlMulti
  /// All there are.
  private var connections: [UpstreamConnection] = []
  /// Those that are open and serve nobody; the last used one is the last.
  private var idle: [UpstreamConnection] = []
  private var closed: [UpstreamConnection] = []
  private var line: [UpstreamExchange] = []
  private var lineTimer: LoopTimer?
  private var keepAliveTimer: LoopTimer?
  private var unread: [UpstreamConnection] = []
  private var unreadTimer: LoopTimer?
  /// Answers that are handed on at the moment; what would end one of them waits.
  private var receiving = 0
  private var deferred: [() -> Void] = []
  private var isShutDown = false
  /// Whether the origin has sent a body with a response that must not have one. Its connections do not serve again
  /// behind such responses.
  private(set) var hasSeenStrayBody = false
  /// Into which all connections read, one after the other.
  let readBuffer: UnsafeMutableRawBufferPointer

  /// How many idle connections are kept: each holds a descriptor.
  private static let keptConnections = 64
  /// A connection that has been idle for longer is not used again.
  private static let maxIdleMilliseconds = 30_000

  /// libcurl's version with its TLS library.
  public static var libcurlVersion: String { CurlLibrary.version }

  /// Makes a client for `loop`. Throws when libcurl cannot be used or the CA file cannot be read.
  public init(configuration: UpstreamConfiguration, loop: EventLoop) throws(UpstreamError) {
    if let path = configuration.caCertificatePath, access(path, R_OK) != 0 {
      throw .certificatesUnreadable(path: path, reason: String(cString: strerror(errno)))
    }
    self.configuration = configuration
    self.loop = loop
    multi = try CurlMulti(loop: loop)
    // Not before: what throws while it is not whole has no `deinit`.
    readBuffer = .allocate(byteCount: 64 * 1024, alignment: 16)
    multi.sockets.onOpened = configuration.onConnectionOpened
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

  /// How many sockets were opened towards the origin so far.
  public var connectionsOpened: Int { multi.sockets.openedCount }
  /// Exchanges that run at the moment.
  public var activeCount: Int { connections.count - idle.count - closed.count }

  /// An exchange that waits for its sink; nothing happens before `start(into:)`.
  public func fetch(_ request: HTTPRequest) -> UpstreamExchange {
    UpstreamExchange(request, client: self)
  }

  /// Fails what still runs and closes every connection; the client is of no further use.
  public func shutDown() {
    if receiving > 0 { return deferred.append { self.shutDown() } }
    guard !isShutDown else { return }
    isShutDown = true
    let failure = UpstreamFailure(.unavailable, "Tapedeck is shutting down.")
    let waiting = line
    line = []
    for exchange in waiting { exchange.finish(failure) }
    for connection in connections { connection.finish(failure) }
    closeAll()
  }

  private func closeAll() {
    lineTimer?.cancel()
    keepAliveTimer?.cancel()
    unreadTimer?.cancel()
    for connection in connections { connection.close() }
    connections = []
    idle = []
    closed = []
    unread = []
    multi.close()
  }

  private func makeConnection() throws(UpstreamError) -> UpstreamConnection {
    let connection = try UpstreamConnection(self, multi, loop)
    connections.append(connection)
    return connection
  }

  // MARK: Starting

  func start(_ exchange: UpstreamExchange) {
    // The connection whose answer is being handed on is about to be free.
    if receiving > 0 { return deferred.append { self.start(exchange) } }
    if case .over = exchange.state { return }
    if isShutDown { return exchange.finish(UpstreamFailure(.unavailable, "Tapedeck is shutting down.")) }
    guard OutgoingRequest.canBeSent(exchange.request) else {
      let detail = "The method or the target holds a character that would end the request line."
      return exchange.finish(UpstreamFailure(.badRequest, detail))
    }
    if activeCount < configuration.maxConnectionsPerLoop { run(exchange) } else { queue(exchange) }
  }

  private func run(_ exchange: UpstreamExchange) {
    do {
      let connection = try connection(for: exchange.request)
      exchange.state = .running(connection)
      connection.run(exchange)
    } catch {
      exchange.finish(UpstreamFailure(.internalError, "\(error)."))
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

  private func queue(_ exchange: UpstreamExchange) {
    let deadline = loop.now.adding(milliseconds: configuration.timeouts.connectMilliseconds)
    exchange.state = .waiting(until: deadline)
    line.append(exchange)
    if lineTimer?.isSet == false { lineTimer?.set(deadline) }
  }

  func runNextInLine() {
    while activeCount < configuration.maxConnectionsPerLoop, !line.isEmpty {
      let next = line.removeFirst()
      if case .waiting = next.state { run(next) }
    }
  }

  private func failOverdue() {
    let limit = configuration.maxConnectionsPerLoop
    while let first = line.first {
      if case .waiting(let deadline) = first.state, deadline > loop.now { break }
      line.removeFirst()
      guard case .waiting = first.state else { continue }
      let detail = "All \(limit) connections to the origin are busy (--max-upstream-connections)."
      first.finish(UpstreamFailure(.limitReached, detail))
    }
    if case .waiting(let deadline)? = line.first?.state { lineTimer?.set(deadline) }
  }

  // MARK: Under way

  func resume(_ exchange: UpstreamExchange) {
    if case .running(let connection) = exchange.state { connection.resume() }
  }

  /// Its sink hears nothing more already.
  func cancel(_ exchange: UpstreamExchange) {
    if receiving > 0 { return deferred.append { self.cancel(exchange) } }
    let state = exchange.state
    exchange.state = .over
    switch state {
    case .running(let connection): connection.finish(nil)
    // It leaves with what its request holds.
    case .waiting: line.removeAll { $0 === exchange }
    case .new, .over: break
    }
  }

  func beginReceiving() { receiving += 1 }

  func endReceiving() {
    receiving -= 1
    guard receiving == 0, !deferred.isEmpty else { return }
    let actions = deferred
    deferred = []
    for action in actions { action() }
  }

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

  /// Takes a connection back that serves nobody any more.
  func release(_ connection: UpstreamConnection, isOpen: Bool) {
    if isOpen, !isShutDown { keep(connection) } else { closed.append(connection) }
    if activeCount == 0, !isShutDown {
      keepAliveTimer?.set(loop.now.adding(milliseconds: configuration.timeouts.keepAliveMilliseconds))
    }
  }

  private func keep(_ connection: UpstreamConnection) {
    if idle.count >= Self.keptConnections { discard(idle.removeFirst()) }
    idle.append(connection)
  }

  private func discard(_ connection: UpstreamConnection) {
    connection.close()
    closed.append(connection)
  }

  /// Something came behind a response without body.
  func noteStrayBody() { hasSeenStrayBody = true }

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
}
