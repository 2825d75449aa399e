/// Parses a complete response head (RFC 9112 §4, §5), refusing what a proxy must refuse.
///
/// Used for every head of an origin, because libcurl accepts most malformed ones.
public enum HTTP1ResponseHeadParser {
  /// `head` includes the blank line. Lines may end in a bare LF; they are emitted with CRLF. A folded field
  /// is unfolded to one space, unless it frames the message.
  public static func parse(
    _ head: [UInt8], limits: HTTPLimits = .response
  ) throws(HTTPParseError) -> HTTPResponseHead {
    guard head.count <= limits.headBytes else { throw .headTooLarge }
    return try head.withRawBytes { bytes throws(HTTPParseError) in
      guard let fieldsEnd = endOfFields(bytes), let statusEnd = ASCII.firstLineFeed(bytes, from: 0) else {
        throw .badField
      }
      var result = try parseStatusLine(bytes, withoutReturn(bytes, 0..<statusEnd))
      let lines = try fieldLines(bytes, from: statusEnd + 1, to: fieldsEnd, limits: limits)
      result.fields = try parseFields(bytes, lines, storage: head)
      return result
    }
  }

  /// Where the blank line begins; `nil` if there is none after a status line.
  private static func endOfFields(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.last == ASCII.lineFeed else { return nil }
    var end = bytes.count - 1
    if end > 0, bytes[end - 1] == ASCII.carriageReturn { end -= 1 }
    return end > 0 && bytes[end - 1] == ASCII.lineFeed ? end : nil
  }

  private static func withoutReturn(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) -> Range<Int> {
    guard !line.isEmpty, bytes[line.upperBound - 1] == ASCII.carriageReturn else { return line }
    return line.lowerBound..<line.upperBound - 1
  }

  /// Exactly `HTTP/1.D SP 3DIGIT`, then optionally SP and a phrase.
  private static func parseStatusLine(
    _ bytes: UnsafeRawBufferPointer, _ line: Range<Int>
  ) throws(HTTPParseError) -> HTTPResponseHead {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[line])
    let name: StaticString = "HTTP/1."
    guard bytes.count >= 12, bytes.holds(UnsafeRawBufferPointer(start: name.utf8Start, count: 7)),
      ASCII.isDigit(bytes[7]), bytes[8] == ASCII.space,
      ASCII.isDigit(bytes[9]), ASCII.isDigit(bytes[10]), ASCII.isDigit(bytes[11]),
      bytes.count == 12 || bytes[12] == ASCII.space
    else { throw .badStatusLine }
    let status = bytes[9...11].reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    let reason = bytes.dropFirst(13)
    guard status >= 100, ASCII.endOfFieldValue(bytes, from: reason.startIndex, to: bytes.count) == bytes.count
    else { throw .badStatusLine }
    return HTTPResponseHead(
      version: bytes[7] == UInt8(ascii: "0") ? .http10 : .http11, status: status, reason: Array(reason))
  }

  private static func fieldLines(
    _ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int, limits: HTTPLimits
  ) throws(HTTPParseError) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    lines.reserveCapacity(16)
    var start = start
    while start < end, let lineFeed = ASCII.firstLineFeed(bytes, from: start) {
      guard lines.count < limits.fieldCount else { throw .tooManyFields }
      lines.append(withoutReturn(bytes, start..<lineFeed))
      start = lineFeed + 1
    }
    return lines
  }

  private static func parseFields(
    _ bytes: UnsafeRawBufferPointer, _ lines: [Range<Int>], storage: [UInt8]
  ) throws(HTTPParseError) -> HTTPFields {
    var fields = HTTPFields(storage: storage, slices: [])
    fields.slices.reserveCapacity(lines.count)
    var index = 0
    while index < lines.count {
      var next = index + 1
      while next < lines.count, isFolded(bytes, lines[next]) { next += 1 }
      guard !isFolded(bytes, lines[index]) else { throw .badField }
      if next == index + 1 {
        let line = lines[index]
        fields.slices.append(try HTTPFields.Slice(parsing: bytes, line.lowerBound, line.upperBound))
      } else {
        try unfold(bytes, lines[index..<next], into: &fields)
      }
      index = next
    }
    return fields
  }

  private static func isFolded(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) -> Bool {
    !line.isEmpty && ASCII.isBlank(bytes[line.lowerBound])
  }

  private static func unfold(
    _ bytes: UnsafeRawBufferPointer, _ lines: ArraySlice<Range<Int>>, into fields: inout HTTPFields
  ) throws(HTTPParseError) {
    var whole: [UInt8] = []
    for line in lines {
      let piece = UnsafeRawBufferPointer(rebasing: bytes[line])
      if whole.isEmpty { whole += piece } else { whole += [ASCII.space] + piece.trimmingBlanks() }
    }
    guard !isFramingLine(whole) else { throw .foldedFramingField }
    let slice = try whole.withRawBytes { bytes throws(HTTPParseError) in
      try HTTPFields.Slice(parsing: bytes, 0, bytes.count)
    }
    fields.append(HTTPFields(storage: whole, slices: [slice])[0])
  }

  private static func isFramingLine(_ line: [UInt8]) -> Bool {
    let name = line.prefix { $0 != ASCII.colon }.trimmingBlanks()
    return ASCII.equal(name, lowercase: "content-length") || ASCII.equal(name, lowercase: "transfer-encoding")
  }
}
