internal import TapedeckHTTP
internal import TapedeckSockets

/// One client's connection: reads requests, asks the responder, writes responses in order (RFC 9112 §9).
///
/// Promises: one response at a time, so pipelined requests are answered in the order they came; input and output are
/// bounded, and a client that does not read stops its own source; an error is answered before the connection ends, and
/// the end is a lingering one (RFC 9112 §9.6). Belongs to its loop's thread. What a response is and where it comes
/// from is the responder's business.
final class HTTPConnection: EventHandler {
  private enum Phase { case reading, streaming, lingering, closed }

  let worker: ServerWorker
  let admission: ConnectionGate.Admission
  private let socket: StreamSocket
  private var registration: EventLoop.Registration?
  private var interest = Interest.readEdge
  /// Whether the last read left something for the next one.
  private var leavesInput = false
  // None of these calls anyone who could come back here while it works: the parser, the share and the held bytes know
  // nobody, the queue only the kernel, the account only the gate. The compiler cannot see that, and would ask at every
  // access.
  @exclusivity(unchecked) private var parser: HTTP1RequestParser
  @exclusivity(unchecked) private var output = OutputQueue()
  @exclusivity(unchecked) private var bodies: BodyAccount
  @exclusivity(unchecked) private var share = TurnShare()
  /// Input that waits for the response before it.
  @exclusivity(unchecked) private var held: [UInt8] = []
  private var phase = Phase.reading
  private var hasPeerClosed = false
  private var closesAfterOutput = false
  private var resetsAfterOutput = false
  private var isProcessing = false
  private var isSourceWaiting = false
  private var isFlushPlanned = false
  private var headDeadline: MonotonicTime?
  /// When the body under way began.
  private var bodyStart: MonotonicTime?
  private var lingerDeadline = MonotonicTime(nanoseconds: 0)
  private var timer: LoopTimer?
  var exchange: Exchange?
  var stream: (any ResponseSource)?
  var streamFraming: BodyFraming?
  /// Whether the stream has nothing more to say, and no end either.
  var isResting = false

  private var configuration: ServerConfiguration { worker.configuration }
  private var errors: ErrorResponse { ErrorResponse(configuration: configuration) }

  init(socket: StreamSocket, worker: ServerWorker, admission: ConnectionGate.Admission) {
    self.socket = socket
    self.admission = admission
    self.worker = worker
    parser = HTTP1RequestParser(limits: worker.configuration.limits)
    bodies = BodyAccount(worker.gate)
  }

  func start() -> Bool {
    do {
      registration = try worker.loop.add(socket.descriptor, interest, handler: self)
    } catch {
      return false
    }
    // Unowned, not weak: an object that was ever referred to weakly is counted in a side table from then on. The timer
    // is cancelled before the connection goes.
    let timer = worker.loop.makeTimer { [unowned self] in timeOut() }
    self.timer = timer
    timer.set(worker.loop.now.adding(milliseconds: configuration.idleTimeoutMilliseconds))
    return true
  }

  deinit { timer?.cancel() }

  // MARK: Events

  func descriptorReady(_ readiness: Readiness) {
    // After a reset the kernel still hands out what came before it; working on that would serve nobody, and after
    // an overload it would be all that is left to do.
    if readiness.isBroken { return close(wasCutShort: true) }
    if readiness.isWritable { flush() }
    if readiness.isReadable, phase != .closed { readAndProcess(isLast: readiness.isLast) }
    if phase != .closed { settle() }
  }

  private func readAndProcess(isLast: Bool) {
    switch socket.read(into: worker.readBuffer) {
    case .bytes(let count):
      leavesInput = isLast || count == worker.readBuffer.count
      let bytes = UnsafeRawBufferPointer(rebasing: worker.readBuffer[..<count])
      switch phase {
      case .reading where held.isEmpty:
        process(bytes)
        processHeld()
      case .reading:
        // What came first goes first.
        held.append(contentsOf: bytes)
        processHeld()
      case .streaming: held.append(contentsOf: bytes)
      case .lingering:
        linger()
      case .closed: break
      }
    case .wouldBlock: break
    case .endOfStream: peerFinished()
    case .failed: close(wasCutShort: true)
    }
  }

  /// FIN: a client that is half closed still gets its responses (RFC 9112 §9.6); one in the middle of a request gets
  /// nothing, since the request is not one.
  private func peerFinished() {
    hasPeerClosed = true
    if phase == .lingering { return close(wasCutShort: false) }
    stream?.clientFinished()
  }

  // MARK: Requests

  private func process(_ bytes: UnsafeRawBufferPointer) {
    isProcessing = true
    defer { isProcessing = false }
    var offset = 0
    do throws(HTTPParseError) {
      while offset < bytes.count, phase == .reading, !closesAfterOutput,
        output.count <= configuration.outputHighWaterBytes
      {
        guard let event = try parser.next(bytes, at: &offset) else { continue }
        switch consume event {
        case .continueExpected:
          if offset == bytes.count { output.append(HTTP1Serializer.continueHead) }
        case .request(let request):
          bodies.hold(request.body.count) ? respond(to: request) : refuse(ErrorResponse.tooMuchHeld)
        }
      }
      if parser.isReadingBody, !bodies.hold(parser.receivedBodyBytes) { refuse(ErrorResponse.tooMuchHeld) }
    } catch {
      refuse(error)
    }
    if offset < bytes.count, phase == .streaming || phase == .reading, !closesAfterOutput {
      held.append(contentsOf: bytes[offset...])
    }
    flush()
  }

  /// Goes on with input that was held back.
  private func processHeld() {
    guard !isProcessing else { return }
    while phase == .reading, !held.isEmpty, !hasHadItsTurn, output.count <= configuration.outputHighWaterBytes
    {
      let input = held
      held = []
      input.withUnsafeBytes { process($0) }
    }
  }

  private func respond(to request: HTTPRequest) {
    headDeadline = nil
    bodyStart = nil
    var exchange = Exchange(
      request.method, request.target, request.version,
      startedAt: worker.observer == nil ? worker.loop.now : .now,
      keepsAlive: request.keepsAlive && !worker.isStopping)
    do {
      guard let response = try worker.responder.respond(to: request, decisions: nil) else {
        return send(ErrorResponse.notFound, exchange, by: .server)
      }
      exchange.note(response)
      switch response.content {
      case .prepared(let prepared): send(prepared, exchange)
      case .response(let whole): send(whole, exchange, by: response.source)
      case .stream(let source): begin(source, exchange)
      }
    } catch {
      send(ErrorResponse.internalError("\(error)"), exchange, by: .server)
    }
  }

  private func refuse(_ error: HTTPParseError) { refuse(errors.badMessage(error)) }

  /// Answers what is no request, and ends the connection behind the response.
  private func refuse(_ response: HTTPResponse) {
    let head = parser.receivedHead
    // What has come of a request is of no further use.
    parser = HTTP1RequestParser(limits: configuration.limits)
    send(response, .refused(head, startedAt: bodyStart ?? worker.loop.now), by: .server)
  }

  /// There is no place for this client: it is told so without being heard.
  func refuseToServe() {
    refuse(errors.tooManyConnections)
    flush()
    if phase != .closed { settle() }
  }

  // MARK: Responses in memory

  func send(_ response: HTTPResponse, _ exchange: consuming Exchange, by source: ServedResponse.Source) {
    exchange.source = source
    exchange.note(response.failure)
    send(PreparedResponse(response, to: exchange.method), exchange)
  }

  private func send(_ prepared: PreparedResponse, _ exchange: consuming Exchange) {
    if exchange.version == .http10, let unchunked = prepared.unchunked {
      return send(PreparedResponse(unchunked, to: exchange.method), exchange)
    }
    if exchange.keepsAlive {
      output.append(prepared.head)
    } else {
      output.append(prepared.openHead + HTTP1Serializer.closeAndBlankLine)
    }
    output.append(prepared.wireBody)
    exchange.status = prepared.status
    finish(exchange, wasCutShort: false)
  }

  /// The last byte of a response is in the queue.
  func finish(_ exchange: consuming Exchange, wasCutShort: Bool) {
    if !exchange.keepsAlive { closesAfterOutput = true }
    bodies.release()
    worker.observer?.exchangeFinished(by: exchange.source) { exchange.summary(wasCutShort: wasCutShort) }
  }

  // MARK: Streams

  private func begin(_ source: any ResponseSource, _ exchange: consuming Exchange) {
    self.exchange = consume exchange
    phase = .streaming
    stream = source
    source.start(into: self)
  }

  func enqueue(_ bytes: UnsafeRawBufferPointer) { output.append(bytes) }
  /// Lets `body` append to the output.
  func enqueue(_ body: (inout [UInt8]) -> Void) { output.write(body) }

  /// What the source of a stream may do after a write. What was written leaves at the end of the turn, together with
  /// what else this turn brings, or now when it is much. A source that was told to wait and had more to say waits until
  /// it is resumed: to be told otherwise in between would leave it waiting for good.
  func demandAfterWrite() -> SinkDemand {
    if output.count > configuration.outputHighWaterBytes { flush() }
    if phase == .closed { return .gone }
    flushAtTurnEnd()
    if hasHadItsTurn || output.count > configuration.outputHighWaterBytes { isSourceWaiting = true }
    return isSourceWaiting ? .wait : .more
  }

  private func flushAtTurnEnd() {
    guard !isFlushPlanned else { return }
    isFlushPlanned = true
    worker.flushAtTurnEnd(self)
  }

  func turnEnded() {
    isFlushPlanned = false
    flush()
    settle()
  }

  /// The stream is over; the connection goes on with the next request, unless it may not.
  func endStream(wasCutShort: Bool, resets: Bool = false) {
    guard let exchange = exchange.take() else { return }
    stream = nil
    streamFraming = nil
    isResting = false
    isSourceWaiting = false
    phase = .reading
    if wasCutShort { closesAfterOutput = true }
    resetsAfterOutput = resets
    finish(exchange, wasCutShort: wasCutShort)
    goOn()
  }

  /// After a response that did not come from within `process`: on to what the client sent meanwhile.
  private func goOn() {
    guard !isProcessing else { return }
    processHeld()
    flushAtTurnEnd()
  }

  /// The stream failed before its head went out: there is still time for a proper response.
  func sendInsteadOfStream(_ response: HTTPResponse) {
    guard let exchange = exchange.take() else { return }
    stream = nil
    phase = .reading
    isSourceWaiting = false
    let source = exchange.source
    send(response, exchange, by: source)
    goOn()
  }

  // MARK: Output

  private func flush() {
    guard phase != .closed else { return }
    let count = output.count
    if output.flush(to: socket) != nil { return close(wasCutShort: true) }
    share.add(count - output.count, in: worker.loop.now)
    if output.isEmpty, closesAfterOutput, phase == .reading { return finishConnection() }
    if isSourceWaiting, !hasHadItsTurn, output.count <= configuration.outputHighWaterBytes / 4 {
      isSourceWaiting = false
      stream?.resume()
    }
    if phase == .reading, !held.isEmpty { processHeld() }
  }

  private var hasHadItsTurn: Bool { share.exceeds(configuration.turnBytes, in: worker.loop.now) }

  /// Everything is sent: half-close, swallow what still comes for a while, close.
  private func finishConnection() {
    if resetsAfterOutput {
      close(wasCutShort: true)
    } else if hasPeerClosed {
      close(wasCutShort: false)
    } else {
      phase = .lingering
      held = []
      socket.finishSending()
      lingerDeadline = worker.loop.now.adding(milliseconds: configuration.lingerTotalMilliseconds)
      linger()
    }
  }

  /// RFC 9112 §9.6: closing while the client still sends would reset the connection, and the reset eat the response.
  private func linger() {
    timer?.set(min(worker.loop.now.adding(milliseconds: configuration.lingerMilliseconds), lingerDeadline))
  }

  // MARK: Waiting

  /// Puts interest and deadline in step with the state, once per event.
  private func settle() {
    if hasPeerClosed, phase == .reading, held.isEmpty {
      closesAfterOutput = true
      flush()
    }
    guard phase != .closed else { return }
    var wanted: Interest = []
    let mayRead =
      held.count <= configuration.pipelinedInputBytes
      && (phase != .reading || output.count <= configuration.outputHighWaterBytes)
    if !hasPeerClosed, mayRead { wanted.insert(.read) }
    if !output.isEmpty || isSourceWaiting || (phase == .reading && !held.isEmpty) { wanted.insert(.write) }
    if wanted == .read { wanted = .readEdge }
    if wanted != interest || leavesInput, let registration {
      interest = wanted
      leavesInput = false
      worker.loop.change(registration, wanted)
    }
    setDeadline()
  }

  private func setDeadline() {
    if phase == .lingering { return }
    if !output.isEmpty {
      let since = share.stall(now: worker.loop.now)
      timer?.set(since.adding(milliseconds: configuration.writeTimeoutMilliseconds))
      return
    }
    if phase == .streaming {
      if isResting, worker.isStopping { return close(wasCutShort: streamFraming == .untilClose) }
      hasPeerClosed ? setTimer(configuration.abandonedMilliseconds) : timer?.cancel()
    } else if parser.isReadingBody {
      setBodyDeadline()
    } else if parser.isBetweenRequests {
      if worker.isStopping { return close(wasCutShort: false) }
      setTimer(configuration.idleTimeoutMilliseconds)
    } else {
      let deadline =
        headDeadline ?? worker.loop.now.adding(milliseconds: configuration.headTimeoutMilliseconds)
      headDeadline = deadline
      timer?.set(deadline)
    }
  }

  /// The next piece is due soon, and the body as a whole has to come at a pace.
  private func setBodyDeadline() {
    let start = bodyStart ?? worker.loop.now
    bodyStart = start
    let patience = configuration.bodyTimeoutMilliseconds
    let earned = parser.receivedBodyBytes * 1000 / max(1, configuration.bodyMinBytesPerSecond)
    timer?.set(
      min(worker.loop.now.adding(milliseconds: patience), start.adding(milliseconds: patience + earned)))
  }

  private func setTimer(_ milliseconds: Int) {
    timer?.set(worker.loop.now.adding(milliseconds: milliseconds))
  }

  private func timeOut() {
    switch phase {
    case .streaming where streamFraming == nil:
      setTimer(configuration.abandonedMilliseconds)
      askWhetherClientIsThere()
    case .reading where output.isEmpty && !parser.isBetweenRequests:
      refuse(errors.requestTimeout(isReadingBody: parser.isReadingBody))
      flush()
      if phase != .closed { settle() }
    // Cut chunks and lengths show by themselves; where the end of the connection is the end of the body, and where
    // bytes wait that will not be read, only a reset tells.
    default: close(wasCutShort: !output.isEmpty || streamFraming == .untilClose)
    }
  }

  // MARK: Closing

  func closeIfIdle() {
    let isDone = phase == .reading && parser.isBetweenRequests || phase == .streaming && isResting
    if isDone, output.isEmpty { close(wasCutShort: streamFraming == .untilClose) }
  }

  func close(wasCutShort: Bool) {
    guard phase != .closed else { return }
    let source = stream
    phase = .closed
    bodies.release()
    stream = nil
    timer?.cancel()
    if let registration { worker.loop.remove(registration) }
    wasCutShort ? socket.closeWithReset() : socket.close()
    source?.clientLeft()
    if let exchange = exchange.take() { finish(exchange, wasCutShort: true) }
    worker.forget(self)
  }
}
