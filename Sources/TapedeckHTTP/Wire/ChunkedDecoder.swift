/// Decodes a chunked body (RFC 9112 §7.1), strictly and without I/O.
///
/// Input may be cut anywhere. Line ends are CRLF only and sizes 1–16 hex digits; extensions are checked and
/// dropped, as are trailers that would change the message. After `.end` no further byte is read.
public struct ChunkedDecoder: Sendable {
  public enum Event: Equatable, Sendable {
    /// Body bytes at these offsets of the buffer; `endsChunk` when they complete one of the sender's chunks.
    case data(Range<Int>, endsChunk: Bool)
    case end(trailers: HTTPFields)
  }

  private enum State { case sizeLine, data, dataEnd, trailers, done }

  private var state = State.sizeLine
  private var remaining = 0
  private var line: [UInt8] = []
  private var extensionBytes = 0
  private var trailerBytes = 0
  private var trailers = HTTPFields()
  private let limits: HTTPLimits
  private let toleratesBlanks: Bool
  /// Whether blanks followed a chunk's size.
  public private(set) var hasSeenBlanks = false

  /// - Parameter toleratesBlanks: whether blanks may follow a chunk's size, as some origins pad it.
  public init(limits: HTTPLimits, toleratesBlanks: Bool = false) {
    self.limits = limits
    self.toleratesBlanks = toleratesBlanks
  }

  /// Returns the next event, reading `bytes` from `offset`; `nil` when all bytes are used up.
  public mutating func next(
    _ bytes: UnsafeRawBufferPointer, at offset: inout Int
  ) throws(HTTPParseError) -> Event? {
    while offset < bytes.count {
      switch state {
      case .sizeLine:
        guard try takeLine(bytes, at: &offset, limit: limits.chunkLineBytes) else { return nil }
        try readSizeLine()
      case .data:
        return takeData(bytes, at: &offset)
      case .dataEnd:
        guard try takeLine(bytes, at: &offset, limit: 0) else { return nil }
        line.removeAll(keepingCapacity: true)
        state = .sizeLine
      case .trailers:
        guard try takeLine(bytes, at: &offset, limit: limits.headBytes - trailerBytes) else { return nil }
        if line.isEmpty {
          state = .done
          return .end(trailers: trailers)
        }
        try readTrailer()
      case .done:
        return nil
      }
    }
    return nil
  }

  private mutating func takeData(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) -> Event {
    let count = min(remaining, bytes.count - offset)
    let range = offset..<offset + count
    offset += count
    remaining -= count
    if remaining == 0 { state = .dataEnd }
    return .data(range, endsChunk: remaining == 0)
  }

  /// Collects a line without its CRLF; returns false while unfinished. Refuses bare CR and LF (RFC 9112
  /// §2.2).
  private mutating func takeLine(
    _ bytes: UnsafeRawBufferPointer, at offset: inout Int, limit: Int
  ) throws(HTTPParseError) -> Bool {
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      if line.last == ASCII.carriageReturn {
        guard byte == ASCII.lineFeed else { throw .badChunk }
        line.removeLast()
        return true
      }
      guard byte != ASCII.lineFeed else { throw .badChunk }
      guard byte == ASCII.carriageReturn || line.count < limit else {
        throw state == .trailers ? .headTooLarge : .badChunk
      }
      line.append(byte)
    }
    return false
  }

  private mutating func readSizeLine() throws(HTTPParseError) {
    var digits = 0
    var size: UInt64 = 0
    while digits < line.count, let value = ASCII.hexValue(line[digits]) {
      guard digits < 16 else { throw .badChunk }
      size = size << 4 | UInt64(value)
      digits += 1
    }
    guard digits > 0, let count = Int(exactly: size) else { throw .badChunk }
    guard count <= limits.bodyBytes else { throw .bodyTooLarge }
    extensionBytes += line.count - digits
    guard extensionBytes <= limits.chunkExtensionBytes else { throw .badChunk }
    if digits < line.count { try readExtensions(line[digits...]) }
    line.removeAll(keepingCapacity: true)
    remaining = count
    state = count == 0 ? .trailers : .data
  }

  private mutating func readExtensions(_ text: ArraySlice<UInt8>) throws(HTTPParseError) {
    guard toleratesBlanks, text.allSatisfy(ASCII.isBlank) else { return try Self.check(text) }
    hasSeenBlanks = true
  }

  private mutating func readTrailer() throws(HTTPParseError) {
    trailerBytes += line.count + 2
    guard trailers.count < limits.fieldCount else { throw .tooManyFields }
    let slice = try line.withRawBytes { bytes throws(HTTPParseError) in
      try HTTPFields.Slice(parsing: bytes, 0, bytes.count)
    }
    let field = HTTPFields(storage: line, slices: [slice])[0]
    if !Self.isForbidden(field) { trailers.append(field) }
    line.removeAll(keepingCapacity: true)
  }

  /// Fields for framing, routing, authorisation or content must not be trailers (RFC 9110 §6.5.1).
  private static func isForbidden(_ field: HTTPField) -> Bool {
    let names: [StaticString] = [
      "content-length", "transfer-encoding", "host", "authorization", "proxy-authorization", "content-type",
      "content-encoding", "content-range", "connection", "trailer", "te", "cookie", "set-cookie",
      "cache-control", "expect", "max-forwards", "upgrade", "keep-alive",
    ]
    return names.contains { field.isNamed($0) }
  }
}

extension ChunkedDecoder {
  /// Checks a chunk's extensions (RFC 9112 §7.1.1). White space is allowed only around `;` and `=`.
  private static func check(_ text: ArraySlice<UInt8>) throws(HTTPParseError) {
    var rest = text
    while !rest.isEmpty {
      skipBlanks(&rest)
      guard rest.popFirst() == UInt8(ascii: ";") else { throw .badChunk }
      skipBlanks(&rest)
      guard skipToken(&rest) else { throw .badChunk }
      var lookAhead = rest
      skipBlanks(&lookAhead)
      guard lookAhead.popFirst() == UInt8(ascii: "=") else { continue }
      skipBlanks(&lookAhead)
      guard skipToken(&lookAhead) || skipQuoted(&lookAhead) else { throw .badChunk }
      rest = lookAhead
    }
  }

  private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) {
    rest = rest.drop(while: ASCII.isBlank)
  }

  private static func skipToken(_ rest: inout ArraySlice<UInt8>) -> Bool {
    let after = rest.drop(while: ASCII.isToken)
    guard after.startIndex > rest.startIndex else { return false }
    rest = after
    return true
  }

  private static func skipQuoted(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.popFirst() == UInt8(ascii: "\"") else { return false }
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return true }
      if byte == UInt8(ascii: "\\") {
        guard let escaped = rest.popFirst(), ASCII.isFieldValue(escaped) else { return false }
      } else if !ASCII.isFieldValue(byte) {
        return false
      }
    }
    return false
  }
}
