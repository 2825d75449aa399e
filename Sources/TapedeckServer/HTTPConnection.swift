internal import TapedeckHTTP
internal import TapedeckSockets

/// One client's connection: reads requests, calls the responder, writes responses (RFC 9112 §9).
///
/// Promises: pipelined requests get their responses in order; input and output are bounded, and a client that
/// does not read stops its own source; an error gets a response before the connection ends, with a lingering
/// close (RFC 9112 §9.6). Belongs to its loop's thread.
final class HTTPConnection: EventHandler {
  enum Phase { case reading, streaming, lingering, closed }

  let worker: ServerWorker
  let admission: ConnectionGate.Admission
  let socket: StreamSocket
  var registration: EventLoop.Registration?
  var interest = Interest.readEdge
  /// Whether the last read left bytes in the kernel.
  var leavesInput = false
  // None of these calls back into the connection, which the compiler cannot see; it would check every access.
  @exclusivity(unchecked) var parser: HTTP1RequestParser
  @exclusivity(unchecked) private(set) var output = OutputQueue()
  @exclusivity(unchecked) var bodies: BodyAccount
  @exclusivity(unchecked) var share = TurnShare()
  /// Input that waits for the previous response.
  @exclusivity(unchecked) var held: [UInt8] = []
  var phase = Phase.reading
  /// Set while the next byte decides between TLS and plain HTTP.
  var streamStart: StreamStart?
  var handshakeDeadline: MonotonicTime?
  /// The socket's, kept here for quick checks.
  var tls: TLSSession?
  private(set) var hasPeerClosed = false
  var closesAfterOutput = false
  var resetsAfterOutput = false
  private var isProcessing = false
  var isSourceWaiting = false
  private var isFlushPlanned = false
  var headDeadline: MonotonicTime?
  var bodyStart: MonotonicTime?
  var lingerDeadline = MonotonicTime(nanoseconds: 0)
  var timer: LoopTimer?
  @exclusivity(unchecked) var exchange: Exchange?
  @exclusivity(unchecked) var stream: (any ResponseSource)?
  var streamFraming: BodyFraming?
  /// The stream, if it takes the client's bytes too.
  var tunnel: (any TunnelSource)?
  /// What becomes the tunnel when the response is a 101.
  var upgrade: (any TunnelSource)?
  /// The body of the request, if it is passed on while it comes. It stays after the response until all of it has come.
  var upload: Upload?
  /// What CONNECT said about the requests that follow it; `nil` outside of an intercepted tunnel.
  var intercepted: InterceptedTunnel?
  /// Where the client wanted to go, if it does not know of us.
  var transparent: TransparentOrigin?
  /// Whether the client asked for no tunnel, and so gets no response that one is open.
  var opensSilently = false
  /// Whether the stream has sent everything and stays open.
  var isResting = false

  var configuration: ServerConfiguration { worker.configuration }

  init(socket: StreamSocket, worker: ServerWorker, admission: ConnectionGate.Admission) {
    self.socket = socket
    self.admission = admission
    self.worker = worker
    parser = HTTP1RequestParser(heads: worker.heads)
    bodies = BodyAccount(worker.gate)
    streamStart = worker.configuration.tls.map { StreamStart(tls: $0, expectedName: nil) }
  }

  func start() -> Bool {
    do {
      registration = try worker.loop.add(socket.descriptor, interest, handler: self)
    } catch {
      return false
    }
    // Unowned, because a weak reference would create a side table. The timer is cancelled before
    // deallocation.
    let timer = worker.loop.makeTimer { [unowned self] in timeOut() }
    self.timer = timer
    timer.set(worker.loop.now.adding(milliseconds: configuration.idleTimeoutMilliseconds))
    return true
  }

  deinit { timer?.cancel() }

  // MARK: Events

  func descriptorReady(_ readiness: Readiness) {
    // After a reset the kernel still returns earlier bytes, but nobody would read the responses.
    if readiness.isBroken {
      // But an alert before it tells why the client ended the handshake.
      if tls?.isHandshaking == true { readAndProcess(isLast: true) }
      // The kernel says the same where both sides have finished, and the rest of an upload may be there.
      while phase == .lingering, upload != nil { readAndProcess(isLast: true) }
      return close(wasCutShort: true)
    }
    if readiness.isWritable { flush() }
    if readiness.isReadable, phase != .closed { readAndProcess(isLast: readiness.isLast) }
    if let tls { continueTLS(tls, isLast: readiness.isLast) }
    if phase != .closed { settle() }
  }

  func readAndProcess(isLast: Bool) {
    switch socket.read(into: worker.readBuffer) {
    case .bytes(let count):
      leavesInput = isLast || count == worker.readBuffer.count
      let bytes = UnsafeRawBufferPointer(rebasing: worker.readBuffer[..<count])
      switch phase {
      case .reading where upload != nil:
        takeLate(bytes)
      case .reading where held.isEmpty:
        process(bytes)
        processHeld()
      case .reading:
        held.append(contentsOf: bytes)
        processHeld()
      case .streaming:
        held.append(contentsOf: bytes)
        feedUpload()
        feedTunnel()
      case .lingering:
        takeLate(bytes)
        linger()
      case .closed: break
      }
    case .wouldBlock where phase == .lingering && isLast: close(wasCutShort: true)
    case .wouldBlock: if isLast, tls != nil { leavesInput = true }
    case .endOfStream: peerFinished()
    case .failed:
      tls != nil && phase == .reading && output.isEmpty ? finishConnection() : close(wasCutShort: true)
    }
    if tls?.leavesInput == true { leavesInput = true }
  }

  /// FIN: a half-closed client still gets responses (RFC 9112 §9.6), but none to an incomplete request.
  private func peerFinished() {
    hasPeerClosed = true
    if phase == .lingering { return close(wasCutShort: false) }
    if endsUpload() { return }
    // A tunnel gets the end after the bytes before it.
    if tunnel == nil || held.isEmpty { stream?.clientFinished() }
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
        if streamStart != nil {
          // The response to CONNECT goes out as it is.
          if output.flush(to: socket) != nil || !output.isEmpty { break }
          if startsTLS(UnsafeRawBufferPointer(rebasing: bytes[offset...])) { return }
          if refusesForeign(bytes[offset]) { return }
        }
        guard let event = try parser.next(bytes, at: &offset) else { continue }
        switch consume event {
        case .continueExpected:
          if offset == bytes.count { output.append(HTTP1Serializer.continueHead) }
        case .upload(let request, let expectsContinue):
          if !begin(upload: request, expectsContinue), expectsContinue, offset == bytes.count {
            output.append(HTTP1Serializer.continueHead)
          }
        case .request(let request):
          if !bodies.hold(request.body.count) {
            refuse(ServerConfiguration.tooMuchHeld)
          } else if tls == nil, intercepted == nil {
            respond(to: request)
          } else {
            respond(to: placed(request))
          }
        }
      }
      if parser.isReadingBody, !bodies.hold(parser.receivedBodyBytes) {
        refuse(ServerConfiguration.tooMuchHeld)
      }
    } catch {
      refuse(error)
    }
    if offset < bytes.count, phase == .streaming || phase == .reading, !closesAfterOutput {
      held.append(contentsOf: bytes[offset...])
      feedUpload()
    }
    flush()
  }

  private func processHeld() {
    guard !isProcessing else { return }
    while phase == .reading, !held.isEmpty, upload == nil, !hasHadItsTurn,
      streamStart == nil || output.isEmpty,
      output.count <= configuration.outputHighWaterBytes
    {
      let input = held
      held = []
      input.withUnsafeBytes { process($0) }
    }
  }

  func respond(to request: HTTPRequest) {
    headDeadline = nil
    bodyStart = nil
    var exchange = Exchange(
      request.shared, startedAt: worker.loop.now, keepsAlive: request.keepsAlive && !worker.isStopping)
    // Unless the response takes the body, it comes before the end of the request.
    if request.uploadBytes != nil { exchange.keepsAlive = false }
    do {
      guard let response = try worker.responder.respond(to: request, decisions: nil) else {
        return send(ServerConfiguration.notFound, exchange, by: .server)
      }
      exchange.note(response)
      // Nearly always there is none, and a check takes less time than an assignment.
      if upgrade != nil { upgrade = nil }
      if response.hasExtras {
        if response.opensInterception { return intercept(request) }
        upgrade = response.upgrade
        if case .stream = response.content, let sink = response.upload {
          exchange.keepsAlive = request.keepsAlive && !worker.isStopping
          open(sink, for: request)
        }
      }
      switch response.content {
      case .prepared(let prepared): send(prepared, exchange)
      case .response(let whole): send(whole, exchange, by: response.source)
      case .stream(let source): begin(source, exchange)
      }
    } catch {
      send(ServerConfiguration.internalError("\(error)"), exchange, by: .server)
    }
  }

  private func refuse(_ error: HTTPParseError) {
    if tls == nil, let transparent { transparent.network.noteForeign(transparent.authority) }
    refuse(configuration.badMessage(error))
  }

  /// Sends a response to bytes that are not a request, then ends the connection.
  func refuse(_ response: HTTPResponse) {
    let head = parser.receivedHead
    parser = HTTP1RequestParser(heads: worker.heads)
    send(response, .refused(head, startedAt: bodyStart ?? worker.loop.now), by: .server)
  }

  /// Refuses a client above the limit, without reading its request.
  func refuseToServe() {
    refuse(configuration.tooManyConnections)
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
    if exchange.keepsAlive, !prepared.message.isEmpty {
      output.append(prepared.message)
    } else {
      output.append(
        exchange.keepsAlive ? prepared.head : prepared.openHead + HTTP1Serializer.closeAndBlankLine)
      output.append(prepared.wireBody)
    }
    exchange.status = prepared.status
    exchange.bodyBytes = prepared.contentBytes
    finish(exchange, wasCutShort: false)
  }

  /// Ends an exchange whose last byte is in the queue.
  func finish(_ exchange: consuming Exchange, wasCutShort: Bool) {
    if !exchange.keepsAlive { closesAfterOutput = true }
    bodies.release()
    worker.observer?.exchangeFinished(by: exchange.source) { exchange.summary(wasCutShort: wasCutShort) }
  }

  // MARK: Streams

  private func begin(_ source: any ResponseSource, _ exchange: consuming Exchange) {
    // Any other response becomes a tunnel only with the head of a 101, and most never do.
    if exchange.method == .connect, let tunnel = source as? any TunnelSource { open(tunnel) }
    self.exchange = consume exchange
    phase = .streaming
    stream = source
    source.start(into: self)
  }

  func enqueue(_ bytes: UnsafeRawBufferPointer) { output.append(bytes) }
  func enqueue(_ body: (inout [UInt8]) -> Void) { output.write(body) }

  /// Tells the source of a stream whether to continue after a write. Output is sent at the end of the turn,
  /// or now if there is much. A paused source stays paused until it is resumed.
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

  /// Ends the stream, and continues with the next request if the connection stays open.
  func endStream(wasCutShort: Bool, resets: Bool = false) {
    guard let exchange = exchange.take() else { return }
    stream = nil
    tunnel = nil
    upgrade = nil
    streamFraming = nil
    isResting = false
    isSourceWaiting = false
    phase = .reading
    if wasCutShort || upload != nil { closesAfterOutput = true }
    resetsAfterOutput = resets
    finish(exchange, wasCutShort: wasCutShort)
    feedUpload()
    goOn()
  }

  /// Continues with held input, after a response that did not come from within `process`.
  private func goOn() {
    guard !isProcessing else { return }
    processHeld()
    flushAtTurnEnd()
  }

  /// Sends a response instead of a stream that failed before its head.
  func sendInsteadOfStream(_ response: HTTPResponse) {
    guard var exchange = exchange.take() else { return }
    if upload != nil { exchange.keepsAlive = false }
    upload = nil
    stream = nil
    tunnel = nil
    upgrade = nil
    phase = .reading
    isSourceWaiting = false
    let source = exchange.source
    send(response, exchange, by: source)
    goOn()
  }

  // MARK: Output

  func flush() {
    guard phase != .closed else { return }
    tls?.sendOutput(to: socket.descriptor)
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
}
