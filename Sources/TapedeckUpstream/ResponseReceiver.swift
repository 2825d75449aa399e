internal import Glibc
internal import TapedeckHTTP

/// Turns the bytes of an origin into calls of a sink, trusting none of them.
///
/// A head is collected and parsed by a parser that refuses what a proxy must refuse, the body is counted or decoded. The
/// message ends the moment its framing says so; what comes after that never reaches the sink and spoils the connection
/// for others. Once closed, the sink is not called any more. How the bytes were cut makes no difference.
final class ResponseReceiver {
  private enum Stage { case head, body, ended, closed }

  /// RFC 9110 §15.2 sets no bound on interim answers; this is ours.
  static let maxInterimAnswers = 32

  private let method: HTTPMethod
  private let limits: HTTPLimits
  private let origin: UpstreamOrigin
  private let onToleratedFault: (ToleratedFault) -> Void
  private var sink: (any ResponseSink)?
  private var stage = Stage.head
  private var head: [UInt8] = []
  /// Where in `head` the line begins whose end has not come yet.
  private var lineStart = 0
  private var framing = BodyFraming.none
  private var remaining = 0
  private var decoder: ChunkedDecoder
  private var hasTold = false
  /// Held by being the sink.
  private weak var portCheck: TLSPortCheck?

  /// Whether the sink wants no more for now.
  private(set) var isPaused = false
  /// Whether the connection may carry another exchange, as far as this one tells.
  private(set) var allowsReuse = true
  private(set) var hasSeenBytes = false
  /// Complete heads that were not the final one.
  private(set) var interimCount = 0
  /// Whether silence is normal in this body.
  private(set) var isEventStream = false

  init(sink: any ResponseSink, method: HTTPMethod, _ configuration: UpstreamConfiguration) {
    self.sink = sink
    self.method = method
    origin = configuration.origin
    limits = configuration.limits
    onToleratedFault = configuration.onToleratedFault
    decoder = ChunkedDecoder(limits: limits, toleratesBlanks: true)
  }

  var isWaitingForHead: Bool { stage == .head }
  /// Whether the response that has ended could have a body.
  var hasBody: Bool { framing != .none && framing != .length(0) }
  /// Whether only the end of the connection can tell that the body is complete.
  var isInsideOpenEndedBody: Bool { stage == .body && framing == .untilClose }
  /// Whether the whole answer has come.
  var isComplete: Bool { stage == .ended }
  /// Whether the sink will hear nothing more.
  var isOver: Bool { stage == .ended || stage == .closed }

  /// What came next.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes
    while stage == .head, !rest.isEmpty {
      rest = UnsafeRawBufferPointer(rebasing: rest[receiveHead(rest)...])
    }
    if !rest.isEmpty { receiveBody(rest) }
  }

  // MARK: The head

  /// Takes what belongs to the head, and returns how much that is.
  private func receiveHead(_ bytes: UnsafeRawBufferPointer) -> Int {
    hasSeenBytes = true
    let end = endOfHead(bytes)
    let piece = UnsafeRawBufferPointer(rebasing: bytes[..<(end ?? bytes.count)])
    if head.isEmpty, TLSPortCheck.isAlert(piece) {
      tell(TLSPortCheck.failure(origin))
    } else if !goesOnLikeHTTP(piece) {
      fail(.protocolError, "it does not begin like one of HTTP/1.1")
    } else if head.count + piece.count > limits.headBytes {
      fail(.headTooLarge, "it is larger than \(limits.headBytes) bytes")
    } else {
      head.append(contentsOf: piece)
      if end != nil { completeHead() }
    }
    return piece.count
  }

  /// The offset behind the blank line that ends the head; nil when it has not come. Lines may end in a bare LF.
  private func endOfHead(_ bytes: UnsafeRawBufferPointer) -> Int? {
    // Below zero where the line began before these bytes.
    var line = lineStart - head.count
    while let lineFeed = Self.firstLineFeed(bytes, from: max(0, line)) {
      let isReturn = (lineFeed > 0 ? bytes[lineFeed - 1] : head.last) == 0x0D
      if lineFeed == line || isReturn && lineFeed == line + 1 { return lineFeed + 1 }
      line = lineFeed + 1
    }
    lineStart = head.count + line
    return nil
  }

  private static func firstLineFeed(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count, let first = bytes.baseAddress else { return nil }
    return memchr(first + start, 0x0A, bytes.count - start).map { UnsafeRawPointer($0) - first }
  }

  /// Another protocol is told apart by its first bytes: a line may never come.
  private func goesOnLikeHTTP(_ piece: UnsafeRawBufferPointer) -> Bool {
    Self.canFollow(head.count, piece)
  }

  /// Whether a response can begin with these bytes.
  static func canBegin(_ bytes: UnsafeMutableRawBufferPointer.SubSequence) -> Bool {
    canFollow(0, UnsafeRawBufferPointer(rebasing: bytes))
  }

  private static func canFollow(_ count: Int, _ piece: UnsafeRawBufferPointer) -> Bool {
    zip("HTTP/".utf8.dropFirst(count), piece).allSatisfy { $0 == $1 }
  }

  private func completeHead() {
    do throws(HTTPParseError) {
      var parsed = try HTTP1ResponseHeadParser.parse(head, limits: limits)
      head = []
      lineStart = 0
      if parsed.status < 200 { return passInterim(parsed) }
      let framing = try BodyFraming.response(parsed, to: method)
      if try parsed.fields.unifyContentLength() { tolerate(.repeatedContentLength) }
      begin(parsed, framing: framing)
    } catch {
      let isSize = error == .headTooLarge || error == .tooManyFields
      fail(isSize ? .headTooLarge : .protocolError, "\(error)")
    }
  }

  private func passInterim(_ parsed: HTTPResponseHead) {
    interimCount += 1
    guard interimCount <= Self.maxInterimAnswers else {
      return fail(.headTooLarge, "it sent more than \(Self.maxInterimAnswers) interim answers")
    }
    // RFC 9110 §15.2.2: only a client that asked for an upgrade may get 101, and we ask for none.
    guard parsed.status != 101 else {
      return fail(.protocolError, "it switches protocols, which nobody asked for")
    }
    // RFC 9110 §15.2: a proxy forwards interim answers; 100 answers an expectation that was met here already.
    guard parsed.status != 100 else { return }
    var head = parsed
    head.fields.removeHopByHop()
    // RFC 9110 §8.6: no Content-Length in a 1xx.
    head.fields.removeAll("content-length")
    sink?.informational(head)
  }

  private func begin(_ parsed: HTTPResponseHead, framing: BodyFraming) {
    var head = parsed
    if !head.keepsAlive || framing == .untilClose { allowsReuse = false }
    if framing == .chunked, head.version == .http10 {
      // RFC 9112 §6.1: the framing is at fault, so nothing is read behind this response.
      allowsReuse = false
      tolerate(.chunkedInHTTP10)
    }
    head.removeHopByHop()
    // RFC 9110 §8.6: no Content-Length in a 204.
    if head.status == 204 { head.fields.removeAll("content-length") }
    if case .length(let length) = framing { remaining = length }
    self.framing = framing
    isEventStream = Self.isEventStream(head.fields)
    stage = .body
    if let sink, origin.scheme == .http, TLSPortCheck.concerns(head, framing) {
      let portCheck = TLSPortCheck(sink)
      self.portCheck = portCheck
      self.sink = portCheck
    }
    sink?.begin(head, framing: framing)
    if stage == .body, framing == .none || framing == .length(0) { end(trailers: HTTPFields()) }
  }

  private func tolerate(_ fault: ToleratedFault) { onToleratedFault(fault) }

  private static func isEventStream(_ fields: HTTPFields) -> Bool {
    let start = "text/event-stream".utf8
    guard let type = fields.first("content-type"), type.count >= start.count else { return false }
    return zip(type, start).allSatisfy { ($0 &- 0x41 < 26 ? $0 | 0x20 : $0) == $1 }
  }

  // MARK: The body

  /// A piece of the body, in the framing it came in, and perhaps of what should not come behind it.
  private func receiveBody(_ bytes: UnsafeRawBufferPointer) {
    guard stage == .body else { return allowsReuse = false }
    switch framing {
    case .chunked: decode(bytes)
    case .length, .none: count(bytes)
    case .untilClose: deliver(bytes, endsChunk: false)
    }
  }

  private func count(_ bytes: UnsafeRawBufferPointer) {
    let size = min(remaining, bytes.count)
    remaining -= size
    // RFC 9112 §6.3: bytes beyond Content-Length are no part of the message.
    if size < bytes.count { allowsReuse = false }
    deliver(UnsafeRawBufferPointer(rebasing: bytes[..<size]), endsChunk: false)
    if stage == .body, remaining == 0 { end(trailers: HTTPFields()) }
  }

  private func decode(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    do throws(HTTPParseError) {
      while stage == .body, let event = try decoder.next(bytes, at: &offset) {
        tellOfBlanks()
        switch event {
        case .data(let range, let endsChunk):
          deliver(UnsafeRawBufferPointer(rebasing: bytes[range]), endsChunk: endsChunk)
        case .end(let trailers):
          if offset < bytes.count { allowsReuse = false }
          end(trailers: trailers)
        }
      }
    } catch {
      fail(.protocolError, "\(error)")
    }
  }

  private func tellOfBlanks() {
    guard decoder.hasSeenBlanks, !hasTold else { return }
    hasTold = true
    tolerate(.blankAfterChunkSize)
  }

  private func deliver(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) {
    guard !bytes.isEmpty, let sink else { return }
    switch sink.write(bytes, endsChunk: endsChunk) {
    case .more: break
    case .wait: isPaused = true
    case .gone: close()
    }
  }

  /// The sink has room again.
  func resume() { isPaused = false }

  // MARK: The end

  /// The connection has ended, or cannot go on: a failure, or nothing against the answer.
  func finish(_ failure: UpstreamFailure?) {
    guard !isOver else { return }
    if let failure { return tell(failure) }
    switch stage {
    case .body where framing == .untilClose: end(trailers: HTTPFields())
    case .body: fail(.incomplete, "it broke off inside the body")
    default: fail(.incomplete, "it broke off inside the header section")
    }
  }

  /// The client left: the sink is forgotten.
  func close() {
    sink = nil
    if stage != .ended { stage = .closed }
  }

  private func end(trailers: HTTPFields) {
    if portCheck?.isRecognised == true { return tell(TLSPortCheck.failure(origin)) }
    let sink = sink
    self.sink = nil
    stage = .ended
    sink?.end(trailers: trailers)
  }

  private func fail(_ cause: UpstreamFailure.Cause, _ why: String) {
    tell(UpstreamFailure(cause, "The answer of \(origin) was refused: \(why)."))
  }

  private func tell(_ failure: UpstreamFailure) {
    let sink = sink
    self.sink = nil
    allowsReuse = false
    stage = .closed
    sink?.fail(failure.response)
  }
}
