/// Reads a complete request head into a request without a body (RFC 9112 §3, §5).
enum RequestHeadParser {
  /// `head` runs from the first byte of the request line, read before, to behind the blank line.
  static func parse(
    _ head: UnsafeRawBufferPointer, _ line: RequestLine, limits: HTTPLimits
  ) throws(HTTPParseError) -> HTTPRequest {
    let fields = try parseFields(head, from: line.byteCount, limits: limits)
    let host = try hostField(fields, version: line.version)
    let closes = try ConnectionOptions.askToClose(fields)
    return HTTPRequest(
      method: line.method, target: line.target, version: line.version, fields: fields,
      authority: line.authority ?? host, keepsAlive: line.version == .http11 && !closes)
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
      let lineEnd = ASCII.firstLineFeed(head, from: lineStart) ?? head.count
      slices.append(try FieldLineParser.parse(head, lineStart, lineEnd - 1))
      lineStart = lineEnd + 1
    }
    return HTTPFields(storage: Array(head), slices: slices)
  }

  /// The one Host of HTTP/1.1 (RFC 9112 §3.2); HTTP/1.0 may go without.
  private static func hostField(
    _ fields: HTTPFields, version: HTTPVersion
  ) throws(HTTPParseError) -> [UInt8] {
    guard let index = fields.index(of: "host") else {
      guard version == .http10 else { throw .badHost }
      return []
    }
    guard fields.index(of: "host", from: index + 1) == nil else { throw .badHost }
    let host = fields.value(at: index)
    guard host.isEmpty || Authority.isValid(host) else { throw .badHost }
    return Array(host)
  }
}
