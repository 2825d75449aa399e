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
      var result = try parseStatusLine(bytes, FieldLines.withoutReturn(bytes, 0..<statusEnd))
      let lines = statusEnd + 1..<fieldsEnd
      do throws(HTTPParseError) {
        var fields = FieldLines(bytes, lines, storage: head)
        result.fields = try fields.parse(limit: limits.fieldCount)
      } catch {
        throw bytes[lines].count { $0 == ASCII.lineFeed } > limits.fieldCount ? .tooManyFields : error
      }
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
}

/// The field lines of a response head, parsed one after another.
private struct FieldLines {
  private let bytes: UnsafeRawBufferPointer
  private let end: Int
  private var next: Int
  private var count = 0
  private var fields: HTTPFields

  init(_ bytes: UnsafeRawBufferPointer, _ lines: Range<Int>, storage: [UInt8]) {
    self.bytes = bytes
    (next, end) = (lines.lowerBound, lines.upperBound)
    fields = HTTPFields(storage: storage, slices: [])
    fields.slices.reserveCapacity(16)
  }

  mutating func parse(limit: Int) throws(HTTPParseError) -> HTTPFields {
    while let line = takeLine() {
      guard line.isEmpty || !ASCII.isBlank(bytes[line.lowerBound]) else { throw .badField }
      if isFolded {
        try unfold(line)
      } else {
        fields.slices.append(try HTTPFields.Slice(parsing: bytes, line.lowerBound, line.upperBound))
      }
      guard count <= limit else { throw .tooManyFields }
    }
    return fields
  }

  private mutating func takeLine() -> Range<Int>? {
    guard next < end, let lineFeed = ASCII.firstLineFeed(bytes, from: next) else { return nil }
    let line = Self.withoutReturn(bytes, next..<lineFeed)
    next = lineFeed + 1
    count += 1
    return line
  }

  static func withoutReturn(_ bytes: UnsafeRawBufferPointer, _ line: Range<Int>) -> Range<Int> {
    guard !line.isEmpty, bytes[line.upperBound - 1] == ASCII.carriageReturn else { return line }
    return line.lowerBound..<line.upperBound - 1
  }

  /// Whether the next line goes on with the last one.
  private var isFolded: Bool { next < end && ASCII.isBlank(bytes[next]) }

  private mutating func unfold(_ first: Range<Int>) throws(HTTPParseError) {
    var whole = Array(bytes[first])
    while isFolded, let line = takeLine() {
      whole += [ASCII.space] + UnsafeRawBufferPointer(rebasing: bytes[line]).trimmingBlanks()
    }
    guard !Self.isFramingLine(whole) else { throw .foldedFramingField }
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
