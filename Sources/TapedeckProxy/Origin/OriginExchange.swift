internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckSockets
internal import TapedeckUpstream

/// A response that streams from the origin to a client, and is recorded on the way if the exchange is to be recorded.
///
/// Pieces are passed on at once. Only what would complete the response for the client waits until the exchange is in the
/// journal, which is written at the end of the loop's turn, once for all: the piece that reaches Content-Length, the last
/// chunk, a head without a body. Only complete exchanges are recorded, and streams that the client left, marked as cut. A
/// body of known length that the client left is a broken download, and not recorded.
///
/// A request is recorded with its whole body. Where the origin has responded before it had that, the client gets the
/// response at once, and the exchange is recorded when the rest of the body has come, or not at all.
final class OriginExchange: StreamFilter, TunnelSource, UploadSink {
  private let request: HTTPRequest
  private let upstream: UpstreamExchange
  var source: any ResponseSource { upstream }
  // What is called while one of these is used does not come back to it.
  @exclusivity(unchecked) var sink: (any ResponseSink)?
  private let cassette: InsertedCassette
  private let loop: EventLoop
  /// The place of the request in the recording; `nil` if it is only forwarded.
  private let arrival: Int?
  private let rewriter: OriginRewriter?
  /// By which the client reached us.
  private let proxyAuthority: [UInt8]
  @exclusivity(unchecked) private var head: HTTPResponseHead?
  private var framing = BodyFraming.none
  @exclusivity(unchecked) private var interim: [HTTPResponseHead] = []
  @exclusivity(unchecked) private var recording: ResponseRecording?
  private var webSocket: WebSocketRecording?
  /// How many of the client's next bytes were read before there was room for them.
  private var noted = 0
  @exclusivity(unchecked) private var heldHead: HTTPResponseHead?
  @exclusivity(unchecked) private var heldPiece: [UInt8] = []
  private var received = 0
  /// How many bytes of the body were searched for the origin's address.
  private var searched = 0
  /// The body of an upload that is recorded.
  private var upload: UploadRecording?
  /// The number of bytes of an upload that have not come.
  private var uploadRemaining: Int
  /// The trailers of a complete response to an incomplete upload.
  private var trailersOfEarlyResponse: HTTPFields?
  /// Whether the response is complete; a client that leaves while it waits for the end, or gets it, changes nothing.
  private var isComplete = false

  init(
    _ request: HTTPRequest, rewriter: OriginRewriter?, proxyAuthority: [UInt8], client: UpstreamClient,
    cassette: InsertedCassette, arrival: Int?, loop: EventLoop
  ) {
    self.request = request
    self.loop = loop
    self.cassette = cassette
    self.arrival = arrival
    self.rewriter = rewriter
    self.proxyAuthority = proxyAuthority
    uploadRemaining = request.uploadBytes ?? 0
    if arrival != nil, request.uploadBytes != nil { upload = UploadRecording(of: request, cassette) }
    upstream = client.fetch(request)
  }

  // MARK: From the client

  func cancel() {
    guard !isComplete else { return sink = nil }
    guard sink != nil else { return }
    cassette.countFailed(request, nil)
    stop()
  }

  func clientLeft() {
    guard !isComplete else { return sink = nil }
    guard sink != nil else { return }
    if isSwitched { return leaveWebSocket() }
    let isStream = framing == .chunked || framing == .untilClose
    if isStream, received > 0, recording != nil, uploadRemaining == 0 {
      record(trailers: HTTPFields(), isCutByClient: true)
    } else if isStream, arrival == nil {
      cassette.statistics.count(\.forwarded)
    } else if cassette.statistics.count(\.left), arrival != nil {
      cassette.tellLeft(request)
    }
    stop()
  }

  /// Whether the response has opened a WebSocket, whose bytes follow.
  private var isSwitched: Bool { head?.status == 101 }

  var onRoom: () -> Void {
    get { upstream.onRoom }
    set { upstream.onRoom = newValue }
  }

  /// The client's side of a WebSocket, or an upload.
  func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard request.uploadBytes == nil else { return takeUpload(bytes) }
    if noted < bytes.count {
      webSocket?.note(UnsafeRawBufferPointer(rebasing: bytes[noted...]), from: .client)
      noted = bytes.count
    }
    let count = upstream.take(bytes)
    noted -= count
    return count
  }

  private func takeUpload(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard upstream.startTime != nil else { return 0 }
    let count = sink == nil ? bytes.count : upstream.take(bytes)
    upload?.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    uploadRemaining -= count
    if uploadRemaining == 0, let trailers = trailersOfEarlyResponse.take() { record(trailers: trailers) }
    return count
  }

  func uploadBrokeOff() {
    guard trailersOfEarlyResponse.take() != nil else { return }
    upload = nil
    recording = nil
    if cassette.statistics.count(\.left) { cassette.tellUnsent(request) }
  }

  /// Records the handshake, before the client knows of it.
  private func openWebSocket() {
    guard let arrival, recording != nil else { return }
    record(trailers: HTTPFields())
    webSocket = WebSocketRecording(of: request, arrival: arrival, since: upstream.startTime, cassette)
  }

  /// What was said is remembered already.
  private func leaveWebSocket() {
    if arrival == nil { cassette.statistics.count(\.forwarded) }
    stop()
  }

  private func stop() {
    recording = nil
    upload = nil
    cancelSource()
  }

  // MARK: From the origin

  func informational(_ head: HTTPResponseHead) {
    // A 100 is about the way of the request, not a part of the response (RFC 9110 §15.2.1).
    if arrival != nil, head.status != 100 { interim.append(head) }
    sink?.informational(rewritten(head))
  }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    self.head = head
    self.framing = framing
    if arrival != nil { recording = ResponseRecording(of: request, head, framing, cassette) }
    rewriter?.search(head.fields, for: cassette.statistics.mentions, of: shownRequest)
    if isSwitched {
      openWebSocket()
      sink?.begin(rewritten(head), framing: framing)
    } else if recording != nil, framing == .none || framing == .length(0) {
      heldHead = rewritten(head)
    } else {
      sink?.begin(rewritten(head), framing: framing)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    guard sink != nil else { return .gone }
    if isSwitched {
      webSocket?.note(bytes, from: .server)
      return pass(bytes, endsChunk: endsChunk)
    }
    search(bytes)
    guard recording != nil else { return pass(bytes, endsChunk: endsChunk) }
    recording?.append(bytes, endsChunk: endsChunk, since: upstream.startTime)
    received += bytes.count
    if case .length(received) = framing {
      heldPiece = Array(bytes)
      return .more
    }
    return pass(bytes, endsChunk: endsChunk)
  }

  func end(trailers: HTTPFields) {
    guard sink != nil else { return }
    isComplete = true
    if isSwitched {
      if arrival == nil { cassette.statistics.count(\.forwarded) }
    } else if recording == nil {
      cassette.statistics.count(\.forwarded)
    } else if uploadRemaining > 0 {
      trailersOfEarlyResponse = trailers
    } else if let number = collect(trailers: trailers) {
      return loop.atTurnEnd { [self] in
        cassette.commit(number)
        passEnd(trailers)
      }
    }
    passEnd(trailers)
  }

  /// Passes on what completes the response for the client.
  private func passEnd(_ trailers: HTTPFields) {
    if let heldHead { sink?.begin(heldHead, framing: framing) }
    if !heldPiece.isEmpty { _ = heldPiece.withUnsafeBytes { pass($0, endsChunk: true) } }
    finish { $0.end(trailers: trailers) }
  }

  func fail(_ response: HTTPResponse) {
    recording = nil
    upload = nil
    cassette.countFailed(request, response.failure)
    finish { $0.fail(response) }
  }

  // MARK: The origin's address

  private func rewritten(_ head: HTTPResponseHead) -> HTTPResponseHead {
    guard let rewriter else { return head }
    var head = head
    head.fields = rewriter.rewritten(head.fields, proxyAuthority: proxyAuthority)
    return head
  }

  /// Looks for the origin's address in the beginning of a text, in each piece by itself.
  private func search(_ bytes: UnsafeRawBufferPointer) {
    guard searched < OriginRewriter.searchedBodyBytes, let head, let rewriter else { return }
    searched += bytes.count
    rewriter.search(head, body: bytes, for: cassette.statistics.mentions, of: shownRequest)
  }

  private func shownRequest() -> HTTPRequest {
    var shown = request
    shown.target = cassette.shownTarget(request)
    return shown
  }

  // MARK: The recording

  /// Returns when the exchange is safe, or when it is clear that it cannot be.
  private func record(trailers: HTTPFields, isCutByClient: Bool = false) {
    if let number = collect(trailers: trailers, isCutByClient: isCutByClient) { cassette.commit(number) }
  }

  /// Puts together what is recorded, and hands it to the cassette.
  /// - Returns: its number for `commit`; `nil` if it is not recorded.
  private func collect(trailers: HTTPFields, isCutByClient: Bool = false) -> Int? {
    guard let recording = recording.take(), let head, let arrival else { return nil }
    guard let (body, chunks) = recording.finish(since: upstream.startTime) else { return nil }
    var requestBody = RecordedBody.bytes(request.body)
    if request.uploadBytes != nil {
      guard let whole = upload.take()?.finish() else { return nil }
      requestBody = whole
    }
    let isChunked = framing == .chunked
    var interaction = Interaction(
      request: cassette.storable(request, sent: upstream.sentFields),
      response: RecordedResponse(
        head: head, body: body, chunkSizes: isChunked ? chunks.sizes : nil, trailers: trailers,
        isCloseDelimited: framing == .untilClose),
      volatile: VolatileFacts(
        recordedAtMicroseconds: WallClock.microseconds,
        durationMilliseconds: ChunkLog.milliseconds(since: upstream.startTime),
        remoteAddress: upstream.remoteAddress,
        chunkOffsetsMilliseconds: isChunked ? chunks.offsetsMilliseconds : nil))
    interaction.response.interim = interim
    interaction.response.isCutByClient = isCutByClient
    if isSwitched { interaction.response.webSocket = RecordedWebSocket() }
    if request.asksForWebSocket { interaction.removeHandshakeKeys() }
    interaction.setRequestBody(requestBody)
    return cassette.add(redacting: &interaction, arrival: arrival)
  }
}

extension InsertedCassette {
  /// A request as it is recorded.
  /// - Parameter fields: those that the origin was sent.
  func storable(_ request: HTTPRequest, sent fields: HTTPFields) -> HTTPRequest {
    var sent = request
    var head = request.head
    head.fields = fields
    head.fields.removeAll("expect")
    if !recordsHosts { head.authority = [] }
    sent.head = head
    return sent
  }
}

extension Interaction {
  /// Removes the keys of a WebSocket's handshake: they are random, and a replayed handshake has its own (RFC 6455 §4).
  mutating func removeHandshakeKeys() {
    request.fields.removeAll("sec-websocket-key")
    response.head.fields.removeAll("sec-websocket-accept")
  }
}
