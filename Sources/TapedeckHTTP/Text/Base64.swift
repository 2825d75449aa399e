/// Base64 without line breaks (RFC 4648).
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// With padding (RFC 4648 §4).
  package static func encode(_ bytes: some Collection<UInt8>) -> String {
    var out: [UInt8] = []
    out.reserveCapacity((bytes.count + 2) / 3 * 4)
    var rest = bytes[...]
    while !rest.isEmpty {
      let group = Array(rest.prefix(3))
      rest = rest.dropFirst(3)
      let word = group.enumerated().reduce(UInt32(0)) {
        $0 | UInt32($1.element) << (16 - 8 * UInt32($1.offset))
      }
      for place in 0..<4 {
        let isPadding = place > group.count
        out.append(isPadding ? UInt8(ascii: "=") : alphabet[Int(word >> (18 - 6 * UInt32(place)) & 0x3F)])
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Decodes exactly what `encode` writes; `nil` for anything else.
  package static func decode(_ text: [UInt8]) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    var out: [UInt8] = []
    out.reserveCapacity(text.count / 4 * 3)
    var word: UInt32 = 0
    for (index, character) in text.dropLast(padding).enumerated() {
      guard let value = value(character) else { return nil }
      word = word << 6 | value
      guard index % 4 == 3 else { continue }
      out += [UInt8(truncatingIfNeeded: word >> 16), UInt8(truncatingIfNeeded: word >> 8)]
      out.append(UInt8(truncatingIfNeeded: word))
      word = 0
    }
    switch padding {
    case 1:
      guard word & 0x3 == 0 else { return nil }
      out += [UInt8(truncatingIfNeeded: word >> 10), UInt8(truncatingIfNeeded: word >> 2)]
    case 2:
      guard word & 0xF == 0 else { return nil }
      out.append(UInt8(truncatingIfNeeded: word >> 4))
    default: break
    }
    return out
  }

  /// - Parameter isLoose: whether the alphabet of RFC 4648 §5 is accepted too.
  private static func value(_ character: UInt8, isLoose: Bool = false) -> UInt32? {
    switch character {
    case 0x41...0x5A: UInt32(character) - 0x41
    case 0x61...0x7A: UInt32(character) - 0x47
    case 0x30...0x39: UInt32(character) + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    case UInt8(ascii: "-") where isLoose: 62
    case UInt8(ascii: "_") where isLoose: 63
    default: nil
    }
  }
}

/// Base64 within text, in both alphabets of RFC 4648, with or without padding.
extension Base64 {
  /// The decoded text; `nil` as soon as a byte is not text.
  package static func decodeText(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let digits = text.prefix { $0 != UInt8(ascii: "=") }
    guard digits.count % 4 != 1 else { return nil }
    var out: [UInt8] = []
    var word: UInt32 = 0
    var bits: UInt32 = 0
    for character in digits {
      guard let value = value(character, isLoose: true) else { return nil }
      word = word << 6 | value
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      let byte = UInt8(truncatingIfNeeded: word >> bits)
      guard ASCII.isText(byte) else { return nil }
      out.append(byte)
    }
    return out
  }

  /// The shortest run to decode; it encodes nine bytes.
  private static let minimumRunBytes = 12

  /// The runs of characters that may be Base64, with their padding.
  package static func runs(in text: ArraySlice<UInt8>) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = text.startIndex
    var index = text.startIndex
    while index <= text.endIndex {
      if index < text.endIndex, value(text[index], isLoose: true) != nil {
        index += 1
        continue
      }
      if index - start >= minimumRunBytes {
        let padding = text[index...].prefix(2).prefix { $0 == UInt8(ascii: "=") }
        runs.append(start..<padding.endIndex)
      }
      index += 1
      start = index
    }
    return runs
  }

  /// Encodes bytes with the alphabet and padding of another text.
  package static func encode(_ bytes: [UInt8], like text: ArraySlice<UInt8>) -> [UInt8] {
    let isURL = text.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    return encode(bytes, isURL: isURL, isPadded: text.count % 4 == 0)
  }

  package static func encode(_ bytes: [UInt8], isURL: Bool, isPadded: Bool) -> [UInt8] {
    var out = Array(Base64.encode(bytes).utf8)
    if isURL {
      for index in out.indices {
        if out[index] == UInt8(ascii: "+") { out[index] = UInt8(ascii: "-") }
        if out[index] == UInt8(ascii: "/") { out[index] = UInt8(ascii: "_") }
      }
    }
    if !isPadded { while out.last == UInt8(ascii: "=") { out.removeLast() } }
    return out
  }
}
