internal import CCurl
internal import TapedeckSockets

/// A connection to the origin, which can be reopened. It belongs to one exchange or to the client.
///
/// Bytes between two exchanges close it, so that the next one cannot take them for its response (B35, B36).
final class UpstreamConnection: EventHandler {
  private enum Phase { case closed, connecting, open }

  let handle: CurlHandle
  private unowned let client: UpstreamClient
  private let connector: Connector
  private let loop: EventLoop
  private(set) var exchange: UpstreamExchange?
  private var phase = Phase.closed
  private var registration: EventLoop.Registration?
  private var interest: Interest = []
  private var timer: LoopTimer?
  private var idleSince = MonotonicTime(nanoseconds: 0)
  private(set) var hasServed = false
  /// Whether the last response had no body because of its method, status or length.
  var hasEndedWithoutBody = false

  init(_ client: UpstreamClient) throws(UpstreamError) {
    self.client = client
    (connector, loop) = (client.connector, client.loop)
    handle = try CurlHandle(client.configuration, connector)
    // Unowned: `close` undoes all three, at the latest in `deinit`.
    timer = loop.makeTimer { [unowned self] in exchange?.timedOut() }
    handle.onConnected = { [unowned self] in connected($0) }
    handle.onLost = { [unowned self] in lost() }
  }

  deinit { close() }

  var isOpen: Bool { phase == .open }

  func serve(_ exchange: UpstreamExchange) {
    self.exchange = exchange
    isOpen ? exchange.send() : connect()
  }

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
      // A second attempt reads the certificate for the error message.
      return handle.keepsCertificate(after: code) ? reconnect() : exchange.fail(handle.failure(code))
    }
    guard handle.takeConnection(), watch(.read) else {
      return exchange.fail(.internalError, "The connection cannot be waited for.")
    }
    phase = .open
    exchange.send()
  }

  func setTimer(_ milliseconds: Int) { timer?.set(loop.now.adding(milliseconds: milliseconds)) }

  func cancelTimer() { timer?.cancel() }

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
    guard readiness.isBroken || !handle.isQuiet else { return }
    close()
    client.idleEnded(self)
  }

  /// Called when libcurl closes the connection. The exchange ends after libcurl has returned.
  private func lost() {
    stopWatching()
    if exchange != nil { client.receiveSoon(self) }
  }

  func rest() {
    exchange = nil
    timer?.cancel()
    hasServed = true
    idleSince = loop.now
  }

  func close() {
    timer?.cancel()
    stopWatching()
    if phase != .closed { connector.disconnect(handle) }
    phase = .closed
  }

  /// Whether nothing has arrived, and it was idle for less than `milliseconds`.
  func isFresh(within milliseconds: Int) -> Bool { wasUsed(within: milliseconds) && handle.isQuiet }

  /// Whether it was idle for less than `milliseconds`.
  func wasUsed(within milliseconds: Int) -> Bool {
    idleSince.adding(milliseconds: milliseconds) > loop.now
  }
}
