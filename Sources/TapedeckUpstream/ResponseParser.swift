internal import TapedeckHTTP

/// Reads the response to one request from the bytes of an origin, strictly and without I/O.
///
/// Bytes go in as they arrive, cut anywhere; events come out. The head parser refuses what a proxy must refuse, the body
/// is counted or decoded. The message ends as soon as its framing says so: bytes behind it belong to no event, and
/// forbid the reuse of the connection. After `.end` or an error the parser is done.
struct ResponseParser {
  enum Event {
    /// An interim response that a proxy passes on (RFC 9110 §15.2).
    case interim(HTTPResponseHead)
    case head(HTTPResponseHead, BodyFraming)
    /// Body bytes at these offsets of the buffer; `endsChunk` when they complete one chunk of the origin's.
    case data(Range<Int>, endsChunk: Bool)
    case end(trailers: HTTPFields)
  }

  private enum Stage { case head, body, ended }

  /// RFC 9110 §15.2 sets no bound on interim responses; this is ours.
  static let maxInterimResponses = 32

  private let method: HTTPMethod
  private let limits: HTTPLimits
  private let onToleratedFault: (ToleratedFault) -> Void
  private var stage = Stage.head
  private var head: [UInt8] = []
  /// Where in `head` the line begins whose end has not come yet.
  private var lineStart = 0
  private var framing = BodyFraming.none
  /// Body bytes that are still to come, where they are counted.
  private var remaining = 0
  private var decoder: ChunkedDecoder
  private var hasReportedBlanks = false

  /// Whether the connection may be used again, as far as the response says.
  private(set) var allowsReuse = true
  private(set) var hasSeenBytes = false
  /// Complete heads that were not the final one.
  private(set) var interimCount = 0
  /// Whether silence is normal in this body.
  private(set) var isEventStream = false

  /// - Parameter method: of the request, which decides whether the response has a body.
  init(to method: HTTPMethod, _ configuration: UpstreamConfiguration) {
    self.method = method
    limits = configuration.limits
    onToleratedFault = configuration.onToleratedFault
    decoder = ChunkedDecoder(limits: limits, toleratesBlanks: true)
  }

  var isReadingHead: Bool { stage == .head }
  /// Whether the response could have a body.
  var hasBody: Bool { framing != .none && framing != .length(0) }
  /// Whether the body ends only with the connection.
  var isInsideOpenEndedBody: Bool { stage == .body && framing == .untilClose }

  /// The next event from `bytes`, reading on from `offset`; `nil` when all bytes are used up.
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

  /// The origin has ended the connection. Throws unless that is how the body ends.
  func endOfStream() throws(UpstreamFailure) {
    if isInsideOpenEndedBody { return }
    let place = stage == .head ? "the header section" : "the body"
    throw UpstreamFailure(.incomplete, "it broke off inside \(place)")
  }

  // MARK: The head

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

  /// The offset behind the blank line that ends the head; `nil` when it has not come. Lines may end in a bare LF.
  private mutating func endOfHead(_ bytes: UnsafeRawBufferPointer) -> Int? {
    // Below zero where the line began before these bytes.
    var line = lineStart - head.count
    while let lineFeed = bytes.index(of: 0x0A, from: max(0, line)) {
      let isReturn = (lineFeed > 0 ? bytes[lineFeed - 1] : head.last) == 0x0D
      if lineFeed == line || isReturn && lineFeed == line + 1 { return lineFeed + 1 }
      line = lineFeed + 1
    }
    lineStart = head.count + line
    return nil
  }

  /// Whether a response can begin with these bytes.
  static func canBegin(_ bytes: UnsafeRawBufferPointer) -> Bool { canFollow(0, bytes) }

  /// Whether `piece` can stand behind `count` bytes of a head. Another protocol is recognised by its first bytes,
  /// because it may never send a line.
  private static func canFollow(_ count: Int, _ piece: UnsafeRawBufferPointer) -> Bool {
    zip("HTTP/".utf8.dropFirst(count), piece).allSatisfy { $0 == $1 }
  }

  /// The event of the head that has been collected; `nil` for an interim response that is not passed on.
  private mutating func completeHead() throws(UpstreamFailure) -> Event? {
    let parsed: HTTPResponseHead
    do throws(HTTPParseError) { parsed = try parseHead() } catch {
      let isSize = error == .headTooLarge || error == .tooManyFields
      throw UpstreamFailure(isSize ? .headTooLarge : .protocolError, "\(error)")
    }
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
    // RFC 9110 §15.2.2: only a client that asked for an upgrade may get 101, and we ask for none.
    guard parsed.status != 101 else {
      throw UpstreamFailure(.protocolError, "it switches protocols without being asked to")
    }
    // RFC 9110 §15.2: a proxy forwards interim responses; 100 meets an expectation that was met here already.
    guard parsed.status != 100 else { return nil }
    var head = parsed
    head.fields.removeHopByHop()
    // RFC 9110 §8.6: no Content-Length in a 1xx.
    head.fields.removeAll("content-length")
    return .interim(head)
  }

  private mutating func begin(_ parsed: HTTPResponseHead) -> Event {
    var head = parsed
    if !head.keepsAlive || framing == .untilClose { allowsReuse = false }
    if framing == .chunked, head.version == .http10 {
      // RFC 9112 §6.1: the framing is at fault, so nothing is read behind this response.
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
    return zip(type, start).allSatisfy { ($0 &- 0x41 < 26 ? $0 | 0x20 : $0) == $1 }
  }

  // MARK: The body

  /// A body with a length, without one, or up to the end of the connection.
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
    // RFC 9112 §6.3: bytes behind the message are no part of it.
    if unread > 0 { allowsReuse = false }
    return .end(trailers: trailers)
  }
}
