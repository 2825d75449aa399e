/// The parts of a multipart body (RFC 2046 §5.1.1), without the boundary, which clients invent anew every time.
struct MultipartBody {
  /// Each part as it stands between two boundaries: header lines, blank line, content.
  let parts: [ArraySlice<UInt8>]

  /// Nil when the body is not made of this boundary, or does not end with it.
  init?(_ body: [UInt8], boundary: [UInt8]) {
    let delimiter = Array("\r\n--".utf8) + boundary
    var parts: [ArraySlice<UInt8>] = []
    guard var cursor = Self.first(delimiter, in: body) else { return nil }
    while !body[cursor...].starts(with: "--".utf8) {
      guard let start = Self.lineEnd(body, from: cursor),
        let end = Self.find(delimiter, in: body, from: max(start - 2, 0))
      else { return nil }
      parts.append(body[min(start, end)..<end])
      cursor = end + delimiter.count
    }
    self.parts = parts
  }

  /// Behind the first delimiter, which needs no line break before it at the start of the body.
  private static func first(_ delimiter: [UInt8], in body: [UInt8]) -> Int? {
    if body.starts(with: delimiter.dropFirst(2)) { return delimiter.count - 2 }
    return find(delimiter, in: body, from: 0).map { $0 + delimiter.count }
  }

  /// Behind the line break that ends a delimiter's line; nil when anything but blanks stands before it.
  private static func lineEnd(_ body: [UInt8], from index: Int) -> Int? {
    guard let end = body[index...].firstIndex(where: { !Bytes.isBlank($0) }) else { return nil }
    return body[end...].starts(with: "\r\n".utf8) ? end + 2 : nil
  }

  private static func find(_ pattern: [UInt8], in body: [UInt8], from start: Int) -> Int? {
    guard let first = pattern.first else { return nil }
    var index = start
    while let candidate = body[index...].firstIndex(of: first) {
      if body[candidate...].starts(with: pattern) { return candidate }
      index = candidate + 1
    }
    return nil
  }
}
