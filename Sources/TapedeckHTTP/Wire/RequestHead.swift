/// `METHOD SP target SP HTTP/1.1`, parsed strictly (RFC 9112 §3): single spaces, nothing corrected.
struct RequestLine: Sendable {
  var method: HTTPMethod
  /// In origin form.
  var target: [UInt8]
  var authority: [UInt8]?
  var scheme: HTTPScheme
  var version: HTTPVersion
  /// The length of the line with its CRLF.
  var byteCount: Int

  /// - Parameter line: begins with the whole request line, including its CRLF.
  static func parse(
    _ line: UnsafeRawBufferPointer, methodBytes: Int, limits: HTTPLimits
  ) throws(HTTPParseError) -> RequestLine {
    var cursor = methodBytes
    guard cursor < line.count else { throw .badRequestLine }
    let method = HTTPMethod(token: UnsafeRawBufferPointer(rebasing: line[..<cursor]))
    cursor += 1
    let target = try parseTarget(line, &cursor, limits)
    let version = try parseVersion(line, &cursor)
    let resolved = try RequestTarget.resolve(target, method: method, limits: limits)
    return RequestLine(
      method: method, target: resolved.originForm, authority: resolved.authority, scheme: resolved.scheme,
      version: version, byteCount: cursor)
  }

  /// The length of the method; `bytes.count` while incomplete. Its first byte reveals garbage, such as TLS.
  static func methodLength(
    _ bytes: UnsafeRawBufferPointer, limits: HTTPLimits
  ) throws(HTTPParseError) -> Int {
    if bytes.count >= 5 {
      // The most frequent ones.
      let start = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
      if start == 0x2054_4547, limits.methodBytes >= 3 { return 3 }
      if start == 0x5453_4F50, bytes[4] == ASCII.space, limits.methodBytes >= 4 { return 4 }
    }
    var end = 0
    while end < bytes.count, ASCII.isToken(bytes[end]) {
      end += 1
      guard end <= limits.methodBytes else { throw .methodTooLong }
    }
    guard end < bytes.count else { return end }
    guard end > 0, bytes[end] == ASCII.space else { throw .badRequestLine }
    return end
  }

  private static func parseTarget(
    _ line: UnsafeRawBufferPointer, _ cursor: inout Int, _ limits: HTTPLimits
  ) throws(HTTPParseError) -> [UInt8] {
    let start = cursor
    cursor = RequestTarget.endOfAllowed(line, from: start)
    guard cursor - start <= limits.targetBytes else { throw .targetTooLong }
    guard cursor > start, cursor < line.count else { throw .badRequestLine }
    guard line[cursor] == ASCII.space else {
      throw line[cursor] == ASCII.carriageReturn || line[cursor] == ASCII.tab ? .badRequestLine : .badTarget
    }
    defer { cursor += 1 }
    return Array(UnsafeRawBufferPointer(rebasing: line[start..<cursor]))
  }

  /// Exactly `HTTP/D.D` and CRLF; any 1.x is 1.1 or 1.0 (RFC 9110 §2.5), other majors are refused.
  private static func parseVersion(
    _ line: UnsafeRawBufferPointer, _ cursor: inout Int
  ) throws(HTTPParseError) -> HTTPVersion {
    let name: StaticString = "HTTP/"
    guard cursor + 10 <= line.count else { throw .badRequestLine }
    // `HTTP/1.1`, as usual.
    if UInt64(littleEndian: line.loadUnaligned(fromByteOffset: cursor, as: UInt64.self))
      == 0x312E_312F_5054_5448, line[cursor + 8] == ASCII.carriageReturn, line[cursor + 9] == ASCII.lineFeed
    {
      cursor += 10
      return .http11
    }
    for index in 0..<5 where line[cursor + index] != name.utf8Start[index] { throw .badRequestLine }
    let (major, minor) = (line[cursor + 5], line[cursor + 7])
    guard ASCII.isDigit(major), line[cursor + 6] == UInt8(ascii: "."), ASCII.isDigit(minor),
      line[cursor + 8] == ASCII.carriageReturn, line[cursor + 9] == ASCII.lineFeed
    else { throw .badRequestLine }
    guard major == UInt8(ascii: "1") else { throw .unsupportedVersion }
    cursor += 10
    return minor == UInt8(ascii: "0") ? .http10 : .http11
  }
}

/// A head as it was received, and how the body after it is framed. Empty for a head that no parser made.
struct ReceivedHead: Sendable {
  var byteCount = 0
  /// The field lines, including the blank one.
  var fieldLines: [UInt8] = []
  var framing = BodyFraming.none
  var expectsContinue = false
}

/// The parsed field lines of a request, and what they say about the message.
///
/// They depend only on the bytes of the lines and on the version, so lines that equal those of an earlier request, as is
/// common, need not be parsed again.
struct RequestFields: Sendable {
  let version: HTTPVersion
  /// Shares the lines as received, including the blank one.
  let fields: HTTPFields
  /// Empty when HTTP/1.0 has none.
  private let host: [UInt8]
  private let connection: ConnectionOptions
  private let expectsContinue: Bool
  private let framing: BodyFraming

  /// - Parameter lines: the field lines, including the blank one.
  init(
    _ lines: UnsafeRawBufferPointer, count: Int, version: HTTPVersion, limits: HTTPLimits
  ) throws(HTTPParseError) {
    self.version = version
    fields = try Self.parse(lines, count, limits)
    host = try Self.host(fields, version: version)
    connection = try ConnectionOptions(fields)
    expectsContinue = try Self.expectsContinue(fields, version: version)
    framing = try BodyFraming.request(fields, version: version)
  }

  func head(_ line: RequestLine) throws(HTTPParseError) -> HTTPRequest.SharedHead {
    // RFC 9110 §9.3.6: content of a CONNECT request has no meaning, and would be taken for the tunnel's bytes.
    if line.method == .connect, framing != .none, framing != .length(0) { throw .connectWithBody }
    let named = line.authority
    var head = HTTPRequestHead(
      method: line.method, target: line.target, version: line.version, fields: fields,
      authority: named ?? host, keepsAlive: line.version == .http11 && !connection.closes)
    if let named {
      head.namesOrigin = true
      head.scheme = line.scheme
      // RFC 9112 §3.2.2: the authority of the target replaces what Host says.
      if named != host, let index = fields.index(of: "host") {
        try? head.fields.replaceValue(at: index, with: named)
      }
    }
    head.asksForUpgrade = connection.upgrades
    let received = ReceivedHead(
      byteCount: line.byteCount + fields.storage.count, fieldLines: fields.storage, framing: framing,
      expectsContinue: expectsContinue)
    return HTTPRequest.SharedHead(head, received)
  }

  private static func parse(
    _ lines: UnsafeRawBufferPointer, _ count: Int, _ limits: HTTPLimits
  ) throws(HTTPParseError) -> HTTPFields {
    var slices: [HTTPFields.Slice] = []
    slices.reserveCapacity(count)
    var lineStart = 0
    while lineStart + 2 < lines.count {
      guard slices.count < limits.fieldCount else { throw .tooManyFields }
      let lineEnd = ASCII.firstLineFeed(lines, from: lineStart) ?? lines.count
      slices.append(try HTTPFields.Slice(parsing: lines, lineStart, lineEnd - 1))
      lineStart = lineEnd + 1
    }
    return HTTPFields(storage: Array(lines), slices: slices)
  }

  /// The single Host of HTTP/1.1 (RFC 9112 §3.2); optional in HTTP/1.0.
  private static func host(
    _ fields: HTTPFields, version: HTTPVersion
  ) throws(HTTPParseError) -> [UInt8] {
    guard let index = fields.index(of: "host") else {
      guard version == .http10 else { throw .badHost }
      return []
    }
    guard fields.index(of: "host", from: index + 1) == nil else { throw .badHost }
    let host = fields.value(at: index)
    guard host.isEmpty || RequestTarget.isAuthority(host) else { throw .badHost }
    return RequestTarget.withoutEmptyPort(host)
  }

  private static func expectsContinue(
    _ fields: HTTPFields, version: HTTPVersion
  ) throws(HTTPParseError) -> Bool {
    guard version == .http11, let index = fields.index(of: "expect") else { return false }
    guard fields.index(of: "expect", from: index + 1) == nil,
      ASCII.equal(fields.value(at: index), lowercase: "100-continue")
    else { throw .unsupportedExpectation }
    return true
  }
}
