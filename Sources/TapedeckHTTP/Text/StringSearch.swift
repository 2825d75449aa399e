/// Searches text by its UTF-8. The standard library's own of these names compare characters, which takes many times as
/// long, and bring regular expressions, a megabyte, into the command; it is built without them (`Tools/check`).
extension Substring {
  package func firstRange(of text: String) -> Range<Index>? {
    var (whole, text) = (self, text)
    let offset = whole.withUTF8 { bytes in
      text.withUTF8 { UnsafeRawBufferPointer(bytes).index(of: UnsafeRawBufferPointer($0)) }
    }
    guard let offset else { return nil }
    let start = utf8.index(startIndex, offsetBy: offset)
    return start..<utf8.index(start, offsetBy: text.utf8.count)
  }

  package func contains(_ text: String) -> Bool { firstRange(of: text) != nil }
}

extension String {
  package func firstRange(of text: String) -> Range<Index>? { self[...].firstRange(of: text) }

  package func contains(_ text: String) -> Bool { self[...].firstRange(of: text) != nil }

  /// The text with every occurrence of another replaced, from its beginning on.
  package func replacing(_ text: String, with new: some StringProtocol) -> String {
    var result = ""
    var rest = self[...]
    while !text.isEmpty, let range = rest.firstRange(of: text) {
      result += rest[..<range.lowerBound]
      result += new
      rest = rest[range.upperBound...]
    }
    return result + rest
  }
}

extension ArraySlice<UInt8> {
  package func firstRange(of part: [UInt8]) -> Range<Int>? {
    let offset = withUnsafeBytes { bytes in part.withUnsafeBytes { bytes.index(of: $0) } }
    return offset.map { startIndex + $0..<startIndex + $0 + part.count }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func index(of part: UnsafeRawBufferPointer) -> Int? {
    guard let first = part.first else { return 0 }
    var start = 0
    while let index = index(of: first, from: start) {
      if holds(part, at: index) { return index }
      start = index + 1
    }
    return nil
  }
}
