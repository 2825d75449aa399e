import TapedeckHTTP

/// A decoded text that knows where in the encoded text each of its bytes came from.
package struct DecodedText {
  /// How a text is written within another.
  package enum Encoding {
    /// As it is.
    case plain
    /// As in queries and forms (WHATWG URL §5.1): `%XX`, and `+` for a blank.
    case percent
    /// As in URL paths, where `+` is itself (RFC 3986 §2.1).
    case path
    /// As between the quotes of a JSON string (RFC 8259 §7).
    case json
  }

  /// The text itself where nothing was encoded.
  package let bytes: ArraySlice<UInt8>
  private let encoding: Encoding
  /// Where each byte begins in the encoded text, and where the last one ends; `nil` when nothing was encoded.
  private let origins: [Int]?

  package init(_ text: ArraySlice<UInt8>, _ encoding: Encoding) {
    self.encoding = encoding
    switch encoding {
    case .percent where text.contains { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") },
      .path where TextQuickCheck.has(UInt8(ascii: "%"), in: text):
      (bytes, origins) = Self.percentDecoded(text, plusIsSpace: encoding == .percent)
    case .json where TextQuickCheck.has(UInt8(ascii: "\\"), in: text):
      (bytes, origins) = Self.jsonDecoded(text)
    default:
      bytes = text
      origins = nil
    }
  }

  /// The place of a stretch of `bytes` in the encoded text.
  func origin(of range: Range<Int>) -> Range<Int> {
    guard let origins else { return range }
    return origins[range.lowerBound]..<origins[range.upperBound]
  }

  /// Finds in `bytes`, as finds in the encoded text.
  func encoded(_ finds: Finds) -> Finds {
    var result = Finds()
    for find in finds.list {
      result.add(
        Find(
          range: origin(of: find.range), replacement: encoded(find.replacement), evidence: find.evidence))
    }
    return result
  }

  private func encoded(_ bytes: [UInt8]) -> [UInt8] {
    switch encoding {
    case .plain: bytes
    case .percent, .path: Self.percentEncoded(bytes)
    case .json: Self.jsonEscaped(bytes)
    }
  }

  // MARK: Percent

  private static func percentDecoded(
    _ text: ArraySlice<UInt8>, plusIsSpace: Bool
  ) -> (ArraySlice<UInt8>, [Int]) {
    var out: [UInt8] = []
    var origins: [Int] = []
    out.reserveCapacity(text.count)
    origins.reserveCapacity(text.count + 1)
    var index = text.startIndex
    while index < text.endIndex {
      origins.append(index)
      if text[index] == UInt8(ascii: "%"), index + 2 < text.endIndex,
        let high = ASCII.hexValue(text[index + 1]), let low = ASCII.hexValue(text[index + 2])
      {
        out.append(high << 4 | low)
        index += 3
      } else {
        out.append(plusIsSpace && text[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : text[index])
        index += 1
      }
    }
    origins.append(index)
    return (out[...], origins)
  }

  /// Encodes every byte but letters, digits, and the marks of placeholders and base64.
  package static func percentEncoded(_ bytes: [UInt8], lowercase: Bool = false) -> [UInt8] {
    let digits = Array((lowercase ? "0123456789abcdef" : "0123456789ABCDEF").utf8)
    return bytes.flatMap { byte -> [UInt8] in
      if ASCII.isWord(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: ":")
        || byte == UInt8(ascii: "~")
      {
        return [byte]
      }
      return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
    }
  }

  // MARK: JSON

  private static func jsonDecoded(_ text: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, [Int]) {
    var out: [UInt8] = []
    var origins: [Int] = []
    out.reserveCapacity(text.count)
    origins.reserveCapacity(text.count + 1)
    var index = text.startIndex
    while index < text.endIndex {
      let (scalar, length) = escape(text, at: index)
      let decoded = scalar.map(utf8) ?? [text[index]]
      out += decoded
      origins.append(contentsOf: repeatElement(index, count: decoded.count))
      index += length
    }
    origins.append(index)
    return (out[...], origins)
  }

  /// The character that the escape at `index` stands for, and the length of the escape; one byte where there is none.
  private static func escape(_ text: ArraySlice<UInt8>, at index: Int) -> (scalar: UInt32?, length: Int) {
    guard text[index] == UInt8(ascii: "\\"), index + 1 < text.endIndex else { return (nil, 1) }
    switch text[index + 1] {
    case UInt8(ascii: "b"): return (0x08, 2)
    case UInt8(ascii: "t"): return (0x09, 2)
    case UInt8(ascii: "n"): return (0x0A, 2)
    case UInt8(ascii: "f"): return (0x0C, 2)
    case UInt8(ascii: "r"): return (0x0D, 2)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return (UInt32(text[index + 1]), 2)
    case UInt8(ascii: "u"): return unit(text, at: index)
    default: return (nil, 1)
    }
  }

  private static func unit(_ text: ArraySlice<UInt8>, at index: Int) -> (scalar: UInt32?, length: Int) {
    guard let high = hex4(text, at: index + 2) else { return (nil, 1) }
    if (0xD800...0xDBFF).contains(high), text[(index + 6)...].starts(with: "\\u".utf8),
      let low = hex4(text, at: index + 8), (0xDC00...0xDFFF).contains(low)
    {
      return (0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), 12)
    }
    return (high, 6)
  }

  private static func hex4(_ text: ArraySlice<UInt8>, at index: Int) -> UInt32? {
    guard index + 4 <= text.endIndex else { return nil }
    var value: UInt32 = 0
    for digit in text[index..<(index + 4)] {
      guard let digit = ASCII.hexValue(digit) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// A lone surrogate becomes the three bytes that UTF-8 would give it, so that different texts stay different.
  private static func utf8(_ scalar: UInt32) -> [UInt8] {
    func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | (scalar >> shift & 0x3F)) }
    switch scalar {
    case ..<0x80: return [UInt8(truncatingIfNeeded: scalar)]
    case ..<0x800: return [UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6), tail(0)]
    case ..<0x10000: return [UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12), tail(6), tail(0)]
    default: return [UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18), tail(12), tail(6), tail(0)]
    }
  }

  static func jsonEscaped(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    bytes.withUnsafeBufferPointer { JSONString.appendEscaped($0, to: &out) }
    return out
  }
}
