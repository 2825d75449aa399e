internal import TapedeckHTTP

/// Parses the response to one request, strictly and without I/O.
///
/// Input may be cut anywhere. The message ends as soon as its framing says so; bytes after it belong to no
/// event and prevent reuse of the connection. After `.end` or an error the parser is done.
struct ResponseParser {
  enum Event {
    /// An interim response that a proxy forwards (RFC 9110 §15.2).
    case interim(HTTPResponseHead)
    case head(HTTPResponseHead, BodyFraming)
    /// Body bytes at these offsets of the buffer; `endsChunk` when they complete one of the origin's chunks.
    case data(Range<Int>, endsChunk: Bool)
    case end(trailers: HTTPFields)
  }

  private enum Stage { case head, body, ended }

  /// Our limit; RFC 9110 §15.2 sets none.
  static let maxInterimResponses = 32

  private let method: HTTPMethod
  /// Of a request that opens a WebSocket.
  private let handshake: WebSocketHandshake?
  /// Whether the client waits for the origin's 100.
  private let expectsContinue: Bool
  private let limits: HTTPLimits
  private let onToleratedFault: (ToleratedFault) -> Void
  private var stage = Stage.head
  private var head: [UInt8] = []
  private var lineStart = 0
  private var framing = BodyFraming.none
  private var remaining = 0
  private var decoder: ChunkedDecoder
  private var hasReportedBlanks = false

  /// Whether the response allows reuse of the connection.
  private(set) var allowsReuse = true
  private(set) var hasSeenBytes = false
  private(set) var interimCount = 0
  /// Whether pauses are normal in this body.
  private(set) var isEventStream = false
  /// Whether the rest are bytes of a WebSocket.
  private(set) var hasSwitched = false

  /// - Parameters:
  ///   - method: of the request; decides whether the response has a body.
  ///   - handshake: of a request that opens a WebSocket.
  ///   - expectsContinue: whether the client waits for the origin's 100, which is forwarded then.
  init(
    to method: HTTPMethod, limits: HTTPLimits, handshake: WebSocketHandshake? = nil,
    expectsContinue: Bool = false,
    onToleratedFault: @escaping (ToleratedFault) -> Void
  ) {
    self.method = method
    self.expectsContinue = expectsContinue
    self.handshake = handshake
    self.limits = limits
    self.onToleratedFault = onToleratedFault
    decoder = ChunkedDecoder(limits: limits, toleratesBlanks: true)
  }

  var isReadingHead: Bool { stage == .head }
  var hasBody: Bool { framing != .none && framing != .length(0) }
  var isInsideOpenEndedBody: Bool { stage == .body && framing == .untilClose }

  /// Returns the next event, reading `bytes` from `offset`; `nil` when all bytes are used up.
  mutating func next(
    _ bytes: UnsafeRawBufferPointer, at offset: inout Int
  ) throws(UpstreamFailure) -> Event? {
    switch stage {
    case .head: try readHead(bytes, at: &offset)
    case .body:
      if case .chunked = framing { try decode(bytes, at: &offset) } else { count(bytes, at: &offset) }
    case .ended: nil
    }
  }

  /// Called when the origin ends the connection. Throws unless the body ends that way.
  func endOfStream() throws(UpstreamFailure) {
    if isInsideOpenEndedBody { return }
    let place = stage == .head ? "the header section" : "the body"
    throw UpstreamFailure(.incomplete, "it broke off inside \(place)")
  }

  private mutating func readHead(
    _ bytes: UnsafeRawBufferPointer, at offset: inout Int
  ) throws(UpstreamFailure) -> Event? {
    while offset < bytes.count {
      hasSeenBytes = true
      let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
      let end = endOfHead(rest)
      let piece = UnsafeRawBufferPointer(rebasing: rest[..<(end ?? rest.count)])
      guard Self.canFollow(head.count, piece) else {
        throw UpstreamFailure(.protocolError, "it does not begin like one of HTTP/1.1")
      }
      guard head.count + piece.count <= limits.headBytes else {
        throw UpstreamFailure(.headTooLarge, "it is larger than \(limits.headBytes) bytes")
      }
      head.append(contentsOf: piece)
      offset += piece.count
      if end != nil, let event = try completeHead() { return event }
    }
    return nil
  }

  /// The offset after the blank line that ends the head, if it has come. Lines may end in a bare LF.
  private mutating func endOfHead(_ bytes: UnsafeRawBufferPointer) -> Int? {
    // Negative if the line began before these bytes.
    var line = lineStart - head.count
    while let lineFeed = bytes.index(of: 0x0A, from: max(0, line)) {
      let isReturn = (lineFeed > 0 ? bytes[lineFeed - 1] : head.last) == 0x0D
      if lineFeed == line || isReturn && lineFeed == line + 1 { return lineFeed + 1 }
      line = lineFeed + 1
    }
    lineStart = head.count + line
    return nil
  }

  static func canBegin(_ bytes: UnsafeRawBufferPointer) -> Bool { canFollow(0, bytes) }

  /// Detects another protocol by its first bytes, because it may never send a line.
  private static func canFollow(_ count: Int, _ piece: UnsafeRawBufferPointer) -> Bool {
    let name: StaticString = "HTTP/"
    guard count < name.utf8CodeUnitCount else { return true }
    let part = min(piece.count, name.utf8CodeUnitCount - count)
    return piece.holds(UnsafeRawBufferPointer(start: name.utf8Start + count, count: part))
  }

  /// The event of the collected head; `nil` for an interim response that is not forwarded.
  private mutating func completeHead() throws(UpstreamFailure) -> Event? {
    let parsed: HTTPResponseHead
    do throws(HTTPParseError) { parsed = try parseHead() } catch {
      let isSize = error == .headTooLarge || error == .tooManyFields
      throw UpstreamFailure(isSize ? .headTooLarge : .protocolError, "\(error)")
    }
    if parsed.status == 101 { return try switchProtocols(parsed) }
    return parsed.status < 200 ? try interim(parsed) : begin(parsed)
  }

  private mutating func parseHead() throws(HTTPParseError) -> HTTPResponseHead {
    var parsed = try HTTP1ResponseHeadParser.parse(head, limits: limits)
    head = []
    lineStart = 0
    guard parsed.status >= 200 else { return parsed }
    framing = try BodyFraming.response(parsed, to: method)
    if try parsed.fields.unifyContentLength() { onToleratedFault(.repeatedContentLength) }
    return parsed
  }

  private mutating func interim(_ parsed: HTTPResponseHead) throws(UpstreamFailure) -> Event? {
    interimCount += 1
    guard interimCount <= Self.maxInterimResponses else {
      let detail = "it sent more than \(Self.maxInterimResponses) interim responses"
      throw UpstreamFailure(.headTooLarge, detail)
    }
    // RFC 9110 §15.2: a proxy forwards interim responses, but an expectation that it did not forward is met already.
    guard parsed.status != 100 || expectsContinue else { return nil }
    var head = parsed
    head.fields.removeHopByHop()
    // RFC 9110 §8.6: no Content-Length in a 1xx.
    head.fields.removeAll("content-length")
    return .interim(head)
  }

  /// RFC 9110 §15.2.2: 101 needs a request for an upgrade, and only that of a WebSocket is sent.
  private mutating func switchProtocols(_ parsed: HTTPResponseHead) throws(UpstreamFailure) -> Event? {
    guard let handshake else {
      throw UpstreamFailure(.protocolError, "it switches protocols without being asked to")
    }
    if let problem = handshake.problem(with: parsed) { throw UpstreamFailure(.protocolError, problem) }
    hasSwitched = true
    framing = .untilClose
    guard case .head(let head, _) = begin(parsed) else { return nil }
    return .head(head, .none)
  }

  private mutating func begin(_ parsed: HTTPResponseHead) -> Event {
    var head = parsed
    if !head.keepsAlive || framing == .untilClose { allowsReuse = false }
    if framing == .chunked, head.version == .http10 {
      // RFC 9112 §6.1: the framing is faulty, so nothing after this response is read.
      allowsReuse = false
      onToleratedFault(.chunkedInHTTP10)
    }
    head.removeHopByHop()
    // RFC 9110 §8.6: no Content-Length in a 204.
    if head.status == 204 { head.fields.removeAll("content-length") }
    switch framing {
    case .length(let length): remaining = length
    case .untilClose: remaining = .max
    case .none, .chunked: break
    }
    isEventStream = Self.isEventStream(head.fields)
    stage = .body
    return .head(head, framing)
  }

  private static func isEventStream(_ fields: HTTPFields) -> Bool {
    let start = "text/event-stream".utf8
    guard let type = fields.first("content-type"), type.count >= start.count else { return false }
    return zip(type, start).allSatisfy { ASCII.lowercased($0) == $1 }
  }

  private mutating func count(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) -> Event? {
    if remaining == 0 { return end(HTTPFields(), unread: bytes.count - offset) }
    let range = offset..<offset + min(remaining, bytes.count - offset)
    guard !range.isEmpty else { return nil }
    offset = range.upperBound
    remaining -= range.count
    return .data(range, endsChunk: false)
  }

  private mutating func decode(
    _ bytes: UnsafeRawBufferPointer, at offset: inout Int
  ) throws(UpstreamFailure) -> Event? {
    do throws(HTTPParseError) {
      guard let event = try decoder.next(bytes, at: &offset) else { return nil }
      if decoder.hasSeenBlanks, !hasReportedBlanks {
        hasReportedBlanks = true
        onToleratedFault(.blankAfterChunkSize)
      }
      switch event {
      case .data(let range, let endsChunk): return .data(range, endsChunk: endsChunk)
      case .end(let trailers): return end(trailers, unread: bytes.count - offset)
      }
    } catch {
      throw UpstreamFailure(.protocolError, "\(error)")
    }
  }

  private mutating func end(_ trailers: HTTPFields, unread: Int) -> Event {
    stage = .ended
    // RFC 9112 §6.3: bytes after the message are not part of it.
    if unread > 0 { allowsReuse = false }
    return .end(trailers: trailers)
  }
}
