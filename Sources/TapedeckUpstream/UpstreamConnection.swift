internal import CCurl
internal import TapedeckSockets

/// A connection to the origin, which is opened, used, closed and opened again. It belongs to one exchange or to the pool.
///
/// Between two exchanges nothing may come. If something does, the connection is closed, before the next exchange can
/// mistake it for its own response (B35, B36).
final class UpstreamConnection: EventHandler {
  private enum Phase { case closed, connecting, open }

  let handle: CurlHandle
  private unowned let pool: ConnectionPool
  private let connector: Connector
  private let loop: EventLoop
  private(set) var exchange: UpstreamExchange?
  private var phase = Phase.closed
  private var registration: EventLoop.Registration?
  private var interest: Interest = []
  private var timer: LoopTimer?
  private var idleSince = MonotonicTime(nanoseconds: 0)
  /// Whether an exchange has been completed on it since it was opened.
  private(set) var hasServed = false
  /// Whether the last response had no body, by its method, its status or its length.
  var hasEndedWithoutBody = false

  init(_ pool: ConnectionPool) throws(UpstreamError) {
    self.pool = pool
    (connector, loop) = (pool.connector, pool.loop)
    handle = try CurlHandle(pool.configuration, connector)
    // Unowned: `close` undoes all three, at the latest in `deinit`.
    timer = loop.makeTimer { [unowned self] in exchange?.timedOut() }
    handle.onConnected = { [unowned self] in connected($0) }
    handle.onLost = { [unowned self] in lost() }
  }

  deinit { close() }

  // MARK: Serving

  var isOpen: Bool { phase == .open }

  /// Hands the connection to `exchange`, which sends its request as soon as the connection is open.
  func serve(_ exchange: UpstreamExchange) {
    self.exchange = exchange
    isOpen ? exchange.send() : connect()
  }

  /// Replaces a connection that has ended by a new one.
  func reconnect() {
    close()
    connect()
  }

  private func connect() {
    phase = .connecting
    hasServed = false
    handle.reset()
    if !connector.connect(handle) { exchange?.fail(.internalError, "libcurl took no further connection.") }
  }

  private func connected(_ code: CURLcode) {
    guard phase == .connecting, let exchange else { return }
    guard code == CURLE_OK else {
      // The second attempt finds out more about why there is no connection.
      return handle.keepsCertificate(after: code) ? reconnect() : exchange.fail(handle.failure(code))
    }
    guard handle.takeConnection(), watch(.read) else {
      return exchange.fail(.internalError, "The connection cannot be waited for.")
    }
    phase = .open
    exchange.send()
  }

  // MARK: Waiting

  func setTimer(_ milliseconds: Int) { timer?.set(loop.now.adding(milliseconds: milliseconds)) }

  func cancelTimer() { timer?.cancel() }

  /// False when the kernel refuses.
  func watch(_ wanted: Interest) -> Bool {
    if let registration {
      if wanted != interest { loop.change(registration, wanted) }
    } else {
      registration = try? loop.add(handle.descriptor, wanted, handler: self)
    }
    interest = wanted
    return registration != nil
  }

  func stopWatching() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  func descriptorReady(_ readiness: Readiness) {
    if let exchange { return exchange.connectionReady(readiness) }
    // Something has come without a request, or the end.
    guard readiness.isBroken || !handle.isQuiet else { return }
    close()
    pool.idleEnded(self)
  }

  /// libcurl closes the connection, and its descriptor's number will be used for something else. The exchange ends when
  /// libcurl has returned.
  private func lost() {
    stopWatching()
    if exchange != nil { pool.receiveSoon(self) }
  }

  // MARK: Between exchanges

  /// Returns the connection to the pool.
  func rest() {
    exchange = nil
    timer?.cancel()
    hasServed = true
    idleSince = loop.now
  }

  /// Closes the connection, or gives up the attempt to open it.
  func close() {
    timer?.cancel()
    stopWatching()
    if phase != .closed { connector.disconnect(handle) }
    phase = .closed
  }

  /// Whether another exchange may use it: nothing has come, and it was idle for less than `milliseconds`.
  func isFresh(within milliseconds: Int) -> Bool {
    idleSince.adding(milliseconds: milliseconds) > loop.now && handle.isQuiet
  }
}
