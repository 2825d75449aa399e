/// The parts of a multipart body (RFC 2046 §5.1.1), without the boundary, which clients choose at random.
package struct MultipartBody {
  package let parts: [ArraySlice<UInt8>]

  /// Returns `nil` when the body does not use this boundary, or does not end with it.
  package init?(_ body: [UInt8], boundary: [UInt8]) {
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

  /// The offset after the first delimiter, which needs no line break at the start of the body.
  private static func first(_ delimiter: [UInt8], in body: [UInt8]) -> Int? {
    if body.starts(with: delimiter.dropFirst(2)) { return delimiter.count - 2 }
    return find(delimiter, in: body, from: 0).map { $0 + delimiter.count }
  }

  /// The offset after a delimiter's line; `nil` when more than blanks follow the delimiter.
  private static func lineEnd(_ body: [UInt8], from index: Int) -> Int? {
    guard let end = body[index...].firstIndex(where: { !ASCII.isBlank($0) }) else { return nil }
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

extension MultipartBody {
  /// The `name` parameter of a part's `Content-Disposition` (RFC 7578 §4.2), if any.
  package static func name(of part: ArraySlice<UInt8>) -> [UInt8]? {
    headerLine("content-disposition:", of: part)?.parameter("name").map(Array.init)
  }

  package static func content(of part: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = part
    while let end = rest.firstIndex(of: UInt8(ascii: "\r")) {
      let next = rest[end...].dropFirst(2)
      if end == rest.startIndex { return next }
      rest = next
    }
    return []
  }

  /// The boundary in a part's `Content-Type`, and its range.
  package static func innerBoundary(of part: ArraySlice<UInt8>) -> (range: Range<Int>, boundary: [UInt8])? {
    guard let line = headerLine("content-type:", of: part) else { return nil }
    var fields = HTTPFields()
    guard (try? fields.append(name: "Content-Type".utf8, value: line)) != nil,
      case .multipart(let boundary) = MediaType(fields).kind,
      let range = lastRange(of: boundary, in: line)
    else { return nil }
    return (range, boundary)
  }

  private static func lastRange(of boundary: [UInt8], in line: ArraySlice<UInt8>) -> Range<Int>? {
    guard !boundary.isEmpty, line.count >= boundary.count else { return nil }
    return (line.startIndex...line.endIndex - boundary.count).last { line[$0...].starts(with: boundary) }
      .map { $0..<$0 + boundary.count }
  }

  /// The value of a header line, if present.
  private static func headerLine(_ name: StaticString, of part: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = part
    while let end = rest.firstIndex(of: UInt8(ascii: "\r")), end > rest.startIndex {
      let line = rest[..<end]
      if ASCII.equal(line.prefix(name.utf8CodeUnitCount), lowercase: name) {
        return line.dropFirst(name.utf8CodeUnitCount)
      }
      rest = rest[end...].dropFirst(2)
    }
    return nil
  }

  package static func boundary(openedBy body: [UInt8]) -> [UInt8]? {
    guard body.starts(with: "--".utf8), let end = body.firstIndex(of: UInt8(ascii: "\r")), end > 2, end <= 72
    else { return nil }
    return Array(body[2..<end])
  }
}
