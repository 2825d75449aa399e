/// Turns the bytes of one client connection into requests (RFC 9112), without I/O.
///
/// Promises: a request comes out only when all of it has arrived and has exactly one meaning; everything else
/// is a typed error after which the parser refuses further use. Input may be cut anywhere. Memory stays below
/// `HTTPLimits`, checked before anything grows. A request that arrives whole is parsed in place.
public struct HTTP1RequestParser {
  public enum Event: Sendable {
    /// A head with `Expect: 100-continue` has come, but not its body (RFC 9110 §10.1.1).
    case continueExpected
    /// The head of a request with a body larger than `HTTPLimits.heldBodyBytes`. The body is collected as any other,
    /// unless `leaveBody()` is called now.
    case upload(HTTPRequest, expectsContinue: Bool)
    case request(HTTPRequest)
  }

  private enum State: Sendable {
    case head, fixedBody(remaining: Int), failed(HTTPParseError)
    // Out of line: the state is copied for every request, and few have chunks.
    indirect case chunkedBody(ChunkedDecoder)
  }

  private let heads: HeadCache
  private var limits: HTTPLimits { heads.limits }
  private var state = State.head
  private var scanner = HeadScanner()
  private var pending: [UInt8] = []
  private var request: HTTPRequest?

  public init(limits: HTTPLimits = HTTPLimits()) { self.init(heads: HeadCache(limits)) }

  /// - Parameter heads: shared by the connections of an event loop that have its limits.
  package init(heads: HeadCache) { self.heads = heads }

  // Stored, because calling a computed property from another module copies the whole parser first.

  /// Whether no part of the next request has arrived.
  public private(set) var isBetweenRequests = true
  /// Whether a head has arrived whose body is incomplete.
  public private(set) var isReadingBody = false
  /// The number of bytes of the current body that have arrived.
  public private(set) var receivedBodyBytes = 0

  /// Returns the next event, reading `bytes` from `offset`; `nil` when all bytes are used up.
  public mutating func next(
    _ bytes: UnsafeRawBufferPointer, at offset: inout Int
  ) throws(HTTPParseError) -> Event? {
    defer { notePlace() }
    do throws(HTTPParseError) {
      switch state {
      case .head: return try nextHead(bytes, at: &offset)
      case .fixedBody(let remaining): return takeFixedBody(bytes, at: &offset, remaining: remaining)
      case .chunkedBody(var decoder):
        state = .head
        return try takeChunkedBody(bytes, at: &offset, decoder: &decoder)
      case .failed(let error): throw error
      }
    } catch {
      state = .failed(error)
      pending = []
      request?.body = []
      throw error
    }
  }

  /// The method and target of the request whose body is incomplete or was refused.
  public var receivedHead: (method: HTTPMethod, target: [UInt8])? { request.map { ($0.method, $0.target) } }

  private mutating func notePlace() {
    switch state {
    case .head: (isBetweenRequests, isReadingBody, receivedBodyBytes) = (pending.isEmpty, false, 0)
    case .fixedBody, .chunkedBody:
      (isBetweenRequests, isReadingBody, receivedBodyBytes) = (false, true, request?.body.count ?? 0)
    case .failed: (isBetweenRequests, isReadingBody, receivedBodyBytes) = (false, false, 0)
    }
  }

  private mutating func nextHead(
    _ bytes: UnsafeRawBufferPointer, at offset: inout Int
  ) throws(HTTPParseError) -> Event? {
    guard offset < bytes.count else { return nil }
    if pending.isEmpty {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
      if let head = heads.head(at: rest) {
        offset += head.received.byteCount
        return try begin(head)
      }
      if let end = try scanner.scan(rest, limits: limits) {
        let head = UnsafeRawBufferPointer(rebasing: rest[scanner.start..<end])
        offset += end
        return try begin(head)
      }
      pending.append(contentsOf: rest)
      offset = bytes.count
      return nil
    }
    return try continueHead(bytes, at: &offset)
  }

  /// Appends to the unfinished head; bytes after the head are returned to the caller.
  private mutating func continueHead(
    _ bytes: UnsafeRawBufferPointer, at offset: inout Int
  ) throws(HTTPParseError) -> Event? {
    let before = pending.count
    pending.append(contentsOf: bytes[offset..<min(bytes.count, offset + limits.headBytes + 1)])
    let (limits, start) = (limits, offset)
    var scanner = scanner
    let end = try pending.withRawBytes { all throws(HTTPParseError) in try scanner.scan(all, limits: limits) }
    self.scanner = scanner
    guard let end else {
      offset = start + pending.count - before
      return nil
    }
    offset = start + end - before
    let head = pending
    return try head.withRawBytes { all throws(HTTPParseError) in
      try begin(UnsafeRawBufferPointer(rebasing: all[scanner.start..<end]))
    }
  }

  private mutating func begin(_ head: UnsafeRawBufferPointer) throws(HTTPParseError) -> Event? {
    guard let line = scanner.takeRequestLine() else { throw .badRequestLine }
    let count = scanner.fieldCount
    scanner = HeadScanner()
    pending = []
    let lines = UnsafeRawBufferPointer(rebasing: head[line.byteCount...])
    let fields = try heads.fields(lines, count: count, version: line.version)
    let parsed = try fields.head(line)
    heads.note(head, parsed)
    return try begin(parsed)
  }

  private mutating func begin(_ head: HTTPRequest.SharedHead) throws(HTTPParseError) -> Event? {
    let new = HTTPRequest(head)
    switch head.received.framing {
    case .none, .untilClose, .length(0):
      return .request(new)
    case .length(let length):
      request = new
      guard length <= limits.bodyBytes else { throw .bodyTooLarge }
      state = .fixedBody(remaining: length)
      if length > limits.heldBodyBytes {
        var upload = new
        upload.uploadBytes = length
        return .upload(upload, expectsContinue: head.received.expectsContinue)
      }
      request?.body.reserveCapacity(min(length, 1 << 20))
    case .chunked:
      request = new
      state = .chunkedBody(ChunkedDecoder(limits: limits))
    }
    return head.received.expectsContinue ? .continueExpected : nil
  }

  /// Leaves the body of the upload whose head has just come to the caller: the next bytes after it are the next request.
  public mutating func leaveBody() {
    state = .head
    request = nil
    notePlace()
  }

  private mutating func takeFixedBody(
    _ bytes: UnsafeRawBufferPointer, at offset: inout Int, remaining: Int
  ) -> Event? {
    let count = min(remaining, bytes.count - offset)
    request?.body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
    offset += count
    guard count == remaining else {
      state = .fixedBody(remaining: remaining - count)
      return nil
    }
    return finish(trailers: HTTPFields())
  }

  private mutating func takeChunkedBody(
    _ bytes: UnsafeRawBufferPointer, at offset: inout Int, decoder: inout ChunkedDecoder
  ) throws(HTTPParseError) -> Event? {
    while let event = try decoder.next(bytes, at: &offset) {
      switch event {
      case .data(let range, _):
        guard (request?.body.count ?? 0) + range.count <= limits.bodyBytes else { throw .bodyTooLarge }
        request?.body.append(contentsOf: bytes[range])
      case .end(let trailers):
        return finish(trailers: trailers)
      }
    }
    state = .chunkedBody(decoder)
    return nil
  }

  private mutating func finish(trailers: HTTPFields) -> Event? {
    state = .head
    guard var whole = request.take() else { return nil }
    if !trailers.isEmpty { whole.trailers = trailers }
    return .request(whole)
  }
}

/// Finds the end of a head, line by line, and scans no byte twice.
///
/// Reads the request line as soon as it is complete, and refuses an impossible one before its end, so that a
/// client of another protocol is refused at once and not after a timeout.
struct HeadScanner: Sendable {
  private(set) var start = 0
  private var requestLine: RequestLine?
  private var methodBytes = 0
  var fieldCount: Int { lines - 1 }
  private var position = 0
  private var lineStart = 0
  private var emptyLines = 0
  private var lines = 0

  /// The offset after the blank line; `nil` before it has come. Lines end in CRLF only.
  mutating func scan(
    _ bytes: UnsafeRawBufferPointer, limits: HTTPLimits
  ) throws(HTTPParseError) -> Int? {
    try checkLineStart(bytes, limits)
    while let lineFeed = ASCII.firstLineFeed(bytes, from: position) {
      position = lineFeed + 1
      // First, so that how the bytes were cut does not choose the error.
      try check(position, limits)
      guard lineFeed > lineStart, bytes[lineFeed - 1] == ASCII.carriageReturn else {
        throw lines == 0 ? .badRequestLine : .badField
      }
      let isEmpty = lineFeed - 1 == lineStart
      if isEmpty && lines > 0 { return position }
      try isEmpty ? takeEmptyLine(limits) : takeLine(bytes, limits)
      lineStart = position
      try checkLineStart(bytes, limits)
    }
    position = bytes.count
    try check(bytes.count, limits)
    return nil
  }

  mutating func takeRequestLine() -> RequestLine? { requestLine.take() }

  /// RFC 9112 §2.2: tolerates empty lines before a request.
  private mutating func takeEmptyLine(_ limits: HTTPLimits) throws(HTTPParseError) {
    emptyLines += 1
    guard emptyLines <= limits.leadingEmptyLines else { throw .badRequestLine }
    start = position
  }

  private mutating func takeLine(
    _ bytes: UnsafeRawBufferPointer, _ limits: HTTPLimits
  ) throws(HTTPParseError) {
    if lines == 0 {
      requestLine = try RequestLine.parse(
        UnsafeRawBufferPointer(rebasing: bytes[lineStart..<position]), methodBytes: methodBytes,
        limits: limits)
    }
    lines += 1
    guard lines - 1 <= limits.fieldCount else { throw .tooManyFields }
  }

  /// Refuses an impossible start of a line: a bare CR, or a byte that no method contains.
  private mutating func checkLineStart(_ bytes: UnsafeRawBufferPointer, _ limits: HTTPLimits)
    throws(HTTPParseError)
  {
    guard lineStart < bytes.count else { return }
    // The line begins beyond the limit: again, how the bytes were cut must not choose the error.
    try check(lineStart + 1, limits)
    if bytes[lineStart] == ASCII.carriageReturn {
      guard lineStart + 1 == bytes.count || bytes[lineStart + 1] == ASCII.lineFeed else {
        throw lines == 0 ? .badRequestLine : .badField
      }
    } else if lines == 0 {
      let line = UnsafeRawBufferPointer(rebasing: bytes[lineStart...])
      methodBytes = try RequestLine.methodLength(line, limits: limits)
    }
  }

  private func check(_ end: Int, _ limits: HTTPLimits) throws(HTTPParseError) {
    guard end - start <= limits.headBytes else {
      throw lines == 0 && limits.headBytes >= limits.targetBytes ? .targetTooLong : .headTooLarge
    }
  }
}
