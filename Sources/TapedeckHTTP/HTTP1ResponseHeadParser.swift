/// Reads a complete answer head (RFC 9112 §4, §5), refusing what a proxy must refuse.
///
/// libcurl lets most malformed heads pass with success, so every head of an origin goes through here.
public enum HTTP1ResponseHeadParser {
  /// `head` runs from the status line to behind the blank line. Lines may end in a bare LF; they are emitted with
  /// CRLF. A folded field is unfolded to one space, unless it frames the message.
  public static func parse(
    _ head: [UInt8], limits: HTTPLimits = .response
  ) throws(HTTPParseError) -> HTTPResponseHead {
    guard head.count <= limits.headBytes else { throw .headTooLarge }
    var lines = head.split(separator: ASCII.lineFeed, omittingEmptySubsequences: false).map(withoutReturn)
    guard lines.count >= 3, lines.removeLast().isEmpty, lines.removeLast().isEmpty else { throw .badField }
    var result = try parseStatusLine(lines.removeFirst())
    guard lines.count <= limits.fieldCount else { throw .tooManyFields }
    result.fields = try parseFields(lines)
    return result
  }

  private static func withoutReturn(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.last == ASCII.carriageReturn ? line.dropLast() : line
  }

  /// Exactly `HTTP/1.D SP 3DIGIT`, then optionally SP and a phrase.
  private static func parseStatusLine(_ line: ArraySlice<UInt8>) throws(HTTPParseError) -> HTTPResponseHead {
    let bytes = Array(line)
    guard bytes.count >= 12, bytes.starts(with: Array("HTTP/1.".utf8)), ASCII.isDigit(bytes[7]),
      bytes[8] == ASCII.space, bytes[9...11].allSatisfy(ASCII.isDigit),
      bytes.count == 12 || bytes[12] == ASCII.space
    else { throw .badStatusLine }
    let status = bytes[9...11].reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    let reason = Array(bytes.dropFirst(13))
    guard status >= 100, reason.allSatisfy(ASCII.isFieldValue) else { throw .badStatusLine }
    return HTTPResponseHead(
      version: bytes[7] == UInt8(ascii: "0") ? .http10 : .http11, status: status, reason: reason)
  }

  private static func parseFields(_ lines: [ArraySlice<UInt8>]) throws(HTTPParseError) -> HTTPFields {
    var fields = HTTPFields()
    var current: [UInt8] = []
    for line in lines {
      if let first = line.first, ASCII.isBlank(first) {
        guard !current.isEmpty else { throw .badField }
        current += [ASCII.space] + line.trimmingBlanks()
        if isFramingLine(current) { throw .foldedFramingField }
      } else {
        try append(current, to: &fields)
        current = Array(line)
        guard !current.isEmpty else { throw .badField }
      }
    }
    try append(current, to: &fields)
    return fields
  }

  private static func isFramingLine(_ line: [UInt8]) -> Bool {
    let name = line.prefix { $0 != ASCII.colon }.trimmingBlanks()
    return ASCII.equal(name, lowercase: "content-length") || ASCII.equal(name, lowercase: "transfer-encoding")
  }

  private static func append(_ line: [UInt8], to fields: inout HTTPFields) throws(HTTPParseError) {
    guard !line.isEmpty else { return }
    let slice = try line.withRawBytes { bytes throws(HTTPParseError) in
      try FieldLineParser.parse(bytes, 0, bytes.count)
    }
    fields.append(HTTPFields(storage: line, slices: [slice])[0])
  }
}
