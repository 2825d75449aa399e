/// Finds the end of a head, line by line, and remembers how far it has looked so that no byte is looked at twice.
///
/// The request line is read as soon as it is there, and a line that cannot become one is refused before it ends: a
/// client that speaks another protocol hears so at once, not when its time is up.
struct HeadScanner: Sendable {
  /// Where the start line begins, behind tolerated empty lines.
  private(set) var start = 0
  private var requestLine: RequestLine?
  /// Whether all lines behind the first are those of the head before.
  private(set) var hasRepeatedLines = false
  private var methodBytes = 0
  /// Lines behind the first, where they are not those of the head before.
  var fieldCount: Int { lines - 1 }
  private var position = 0
  private var lineStart = 0
  private var emptyLines = 0
  private var lines = 0

  /// The offset behind the blank line; nil when it has not come yet. Lines end in CRLF, nothing else.
  /// - Parameter earlier: the field lines of the head before, whose end is known.
  mutating func scan(
    _ bytes: UnsafeRawBufferPointer, limits: HTTPLimits, after earlier: [UInt8] = []
  ) throws(HTTPParseError) -> Int? {
    try checkLineStart(bytes, limits)
    while let lineFeed = ASCII.firstLineFeed(bytes, from: position) {
      position = lineFeed + 1
      // Before anything else about the line, so that how the bytes were cut does not choose the error.
      try check(position, limits)
      guard lineFeed > lineStart, bytes[lineFeed - 1] == ASCII.carriageReturn else {
        throw lines == 0 ? .badRequestLine : .badField
      }
      let isEmpty = lineFeed - 1 == lineStart
      if isEmpty && lines > 0 { return position }
      try isEmpty ? takeEmptyLine(limits) : takeLine(bytes, limits)
      lineStart = position
      if lines == 1, !earlier.isEmpty, earlier.withUnsafeBytes({ bytes.holds($0, at: position) }) {
        hasRepeatedLines = true
        try check(position + earlier.count, limits)
        return position + earlier.count
      }
      try checkLineStart(bytes, limits)
    }
    position = bytes.count
    try check(bytes.count, limits)
    return nil
  }

  /// The request line, to be had once.
  mutating func takeRequestLine() -> RequestLine? { requestLine.take() }

  /// RFC 9112 §2.2: empty lines before a request are forgiven.
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

  /// Refuses what no line can begin with: a CR that ends nothing, a byte that no method holds.
  private mutating func checkLineStart(_ bytes: UnsafeRawBufferPointer, _ limits: HTTPLimits)
    throws(HTTPParseError)
  {
    guard lineStart < bytes.count else { return }
    // The line begins beyond the limit, whatever it begins with: again, how the bytes were cut must not choose.
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
