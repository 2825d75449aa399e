internal import CCurl
internal import TapedeckHTTP
internal import TapedeckSockets

/// A connection to the origin, and the exchange that runs on it.
///
/// A request is sent once. Only where a connection that has served before dies without a byte of answer is it sent again,
/// once, on a new one, and only if that harms nobody (RFC 9110 §9.2.2). Where bytes come instead that are no response,
/// the origin is alive, and only a safe request is sent again. Between two exchanges nothing may come: what does ends the
/// connection, before the next exchange can mistake it for its own (B35, B36).
final class UpstreamConnection: EventHandler {
  private enum Phase { case closed, connecting, open }

  /// How many pieces are read before others have their turn.
  private static let piecesPerTurn = 16

  private unowned let client: UpstreamClient
  private let configuration: UpstreamConfiguration
  private let loop: EventLoop
  private let multi: CurlMulti
  private let handle: CurlHandle
  private var timer: LoopTimer?
  private var phase = Phase.closed
  private var registration: EventLoop.Registration?
  private var interest: Interest = []
  private var exchange: UpstreamExchange?
  private var receiver: ResponseReceiver?
  private var outgoing: OutgoingRequest?
  /// Why the origin takes no more of the request, though its answer may still come.
  private var uploadFailure: ConnectionTransfer?
  private var sentAtLastLook = 0
  private var hasServed = false
  /// Whether the last response had no body, by its method, its status or its length.
  private(set) var hasEndedWithoutBody = false
  private var idleSince = MonotonicTime(nanoseconds: 0)

  init(_ client: UpstreamClient, _ multi: CurlMulti, _ loop: EventLoop) throws(UpstreamError) {
    self.client = client
    self.multi = multi
    self.loop = loop
    configuration = client.configuration
    handle = try CurlHandle(configuration, sockets: multi.sockets)
    // Unowned: `close`, at the latest in `deinit`, undoes all three.
    timer = loop.makeTimer { [unowned self] in timeIsUp() }
    handle.onConnected = { [unowned self] in connected($0) }
    handle.onLost = { [unowned self] in connectionLost() }
  }

  deinit { close() }

  // MARK: One exchange

  /// Runs `exchange` on the connection, which is made if there is none.
  func run(_ exchange: UpstreamExchange) {
    self.exchange = exchange
    receiver = exchange.receiver
    outgoing = OutgoingRequest(exchange.request, fields: exchange.sentFields, configuration)
    phase == .open ? depart() : connect()
  }

  private func connect() {
    phase = .connecting
    hasServed = false
    uploadFailure = nil
    handle.reset()
    guard multi.add(handle) else {
      return finish(UpstreamFailure(.internalError, "libcurl took no further connection."))
    }
  }

  private func connected(_ code: CURLcode) {
    guard phase == .connecting else { return }
    guard code == CURLE_OK else {
      return handle.keepsCertificate(after: code) ? connectAgain() : finish(handle.failure(code))
    }
    guard handle.takeConnection(), watch(.read) else {
      return finish(UpstreamFailure(.internalError, "The connection cannot be waited for."))
    }
    phase = .open
    depart()
  }

  /// To learn more about why there is no connection.
  private func connectAgain() {
    close()
    connect()
  }

  private func depart() {
    exchange?.departed(to: handle.remoteAddress)
    wait(configuration.timeouts.firstByteMilliseconds)
    upload()
    sentAtLastLook = outgoing?.sent ?? 0
  }

  private func upload() {
    while uploadFailure == nil, let result = outgoing?.withNext(handle.send) {
      switch result {
      case .bytes(let count): outgoing?.advance(by: count)
      case .wouldBlock: return _ = watch([.read, .write])
      // What the origin has to say about it may be there already, and is read first.
      case .endOfStream, .failed: uploadFailure = result
      }
    }
    _ = watch(.read)
  }

  // MARK: Waiting

  /// False when the kernel refuses.
  private func watch(_ wanted: Interest) -> Bool {
    if let registration {
      if wanted != interest { loop.change(registration, wanted) }
    } else {
      registration = try? loop.add(handle.descriptor, wanted, handler: self)
    }
    interest = wanted
    return registration != nil
  }

  private func stopWatching() {
    if let registration { loop.remove(registration) }
    registration = nil
  }

  /// libcurl closes the connection. The descriptor must not be waited for under a number that will be another's; what
  /// ends the exchange waits until libcurl has returned.
  private func connectionLost() {
    stopWatching()
    if exchange != nil { client.receiveSoon(self) }
  }

  func descriptorReady(_ readiness: Readiness) {
    guard exchange != nil else { return checkIdle(readiness) }
    if readiness.isWritable, outgoing?.isSent == false { upload() }
    if readiness.isReadable || readiness.isBroken { receive() }
  }

  // MARK: The answer

  /// Reads what has come, and hands it on.
  func receive() {
    guard phase == .open, let receiver, !receiver.isOver else { return }
    // The kernel tells of an end again and again; `resume` looks at it.
    if receiver.isPaused { return stopWatching() }
    client.beginReceiving()
    let interimCount = receiver.interimCount
    let result = readPieces(receiver)
    // A head that drips gets no more time than one that comes at once.
    if !receiver.isWaitingForHead || receiver.interimCount > interimCount { waitForMore(receiver) }
    settle(result, receiver)
    client.endReceiving()
  }

  /// Until nothing more is there, the sink wants no more, or others wait; returns what the last read came to.
  private func readPieces(_ receiver: ResponseReceiver) -> ConnectionTransfer {
    for _ in 0..<Self.piecesPerTurn {
      let result = handle.receive(into: client.readBuffer)
      guard case .bytes(let count) = result else { return result }
      // What was still to come behind the response before. It ends the connection, not this exchange (B35).
      if isStray(client.readBuffer[..<count], receiver) {
        if hasEndedWithoutBody { client.noteStrayBody() }
        // The origin is alive, and may have done what it was asked.
        if exchange?.request.method.isSafe == true { return .failed(.strayBytes) }
      }
      receiver.receive(UnsafeRawBufferPointer(rebasing: client.readBuffer[..<count]))
      if receiver.isOver || receiver.isPaused || !handle.holdsBack { return result }
    }
    client.receiveSoon(self)
    return .wouldBlock
  }

  private func isStray(_ bytes: UnsafeMutableRawBufferPointer.SubSequence, _ receiver: ResponseReceiver)
    -> Bool
  {
    hasServed && !receiver.hasSeenBytes && !ResponseReceiver.canBegin(bytes)
  }

  private func settle(_ result: ConnectionTransfer, _ receiver: ResponseReceiver) {
    if receiver.isOver { return finish(nil) }
    switch result {
    case .bytes, .wouldBlock: break
    case .endOfStream: ended(receiver)
    case .failed(let fault): broke(fault, receiver)
    }
  }

  /// The sink has room again.
  func resume() {
    guard let receiver, receiver.isPaused else { return }
    receiver.resume()
    waitForMore(receiver)
    _ = watch(outgoing?.isSent == false && uploadFailure == nil ? [.read, .write] : .read)
    if handle.holdsBack || handle.isLost { client.receiveSoon(self) }
  }

  // MARK: The end

  /// The origin has ended the connection.
  private func ended(_ receiver: ResponseReceiver) {
    if case .failed(let fault) = uploadFailure, !receiver.hasSeenBytes { return broke(fault, receiver) }
    if mayRepeat(receiver) { return repeatRequest() }
    let origin = configuration.origin
    guard receiver.hasSeenBytes else {
      return finish(UpstreamFailure(.incomplete, silence(origin)))
    }
    // RFC 9112 §9.8: over TLS, a body that ends with the connection is complete only if close_notify came (B22).
    if handle.speaksTLS, CurlLibrary.usesOpenSSL, !handle.hasHeardGoodbye, receiver.isInsideOpenEndedBody {
      let detail = "\(origin) ended the connection without TLS close_notify; data may be missing."
      return finish(UpstreamFailure(.incomplete, detail))
    }
    finish(nil)
  }

  /// Servers that expect TLS often hang up at the first byte of plain http.
  private func silence(_ origin: UpstreamOrigin) -> String {
    let what = "\(origin) closed the connection without a response."
    guard origin.scheme == .http, !hasServed else { return what }
    return "\(what) If the port expects TLS, the origin is \(origin.overTLS)."
  }

  /// A reset inside the answer leaves part of it; one before tells of the connection only (F09, F12).
  private func broke(_ fault: ConnectionTransfer.Fault, _ receiver: ResponseReceiver) {
    if mayRepeat(receiver) { return repeatRequest() }
    let cause: UpstreamFailure.Cause = receiver.hasSeenBytes ? .incomplete : .terminated
    finish(UpstreamFailure(cause, "\(configuration.origin): \(handle.reason(fault))."))
  }

  private func mayRepeat(_ receiver: ResponseReceiver) -> Bool {
    hasServed && !receiver.hasSeenBytes && exchange?.request.method.isIdempotent == true
  }

  private func repeatRequest() {
    close()
    outgoing?.rewind()
    connect()
  }

  /// Ends the exchange, which tells its sink what is still to be told, and gives the connection back.
  func finish(_ failure: UpstreamFailure?) {
    guard let exchange = exchange.take() else { return }
    let isClean = failure == nil && receiver?.isComplete == true && receiver?.allowsReuse == true
    hasEndedWithoutBody = receiver?.hasBody == false
    let serves =
      isClean && outgoing?.isSent == true && phase == .open
      && !(hasEndedWithoutBody && client.hasSeenStrayBody)
    receiver = nil
    outgoing = nil
    timer?.cancel()
    if serves {
      hasServed = true
      idleSince = loop.now
    } else {
      close()
    }
    exchange.state = .over
    client.release(self, isOpen: serves)
    exchange.finish(failure)
    client.runNextInLine()
  }

  /// Ends the connection, or the attempt to make it.
  func close() {
    timer?.cancel()
    stopWatching()
    if phase != .closed { multi.remove(handle) }
    phase = .closed
  }

  // MARK: Between exchanges

  /// Something has come that nobody asked for, or the end.
  private func checkIdle(_ readiness: Readiness) {
    guard readiness.isBroken || !handle.isQuiet else { return }
    close()
    client.idleEnded(self)
  }

  /// Whether it may carry another exchange, not being older than `milliseconds`.
  func isFresh(within milliseconds: Int) -> Bool {
    idleSince.adding(milliseconds: milliseconds) > loop.now && handle.isQuiet
  }
}

// MARK: - Time

extension UpstreamConnection {
  private func wait(_ milliseconds: Int) { timer?.set(loop.now.adding(milliseconds: milliseconds)) }

  /// Sets the timer to what is waited for now: nothing while the client is the slow one.
  private func waitForMore(_ receiver: ResponseReceiver) {
    if receiver.isWaitingForHead {
      wait(configuration.timeouts.firstByteMilliseconds)
    } else if receiver.isPaused || receiver.isEventStream {
      timer?.cancel()
    } else {
      wait(configuration.timeouts.readIdleMilliseconds)
    }
  }

  private func timeIsUp() {
    guard let receiver, let outgoing else { return }
    let origin = configuration.origin
    guard receiver.isWaitingForHead else {
      let limit = Patience(configuration.timeouts.readIdleMilliseconds, option: "--read-timeout")
      let detail = "\(origin) sent nothing for \(limit)."
      return finish(UpstreamFailure(.readTimeout, detail))
    }
    let patience = configuration.timeouts.firstByteMilliseconds
    if outgoing.sent > sentAtLastLook {
      // The origin is still reading; the wait for its answer starts when it has read everything.
      sentAtLastLook = outgoing.sent
      return wait(patience)
    }
    let limit = Patience(patience, option: "--first-byte-timeout")
    if !outgoing.isSent {
      let detail = "\(origin) read \(outgoing.sent) of \(outgoing.count) bytes, then no more for \(limit)."
      return finish(UpstreamFailure(.writeTimeout, detail))
    }
    let what = receiver.hasSeenBytes ? "did not finish its header section" : "sent no response"
    finish(UpstreamFailure(.firstByteTimeout, "\(origin) \(what) within \(limit)."))
  }
}
