internal import CCurl
internal import Glibc
public import TapedeckHTTP
public import TapedeckSockets

/// Asks one origin, for one event loop: keeps connections, never follows, never repeats what may not be
/// repeated.
///
/// Belongs to the loop's thread entirely. An exchange runs on a pooled transfer; when all are busy it waits
/// in line, so that libcurl itself never has a queue and never picks a connection that was not looked at
/// first.
public final class UpstreamClient {
  public let configuration: UpstreamConfiguration
  private let loop: EventLoop
  private let multi: CurlMulti
  private let url: CurlURL
  private var transfers: [CurlTransfer] = []
  /// Those that are not running.
  private var pool: [CurlTransfer] = []
  private var line: [UpstreamExchange] = []
  private var lineTimer: LoopTimer?
  private var keepAliveTimer: LoopTimer?
  private var isShutDown = false

  /// How many idle connections are kept: each holds a descriptor, and is looked at before every request.
  private static let keptConnections = 64

  /// libcurl's version with its TLS library.
  public static var libcurlVersion: String { CurlLibrary.version }

  /// Makes a client for `loop`. Throws when libcurl cannot be used or the CA file cannot be read.
  public init(configuration: UpstreamConfiguration, loop: EventLoop) throws(UpstreamError) {
    if let path = configuration.caCertificatePath, access(path, R_OK) != 0 {
      throw .certificatesUnreadable(path: path, reason: String(cString: strerror(errno)))
    }
    self.configuration = configuration
    self.loop = loop
    url = try CurlURL(configuration.origin)
    multi = try CurlMulti(
      loop: loop, keptConnections: min(configuration.maxConnectionsPerLoop, Self.keptConnections))
    multi.sockets.onOpened = configuration.onConnectionOpened
    // Unowned: `closeAll`, at the latest in `deinit`, ends all four.
    multi.onFinished = { [unowned self] in finished($0, $1) }
    lineTimer = loop.makeTimer { [unowned self] in failOverdue() }
    multi.sockets.onIdleEnded = { [unowned self] in dropSoon(afterMilliseconds: 1_000) }
    keepAliveTimer = loop.makeTimer { [unowned self] in dropIdleConnections() }
    pool.append(try makeTransfer())
  }

  deinit { closeAll() }

  /// How many sockets were opened towards the origin so far.
  public var connectionsOpened: Int { multi.sockets.openedCount }
  /// Exchanges that run at the moment.
  public var activeCount: Int { transfers.count - pool.count }

  /// An exchange that waits for its sink; nothing happens before `start(into:)`.
  public func fetch(_ request: HTTPRequest) -> UpstreamExchange {
    UpstreamExchange(request, client: self)
  }

  /// Fails what still runs and closes every connection; the client is of no further use.
  public func shutDown() {
    if multi.isInside { return multi.whenOutside { self.shutDown() } }
    guard !isShutDown else { return }
    isShutDown = true
    let failure = UpstreamFailure(.unavailable, "Tapedeck is shutting down.")
    let waiting = line
    line = []
    for exchange in waiting { exchange.finish(failure) }
    for transfer in running { release(transfer)?.finish(failure) }
    closeAll()
  }

  private func closeAll() {
    lineTimer?.cancel()
    keepAliveTimer?.cancel()
    multi.sockets.onIdleEnded = {}
    for transfer in running { multi.remove(transfer) }
    transfers = []
    pool = []
    multi.close()
  }

  private var running: [CurlTransfer] { transfers.filter { $0.exchange != nil } }

  private func makeTransfer() throws(UpstreamError) -> CurlTransfer {
    let transfer = try CurlTransfer(configuration, url: url, loop: loop, sockets: multi.sockets)
    transfer.onTimeout = { [unowned self] in timedOut($0, $1) }
    transfers.append(transfer)
    return transfer
  }

  // MARK: Starting

  func start(_ exchange: UpstreamExchange) {
    if multi.isInside { return multi.whenOutside { self.start(exchange) } }
    if case .over = exchange.state { return }
    if isShutDown { return exchange.finish(UpstreamFailure(.unavailable, "Tapedeck is shutting down.")) }
    guard UpstreamRequestLines.canBeSent(exchange.request) else {
      let detail = "The method or the target holds a character that would end the request line."
      return exchange.finish(UpstreamFailure(.badRequest, detail))
    }
    if activeCount < configuration.maxConnectionsPerLoop { run(exchange) } else { queue(exchange) }
  }

  private func run(_ exchange: UpstreamExchange) {
    guard let receiver = exchange.receiver else { return }
    do {
      let transfer = try pool.popLast() ?? makeTransfer()
      transfer.prepare(exchange, exchange.request, receiver: receiver)
      exchange.dropBody()
      exchange.state = .running(transfer)
      let code = multi.add(transfer)
      guard code == CURLM_OK else {
        release(transfer)?.finish(UpstreamFailure(.internalError, "libcurl took no further transfer."))
        return
      }
    } catch {
      exchange.finish(UpstreamFailure(.internalError, "\(error)."))
    }
  }

  private func queue(_ exchange: UpstreamExchange) {
    let deadline = loop.now.adding(milliseconds: configuration.timeouts.connectMilliseconds)
    exchange.state = .waiting(until: deadline)
    line.append(exchange)
    if lineTimer?.isSet == false { lineTimer?.set(deadline) }
  }

  private func runNextInLine() {
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
      first.finish(UpstreamFailure(.limitReached, "All \(limit) connections to the origin are busy."))
    }
    if case .waiting(let deadline)? = line.first?.state { lineTimer?.set(deadline) }
  }

  // MARK: Under way

  func resume(_ exchange: UpstreamExchange) {
    if multi.isInside { return multi.whenOutside { self.resume(exchange) } }
    guard case .running(let transfer) = exchange.state, let receiver = exchange.receiver, receiver.isPaused
    else { return }
    let isHeldBack = receiver.isHeldBack
    receiver.resume()
    transfer.waitForMore(receiver)
    if isHeldBack { multi.unpause(transfer.easy) }
  }

  func cancel(_ exchange: UpstreamExchange) {
    if multi.isInside { return multi.whenOutside { self.cancel(exchange) } }
    if case .running(let transfer) = exchange.state { _ = release(transfer) }
    exchange.state = .over
    runNextInLine()
  }

  // MARK: Ending

  private func finished(_ transfer: CurlTransfer, _ code: CURLcode) {
    guard transfer.exchange != nil else { return }
    if transfer.takeSecondAttempt(after: code) {
      multi.remove(transfer)
      _ = multi.add(transfer)
      return
    }
    let failure = transfer.failure(code)
    release(transfer)?.finish(failure)
    runNextInLine()
  }

  private func timedOut(_ transfer: CurlTransfer, _ failure: UpstreamFailure) {
    release(transfer)?.finish(failure)
    runNextInLine()
  }

  /// Takes the transfer back; whatever still runs on it ends, and its connection with it.
  private func release(_ transfer: CurlTransfer) -> UpstreamExchange? {
    let exchange = transfer.takeExchange()
    exchange?.state = .over
    multi.remove(transfer)
    transfer.clear()
    pool.append(transfer)
    dropSoon(afterMilliseconds: configuration.timeouts.keepAliveMilliseconds)
    return exchange
  }

  /// Should nothing run until then, no connection is kept any longer.
  private func dropSoon(afterMilliseconds milliseconds: Int) {
    guard activeCount == 0, !isShutDown else { return }
    keepAliveTimer?.set(loop.now.adding(milliseconds: milliseconds))
  }

  private func dropIdleConnections() {
    if activeCount == 0 { multi.dropConnections() }
  }
}
