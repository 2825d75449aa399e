/// Reads a complete request head into a request without a body (RFC 9112 §3, §5).
enum RequestHeadParser {
  /// `head` runs from the first byte of the request line to behind the blank line.
  static func parse(_ head: UnsafeRawBufferPointer, limits: HTTPLimits) throws(HTTPParseError) -> HTTPRequest
  {
    var cursor = 0
    let method = try parseMethod(head, &cursor, limits)
    let target = try parseTarget(head, &cursor, limits)
    let version = try parseVersion(head, &cursor)
    let fields = try parseFields(head, from: cursor, limits: limits)
    let resolved = try RequestTarget.resolve(target, method: method)
    let host = try hostField(fields, version: version)
    return HTTPRequest(
      method: method, target: resolved.originForm, version: version, fields: fields,
      authority: resolved.authority ?? host,
      keepsAlive: version == .http11 && !asksToClose(fields))
  }

  private static func parseMethod(
    _ head: UnsafeRawBufferPointer, _ cursor: inout Int, _ limits: HTTPLimits
  ) throws(HTTPParseError) -> HTTPMethod {
    var end = 0
    while ASCII.isToken(head[end]) { end += 1 }
    guard end > 0, head[end] == ASCII.space else { throw .badRequestLine }
    guard end <= limits.methodBytes else { throw .methodTooLong }
    cursor = end + 1
    return HTTPMethod(rawValue: String(decoding: head[..<end], as: UTF8.self))
  }

  private static func parseTarget(
    _ head: UnsafeRawBufferPointer, _ cursor: inout Int, _ limits: HTTPLimits
  ) throws(HTTPParseError) -> ArraySlice<UInt8> {
    let start = cursor
    while RequestTarget.isAllowed(head[cursor]) { cursor += 1 }
    guard cursor - start <= limits.targetBytes else { throw .targetTooLong }
    guard cursor > start else { throw .badRequestLine }
    guard head[cursor] == ASCII.space else {
      throw head[cursor] == ASCII.carriageReturn || head[cursor] == ASCII.tab ? .badRequestLine : .badTarget
    }
    defer { cursor += 1 }
    return Array(head[start..<cursor])[...]
  }

  /// Exactly `HTTP/D.D` and CRLF; any 1.x is 1.1 or 1.0 (RFC 9110 §2.5), other majors are not ours.
  private static func parseVersion(
    _ head: UnsafeRawBufferPointer, _ cursor: inout Int
  ) throws(HTTPParseError) -> HTTPVersion {
    let name: StaticString = "HTTP/"
    guard cursor + 10 <= head.count else { throw .badRequestLine }
    for index in 0..<5 where head[cursor + index] != name.utf8Start[index] { throw .badRequestLine }
    let (major, minor) = (head[cursor + 5], head[cursor + 7])
    guard ASCII.isDigit(major), head[cursor + 6] == UInt8(ascii: "."), ASCII.isDigit(minor),
      head[cursor + 8] == ASCII.carriageReturn, head[cursor + 9] == ASCII.lineFeed
    else { throw .badRequestLine }
    guard major == UInt8(ascii: "1") else { throw .unsupportedVersion }
    cursor += 10
    return minor == UInt8(ascii: "0") ? .http10 : .http11
  }

  /// All field lines up to the blank one. The head is copied once; fields are offsets into the copy.
  static func parseFields(
    _ head: UnsafeRawBufferPointer, from start: Int, limits: HTTPLimits
  ) throws(HTTPParseError) -> HTTPFields {
    var slices: [HTTPFields.Slice] = []
    slices.reserveCapacity(12)
    var lineStart = start
    while lineStart + 2 < head.count {
      guard slices.count < limits.fieldCount else { throw .tooManyFields }
      var lineEnd = lineStart
      while lineEnd < head.count, head[lineEnd] != ASCII.lineFeed { lineEnd += 1 }
      slices.append(try FieldLineParser.parse(head, lineStart, lineEnd - 1))
      lineStart = lineEnd + 1
    }
    return HTTPFields(storage: Array(head), slices: slices)
  }

  /// The one Host of HTTP/1.1 (RFC 9112 §3.2); HTTP/1.0 may go without.
  private static func hostField(
    _ fields: HTTPFields, version: HTTPVersion
  ) throws(HTTPParseError) -> [UInt8] {
    var host: ArraySlice<UInt8>?
    for field in fields where field.isNamed("host") {
      guard host == nil else { throw .badHost }
      host = field.value
    }
    guard let host else {
      guard version == .http10 else { throw .badHost }
      return []
    }
    guard host.isEmpty || Authority.isValid(host) else { throw .badHost }
    return Array(host)
  }

  private static func asksToClose(_ fields: HTTPFields) -> Bool {
    fields.contains { field in
      field.isNamed("connection")
        && field.value.split(separator: ASCII.comma).contains {
          ASCII.equal($0.trimmingBlanks(), lowercase: "close")
        }
    }
  }
}
