/// `METHOD SP target SP HTTP/1.1`, read strictly (RFC 9112 §3): one space, no other white space, nothing corrected.
struct RequestLine: Sendable {
  var method: HTTPMethod
  /// In origin form.
  var target: [UInt8]
  /// What an absolute-form target named.
  var authority: [UInt8]?
  var version: HTTPVersion
  /// The length of the line with its CRLF.
  var byteCount: Int

  /// `line` begins with the request line and holds all of it, CRLF included; how long its method is was found before.
  static func parse(
    _ line: UnsafeRawBufferPointer, methodBytes: Int, limits: HTTPLimits
  ) throws(HTTPParseError) -> RequestLine {
    var cursor = methodBytes
    guard cursor < line.count else { throw .badRequestLine }
    let method = HTTPMethod(token: UnsafeRawBufferPointer(rebasing: line[..<cursor]))
    cursor += 1
    let target = try parseTarget(line, &cursor, limits)
    let version = try parseVersion(line, &cursor)
    let resolved = try RequestTarget.resolve(target, method: method)
    return RequestLine(
      method: method, target: resolved.originForm, authority: resolved.authority, version: version,
      byteCount: cursor)
  }

  /// How many bytes the method has; `bytes.count` when it is still coming. Tells garbage, like a TLS handshake sent
  /// to a plain port, by its first byte.
  static func methodLength(
    _ bytes: UnsafeRawBufferPointer, limits: HTTPLimits
  ) throws(HTTPParseError) -> Int {
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
    var end = start
    while end < line.count, RequestTarget.isAllowed(line[end]) { end += 1 }
    cursor = end
    guard cursor - start <= limits.targetBytes else { throw .targetTooLong }
    guard cursor > start, cursor < line.count else { throw .badRequestLine }
    guard line[cursor] == ASCII.space else {
      throw line[cursor] == ASCII.carriageReturn || line[cursor] == ASCII.tab ? .badRequestLine : .badTarget
    }
    defer { cursor += 1 }
    return Array(UnsafeRawBufferPointer(rebasing: line[start..<cursor]))
  }

  /// Exactly `HTTP/D.D` and CRLF; any 1.x is 1.1 or 1.0 (RFC 9110 §2.5), other majors are not ours.
  private static func parseVersion(
    _ line: UnsafeRawBufferPointer, _ cursor: inout Int
  ) throws(HTTPParseError) -> HTTPVersion {
    let name: StaticString = "HTTP/"
    guard cursor + 10 <= line.count else { throw .badRequestLine }
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
