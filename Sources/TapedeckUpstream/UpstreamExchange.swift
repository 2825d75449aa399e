public import TapedeckHTTP
public import TapedeckSockets

/// One request to the origin, whose response flows into a sink. All calls happen on the loop's thread.
///
/// The exchange returns its connection before it tells the sink of the end. If the sink ends the exchange
/// from inside a call, that takes effect when the call returns.
///
/// If a reused connection dies before the first byte of the response, an idempotent request is sent again,
/// once, on a new connection (RFC 9110 §9.2.2). If it delivers bytes that are not a response, the origin is
/// alive, and only a safe request is sent again.
public final class UpstreamExchange: TunnelSource {
  private enum Ending { case complete(trailers: HTTPFields), failed(UpstreamFailure), left }

  /// A limit, so that one busy transfer cannot starve the others.
  private static let piecesPerTurn = 16

  private let client: UpstreamClient
  let request: HTTPRequest
  // What is called while one of these is used does not come back to it.
  @exclusivity(unchecked) var outgoing: OutgoingRequest?
  @exclusivity(unchecked) var parser: ResponseParser
  @exclusivity(unchecked) private var sink: (any ResponseSink)?
  /// The sink, if the response may be the error page of a TLS port.
  private var portCheck: TLSPortCheck?
  var connection: UpstreamConnection?
  /// Why the origin stopped reading the request. Its response may still come.
  var uploadFailure: TransferResult?
  private var sentAtLastCheck = 0
  /// Whether the sink has paused the exchange.
  var isPaused = false
  /// Whether the kernel has no room for the client's side of a WebSocket, or for an upload.
  var isFull = false
  /// Bytes of either that have been taken and not sent: TLS wants the same ones from the same place again.
  var waiting: [UInt8] = []
  var waitingStart = 0
  /// Whether the origin is told of the client's end after them.
  var finishesAfterWaiting = false
  static let waitingBytes = 64 * 1024
  /// Of a WebSocket, or of an upload.
  public var onRoom: () -> Void = {}
  private var isDelivering = false
  /// Whether it has become a WebSocket, which leaves its place to other exchanges.
  private var isWebSocket = false
  /// How the exchange ends when the sink returns.
  @exclusivity(unchecked) private var ending: Ending?
  var isOver = false

  /// The origin's address, as `ip:port`; `nil` before there is a connection.
  public private(set) var remoteAddress: String?
  /// The fields of the request as sent; empty before `start(into:)`.
  @exclusivity(unchecked) public private(set) var sentFields = HTTPFields()
  public private(set) var startTime: MonotonicTime?

  init(_ request: HTTPRequest, client: UpstreamClient) {
    self.request = request
    self.client = client
    parser = ResponseParser(
      to: request.method, limits: client.configuration.limits, handshake: WebSocketHandshake(request),
      expectsContinue: request.awaitsContinue, onToleratedFault: client.configuration.onToleratedFault)
  }

  private var configuration: UpstreamConfiguration { client.configuration }

  // MARK: Request

  public func start(into sink: any ResponseSink) {
    guard !isOver, startTime == nil else { return }
    startTime = .now
    self.sink = sink
    guard OutgoingRequest.canBeSent(request) else {
      return fail(.badRequest, "The method or the target holds a character that would end the request line.")
    }
    sentFields = OutgoingRequest.fields(
      of: request, authority: client.configuration.origin.authority,
      preservesHost: client.configuration.preservesHost, passesEncodings: client.configuration.passesEncodings
    )
    client.start(self)
  }

  func run(on connection: UpstreamConnection) {
    self.connection = connection
    outgoing = OutgoingRequest(
      request, fields: sentFields, prefix: client.configuration.origin.pathPrefix,
      added: client.configuration.fields)
    connection.serve(self)
  }

  func send() {
    guard let connection else { return }
    remoteAddress = connection.handle.remoteAddress
    connection.setTimer(configuration.timeouts.firstByteMilliseconds)
    upload(connection)
    sentAtLastCheck = outgoing?.sent ?? 0
  }

  private func upload(_ connection: UpstreamConnection) {
    while uploadFailure == nil, let result = outgoing?.withNext(connection.handle.send) {
      switch result {
      case .bytes(let count): outgoing?.advance(by: count)
      case .wouldBlock: return _ = connection.watch([.read, .write])
      // The origin's response may already have arrived, and is read first.
      case .endOfStream, .failed: uploadFailure = result
      }
    }
    _ = connection.watch(.read)
    if awaitsUpload { onRoom() }
  }

  /// Whether something that is here has not been sent.
  private var isUploading: Bool { outgoing?.isSent == false && uploadFailure == nil && !awaitsUpload }
  /// Whether the next bytes of an upload may be sent.
  var awaitsUpload: Bool { outgoing?.awaitsUpload == true && uploadFailure == nil }

  func connectionReady(_ readiness: Readiness) {
    if readiness.isWritable, isUploading, let connection { upload(connection) }
    if readiness.isWritable, isFull, let connection {
      isFull = false
      sendWaiting(connection)
      if !isFull { goOn(connection) }
    }
    if readiness.isReadable || readiness.isBroken { receive() }
  }

  // MARK: Response

  func receive() {
    guard let connection, connection.isOpen else { return }
    // The kernel would report the end repeatedly; `resume` reads it.
    if isPaused { return watchBothWays() }
    let interimCount = parser.interimCount
    isDelivering = true
    let result = receivePieces(connection)
    isDelivering = false
    if let ending { return finish(ending) }
    // A head that arrives in small pieces gets no more time than a whole one.
    if !parser.isReadingHead || parser.interimCount > interimCount { setTimer(connection) }
    switch result {
    case .bytes, .wouldBlock: break
    case .endOfStream: connectionEnded(connection)
    case .failed(let code): connectionBroke(connection, code)
    }
  }

  /// Reads until there is no more, the sink pauses, or the turn is over. Returns the last read's result.
  private func receivePieces(_ connection: UpstreamConnection) -> TransferResult {
    for _ in 0..<Self.piecesPerTurn {
      let result = connection.handle.receive(into: client.readBuffer)
      guard case .bytes(let count) = result else { return result }
      let bytes = UnsafeRawBufferPointer(rebasing: client.readBuffer[..<count])
      if connection.hasServed, !parser.hasSeenBytes, !ResponseParser.canBegin(bytes) {
        // These bytes belong to the previous response. They end the connection, not this exchange (B35).
        if connection.hasEndedWithoutBody { client.hasSeenStrayBody = true }
        // The origin is alive, and may have acted on the request.
        if request.method.isSafe {
          sendAgain(connection)
          return .wouldBlock
        }
      }
      parse(bytes)
      if ending != nil || isPaused || !connection.handle.holdsBack { return result }
    }
    client.receiveSoon(connection)
    return .wouldBlock
  }

  private func parse(_ bytes: UnsafeRawBufferPointer) {
    if !parser.hasSeenBytes, TLSPortCheck.isAlert(bytes) {
      return fail(TLSPortCheck.failure(configuration.origin))
    }
    var offset = 0
    do throws(UpstreamFailure) {
      while ending == nil, let event = try parser.next(bytes, at: &offset) { deliver(event, of: bytes) }
    } catch {
      fail(error.refusing(configuration.origin))
    }
  }

  private func deliver(_ event: ResponseParser.Event, of bytes: UnsafeRawBufferPointer) {
    switch event {
    case .interim(let head): sink?.informational(head)
    case .head(let head, let framing): begin(head, framing)
    case .data(let range, let endsChunk):
      switch sink?.write(UnsafeRawBufferPointer(rebasing: bytes[range]), endsChunk: endsChunk) {
      case .more: break
      case .wait: isPaused = true
      case .gone, nil: end(.left)
      }
    case .end(let trailers): complete(trailers: trailers)
    }
  }

  private func begin(_ head: HTTPResponseHead, _ framing: BodyFraming) {
    if let sink, configuration.origin.scheme == .http, TLSPortCheck.concerns(head, framing) {
      let portCheck = TLSPortCheck(sink)
      self.portCheck = portCheck
      self.sink = portCheck
    }
    sink?.begin(head, framing: framing)
    guard parser.hasSwitched, ending == nil else { return }
    isWebSocket = true
    client.exchangeSwitched()
  }

  private func complete(trailers: HTTPFields) {
    let isForeign = portCheck?.isRecognised == true
    end(isForeign ? .failed(TLSPortCheck.failure(configuration.origin)) : .complete(trailers: trailers))
  }

  public func resume() {
    guard let connection, isPaused else { return }
    isPaused = false
    setTimer(connection)
    _ = connection.watch(isUploading || isFull ? [.read, .write] : .read)
    if connection.handle.holdsBack || connection.handle.isLost { client.receiveSoon(connection) }
  }

  // MARK: End of the connection

  private func connectionEnded(_ connection: UpstreamConnection) {
    if case .failed(let code)? = uploadFailure, !parser.hasSeenBytes {
      return connectionBroke(connection, code)
    }
    if maySendAgain(connection) { return sendAgain(connection) }
    let origin = configuration.origin
    guard parser.hasSeenBytes else { return fail(.incomplete, silence(connection)) }
    // RFC 9112 §9.8: over TLS, a body delimited by the end of the connection needs close_notify (B22).
    if connection.handle.endedWithoutCloseNotify, parser.isInsideOpenEndedBody, !parser.hasSwitched {
      return fail(
        .incomplete, "\(origin) ended the connection without TLS close_notify; data may be missing.")
    }
    do throws(UpstreamFailure) { try parser.endOfStream() } catch { return fail(error.refusing(origin)) }
    complete(trailers: HTTPFields())
  }

  /// Servers that expect TLS often close the connection at the first byte of plain http.
  private func silence(_ connection: UpstreamConnection) -> String {
    let origin = configuration.origin
    let what = "\(origin) closed the connection without a response."
    if connection.hasServed { return what + notRepeated }
    guard origin.scheme == .http else { return what }
    return "\(what) If the port expects TLS, the origin is \(origin.overTLS)."
  }

  /// A reset inside the response leaves it incomplete; one before it concerns only the connection (F09, F12).
  private func connectionBroke(_ connection: UpstreamConnection, _ code: Int32) {
    if maySendAgain(connection) { return sendAgain(connection) }
    let reason = "\(configuration.origin): \(connection.handle.reason(code))."
    if parser.hasSeenBytes { return fail(.incomplete, reason) }
    fail(.terminated, connection.hasServed ? reason + notRepeated : reason)
  }

  /// Why a request is not sent again when a connection that has served before ends (B37).
  private var notRepeated: String {
    " The connection had served before. The request may or may not have reached the origin, and was not repeated, because"
      + " \(request.method.rawValue) is not idempotent."
  }

  private func maySendAgain(_ connection: UpstreamConnection) -> Bool {
    connection.hasServed && !parser.hasSeenBytes && request.method.isIdempotent
  }

  private func sendAgain(_ connection: UpstreamConnection) {
    outgoing?.rewind()
    uploadFailure = nil
    connection.reconnect()
  }

  // MARK: End of the exchange

  public func cancel() {
    sink = nil
    end(.left)
  }

  func fail(_ cause: UpstreamFailure.Cause, _ detail: String) { fail(UpstreamFailure(cause, detail)) }

  func fail(_ failure: UpstreamFailure) { end(.failed(failure)) }

  private func end(_ ending: Ending) {
    guard !isOver, self.ending == nil else { return }
    if isDelivering { self.ending = ending } else { finish(ending) }
  }

  private func finish(_ ending: Ending) {
    let sink = sink
    isOver = true
    self.ending = nil
    self.sink = nil
    portCheck = nil
    guard let connection = connection.take() else {
      if case .left = ending { client.leaveLine(self) }
      return tell(ending, to: sink)
    }
    if isWebSocket { client.switchedEnded() }
    client.release(connection, servesAgain: leavesUsable(connection, ending))
    outgoing = nil
    tell(ending, to: sink)
    client.runNextInLine()
  }

  private func leavesUsable(_ connection: UpstreamConnection, _ ending: Ending) -> Bool {
    connection.hasEndedWithoutBody = !parser.hasBody
    guard case .complete = ending, parser.allowsReuse, outgoing?.isSent == true else { return false }
    return connection.isOpen && !(connection.hasEndedWithoutBody && client.hasSeenStrayBody)
  }

  private func tell(_ ending: Ending, to sink: (any ResponseSink)?) {
    switch ending {
    case .complete(let trailers): sink?.end(trailers: trailers)
    case .failed(let failure): sink?.fail(failure.response)
    case .left: break
    }
  }

  // MARK: Timeouts

  /// Sets the timer for the next bytes of the response; sets none while the client is slow.
  private func setTimer(_ connection: UpstreamConnection) {
    if parser.isReadingHead {
      connection.setTimer(configuration.timeouts.firstByteMilliseconds)
    } else if parser.hasSwitched {
      connection.setTimer(UpstreamTunnel.idleMilliseconds)
    } else if isPaused || parser.isEventStream {
      connection.cancelTimer()
    } else {
      connection.setTimer(configuration.timeouts.readIdleMilliseconds)
    }
  }

  /// Whether it is the client that lets the origin wait: for an upload, unless it waits for the origin's 100 itself.
  private func isClientSending(_ outgoing: OutgoingRequest) -> Bool {
    guard awaitsUpload, !isFull else { return false }
    return outgoing.hasBegunUpload || parser.interimCount > 0 || !request.awaitsContinue
  }

  func timedOut() {
    guard let connection, let outgoing else { return }
    let origin = configuration.origin
    if parser.hasSwitched {
      let limit = UpstreamTunnel.idleMilliseconds / 60_000
      return fail(.readTimeout, "Nobody said anything over the WebSocket to \(origin) for \(limit) minutes.")
    }
    guard parser.isReadingHead else {
      if outgoing.sent > sentAtLastCheck || isClientSending(outgoing) {
        sentAtLastCheck = outgoing.sent
        return connection.setTimer(configuration.timeouts.readIdleMilliseconds)
      }
      let limit = UpstreamFailure.limit(configuration.timeouts.readIdleMilliseconds, "--read-timeout")
      return fail(.readTimeout, "\(origin) sent nothing for \(limit).")
    }
    let patience = configuration.timeouts.firstByteMilliseconds
    // The origin is still reading, or the client is still sending; the wait for the response starts after that.
    if outgoing.sent > sentAtLastCheck || isClientSending(outgoing) {
      sentAtLastCheck = outgoing.sent
      return connection.setTimer(patience)
    }
    let limit = UpstreamFailure.limit(patience, "--first-byte-timeout")
    guard outgoing.isSent else {
      let part = "\(outgoing.sent) of \(outgoing.count) bytes"
      return fail(.writeTimeout, "\(origin) read \(part), then no more for \(limit).")
    }
    let what = parser.hasSeenBytes ? "did not finish its header section" : "sent no response"
    fail(.firstByteTimeout, "\(origin) \(what) within \(limit).")
  }
}
