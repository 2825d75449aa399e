/// Reads one field line, without its line end, into offsets (RFC 9112 §5). Shared by heads and trailers.
enum FieldLineParser {
  /// Parses `bytes[start..<end]`. White space before the colon, folding and control bytes are refused.
  static func parse(
    _ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int
  ) throws(HTTPParseError) -> HTTPFields.Slice {
    var colon = start
    while colon < end, ASCII.isToken(bytes[colon]) { colon += 1 }
    guard colon > start, colon < end, bytes[colon] == ASCII.colon else { throw .badField }
    var valueStart = colon + 1
    while valueStart < end, ASCII.isBlank(bytes[valueStart]) { valueStart += 1 }
    var valueEnd = end
    while valueEnd > valueStart, ASCII.isBlank(bytes[valueEnd - 1]) { valueEnd -= 1 }
    guard ASCII.endOfFieldValue(bytes, from: valueStart, to: valueEnd) == valueEnd else { throw .badField }
    return HTTPFields.Slice(
      nameStart: UInt32(truncatingIfNeeded: start), nameEnd: UInt32(truncatingIfNeeded: colon),
      valueStart: UInt32(truncatingIfNeeded: valueStart), valueEnd: UInt32(truncatingIfNeeded: valueEnd))
  }
}
