import TapedeckHTTP

/// A decoded text that maps each of its bytes to its place in the encoded text.
package struct DecodedText {
  package enum Encoding {
    case plain
    /// Queries and forms (WHATWG URL §5.1): `%XX`, and `+` for a blank.
    case percent
    /// URL paths, where `+` is literal (RFC 3986 §2.1).
    case path
    /// The inside of a JSON string (RFC 8259 §7).
    case json
  }

  /// The text itself when nothing was encoded.
  package let bytes: ArraySlice<UInt8>
  private let encoding: Encoding
  /// The start of each byte in the encoded text, then the end; `nil` when nothing was encoded.
  private let origins: [Int]?

  package init(_ text: ArraySlice<UInt8>, _ encoding: Encoding) {
    self.encoding = encoding
    switch encoding {
    case .percent where text.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") },
      .path where TextScan.has(UInt8(ascii: "%"), in: text):
      (bytes, origins) = Self.decoded(text) { index, out in
        Self.appendPercentDecoded(text, at: index, plusIsSpace: encoding == .percent, to: &out)
      }
    case .json where TextScan.has(UInt8(ascii: "\\"), in: text):
      (bytes, origins) = Self.decoded(text) { index, out in
        guard text[index] == UInt8(ascii: "\\") else {
          out.append(text[index])
          return 1
        }
        let (character, length) = JSONString.escape(in: text, at: index)
        if let character { JSONString.append(character, to: &out) } else { out.append(text[index]) }
        return length
      }
    default:
      bytes = text
      origins = nil
    }
  }

  /// - Parameter step: appends the decoded bytes at a place, and returns their encoded length.
  private static func decoded(
    _ text: ArraySlice<UInt8>, _ step: (Int, inout [UInt8]) -> Int
  ) -> (ArraySlice<UInt8>, [Int]) {
    var out: [UInt8] = []
    var origins: [Int] = []
    out.reserveCapacity(text.count)
    origins.reserveCapacity(text.count + 1)
    var index = text.startIndex
    while index < text.endIndex {
      let length = step(index, &out)
      while origins.count < out.count { origins.append(index) }
      index += length
    }
    origins.append(index)
    return (out[...], origins)
  }

  func origin(of range: Range<Int>) -> Range<Int> {
    guard let origins else { return range }
    return origins[range.lowerBound]..<origins[range.upperBound]
  }

  func encoded(_ finds: Finds) -> Finds {
    var result = Finds()
    for find in finds.list {
      result.add(
        Find(
          range: origin(of: find.range), replacement: encoded(find.replacement), report: find.report))
    }
    return result
  }

  private func encoded(_ bytes: [UInt8]) -> [UInt8] {
    switch encoding {
    case .plain: bytes
    case .percent, .path: Self.percentEncoded(bytes)
    case .json: JSONString.escaped(bytes[...])
    }
  }

  // MARK: Percent

  private static func appendPercentDecoded(
    _ text: ArraySlice<UInt8>, at index: Int, plusIsSpace: Bool, to out: inout [UInt8]
  ) -> Int {
    if text[index] == UInt8(ascii: "%"), index + 2 < text.endIndex,
      let high = ASCII.hexValue(text[index + 1]), let low = ASCII.hexValue(text[index + 2])
    {
      out.append(high << 4 | low)
      return 3
    }
    out.append(plusIsSpace && text[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : text[index])
    return 1
  }

  /// Encodes every byte except letters, digits, and the marks of placeholders and base64.
  package static func percentEncoded(_ bytes: [UInt8], lowercase: Bool = false) -> [UInt8] {
    bytes.flatMap { byte -> [UInt8] in
      let isPlain = ASCII.isWord(byte) || ".:~".utf8.contains(byte)
      return isPlain ? [byte] : [UInt8(ascii: "%")] + ASCII.hexDigits([byte], uppercase: !lowercase)
    }
  }
}
