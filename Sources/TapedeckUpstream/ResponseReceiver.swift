internal import TapedeckHTTP

/// Turns what libcurl delivers into calls of a sink, trusting none of it.
///
/// libcurl 7.88.1 reports success for answers a proxy must refuse. So head lines are collected
/// raw and parsed by our own parser, the body is counted or decoded by our own framing model, and libcurl's
/// word counts only where it says that something failed. The message ends the moment the model says so; what
/// comes after that never reaches the sink and spoils the connection for others. Once closed, the sink is not
/// called any more.
final class ResponseReceiver {
  enum Verdict { case taken, pause, abort }

  private enum Stage { case head, body, ended, closed }

  /// RFC 9110 §15.2 sets no bound on interim answers; this is ours.
  static let maxInterimAnswers = 32

  private let method: HTTPMethod
  private let limits: HTTPLimits
  private let origin: UpstreamOrigin
  private var sink: (any ResponseSink)?
  private var stage = Stage.head
  private var head: [UInt8] = []
  private var framing = BodyFraming.none
  private var remaining = 0
  private var decoder: ChunkedDecoder

  /// Whether the sink wants no more for now.
  private(set) var isPaused = false
  /// Whether libcurl was told to pause, so that it must be told to go on.
  private(set) var isHeldBack = false
  /// Whether the connection may carry another exchange, as far as this one tells.
  private(set) var allowsReuse = true
  private(set) var hasSeenBytes = false
  /// Complete heads that were not the final one.
  private(set) var interimCount = 0
  /// Whether silence is normal in this body.
  private(set) var isEventStream = false

  init(sink: any ResponseSink, method: HTTPMethod, origin: UpstreamOrigin, limits: HTTPLimits) {
    self.sink = sink
    self.method = method
    self.origin = origin
    self.limits = limits
    decoder = ChunkedDecoder(limits: limits)
  }

  var isWaitingForHead: Bool { stage == .head }
  /// Whether only the end of the connection can tell that the body is complete.
  var isInsideOpenEndedBody: Bool { stage == .body && framing == .untilClose }
  /// Whether the sink has heard everything, though libcurl may not have noticed.
  var isOver: Bool { stage == .ended || stage == .closed }

  // MARK: The head

  /// One line with its end, as libcurl saw it. False when the transfer is to be given up.
  func receiveHeadLine(_ line: UnsafeRawBufferPointer) -> Bool {
    guard stage == .head else {
      // Trailers come through our own decoder; whatever this is, it belongs to no head of this exchange.
      allowsReuse = false
      return stage != .closed
    }
    hasSeenBytes = true
    guard Self.append(line, to: &head, limit: limits.headBytes) else {
      fail(.headTooLarge, "it is larger than \(limits.headBytes) bytes")
      return false
    }
    let isBlank = line.count == 2 ? line[0] == 0x0D && line[1] == 0x0A : line.count == 1 && line[0] == 0x0A
    return isBlank ? completeHead() : true
  }

  private static func append(_ line: UnsafeRawBufferPointer, to head: inout [UInt8], limit: Int) -> Bool {
    guard head.count + line.count <= limit else { return false }
    if head.isEmpty { head.reserveCapacity(512) }
    head.append(contentsOf: line)
    return true
  }

  private func completeHead() -> Bool {
    do throws(HTTPParseError) {
      let parsed = try HTTP1ResponseHeadParser.parse(head, limits: limits)
      head = []
      if parsed.status < 200 { return passInterim(parsed) }
      return begin(parsed, framing: try BodyFraming.response(parsed, to: method))
    } catch {
      let isSize = error == .headTooLarge || error == .tooManyFields
      fail(isSize ? .headTooLarge : .protocolError, "\(error)")
      return false
    }
  }

  private func passInterim(_ parsed: HTTPResponseHead) -> Bool {
    interimCount += 1
    guard interimCount <= Self.maxInterimAnswers else {
      fail(.headTooLarge, "it sent more than \(Self.maxInterimAnswers) interim answers")
      return false
    }
    // RFC 9110 §15.2.2: only a client that asked for an upgrade may get 101, and we ask for none.
    guard parsed.status != 101 else {
      fail(.protocolError, "it switches protocols, which nobody asked for")
      return false
    }
    // RFC 9110 §15.2: a proxy forwards interim answers; 100 answers an expectation that was met here already.
    guard parsed.status != 100 else { return true }
    var head = parsed
    head.fields.removeHopByHop()
    // RFC 9110 §8.6: no Content-Length in a 1xx.
    head.fields.removeAll("content-length")
    sink?.informational(head)
    return stage == .head
  }

  private func begin(_ parsed: HTTPResponseHead, framing: BodyFraming) -> Bool {
    var head = parsed
    head.fields.removeHopByHop()
    // RFC 9110 §8.6: no Content-Length in a 204.
    if head.status == 204 { head.fields.removeAll("content-length") }
    if case .length(let length) = framing {
      remaining = length
      Self.writeCanonicalLength(length, into: &head.fields)
    }
    // libcurl drops what follows a head without body silently, so nobody can tell whether something did.
    if framing == .none || framing == .length(0) { allowsReuse = false }
    self.framing = framing
    isEventStream = Self.isEventStream(head.fields)
    stage = .body
    sink?.begin(head, framing: framing)
    if stage == .body, framing == .none || framing == .length(0) { end(trailers: HTTPFields()) }
    return stage != .closed
  }

  /// RFC 9110 §8.6 lets leading zeros pass; they are not passed on.
  private static func writeCanonicalLength(_ length: Int, into fields: inout HTTPFields) {
    guard let index = fields.index(of: "content-length") else { return }
    let digits = fields.value(at: index)
    guard digits.count > 1, digits.first == UInt8(ascii: "0") else { return }
    try? fields.replaceValue(at: index, with: Array("\(length)".utf8))
  }

  private static func isEventStream(_ fields: HTTPFields) -> Bool {
    let start = "text/event-stream".utf8
    guard let type = fields.first("content-type"), type.count >= start.count else { return false }
    return zip(type, start).allSatisfy { ($0 &- 0x41 < 26 ? $0 | 0x20 : $0) == $1 }
  }

  // MARK: The body

  /// A piece of the body, in the framing it came in.
  func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Verdict {
    switch stage {
    case .closed: return .abort
    case .ended:
      if !bytes.isEmpty { allowsReuse = false }
      return .taken
    case .head:
      fail(.protocolError, "its body came before its header section was complete")
      return .abort
    case .body: break
    }
    guard !isPaused else {
      isHeldBack = true
      return .pause
    }
    switch framing {
    case .chunked: decode(bytes)
    case .length, .none: count(bytes)
    case .untilClose: deliver(bytes, endsChunk: false)
    }
    return stage == .closed ? .abort : .taken
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

  private func deliver(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) {
    guard !bytes.isEmpty, let sink else { return }
    switch sink.write(bytes, endsChunk: endsChunk) {
    case .more: break
    case .wait: isPaused = true
    case .gone: close()
    }
  }

  /// The sink has room again.
  func resume() {
    isPaused = false
    isHeldBack = false
  }

  // MARK: The end

  /// libcurl's last word: a failure, or nothing against it.
  func finish(_ failure: UpstreamFailure?) {
    guard !isOver else { return }
    if let failure { return tell(failure) }
    switch stage {
    case .body where framing == .untilClose: end(trailers: HTTPFields())
    case .body: fail(.incomplete, "it broke off inside the body")
    // libcurl reports success for a header section that breaks off (B19).
    default: fail(.incomplete, "it broke off inside the header section")
    }
  }

  /// The client left: the sink is forgotten.
  func close() {
    sink = nil
    if stage != .ended { stage = .closed }
  }

  private func end(trailers: HTTPFields) {
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
