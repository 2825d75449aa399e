internal import TapedeckHTTP

/// Base 64 as the world writes it: both alphabets of RFC 4648, with padding or without.
package enum LooseBase64 {
  enum Alphabet { case standard, url }

  /// The bytes, when all of them are text; nil as soon as one is not, which in other texts is soon.
  package static func decodedText(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let digits = text.prefix { $0 != UInt8(ascii: "=") }
    guard digits.count % 4 != 1 else { return nil }
    var out: [UInt8] = []
    var word: UInt32 = 0
    var bits: UInt32 = 0
    for character in digits {
      guard let value = value(character) else { return nil }
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

  /// The shortest run that is worth looking into: it holds eight bytes and more.
  private static let minimumBytes = 12

  /// Every run of characters that may be base64, with its padding.
  static func runs(in text: ArraySlice<UInt8>) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = text.startIndex
    var index = text.startIndex
    while index <= text.endIndex {
      if index < text.endIndex, value(text[index]) != nil {
        index += 1
        continue
      }
      if index - start >= minimumBytes {
        let padding = text[index...].prefix(2).prefix { $0 == UInt8(ascii: "=") }
        runs.append(start..<padding.endIndex)
      }
      index += 1
      start = index
    }
    return runs
  }

  /// Bytes in the alphabet, and with the padding, of another text.
  static func encode(_ bytes: [UInt8], like text: ArraySlice<UInt8>) -> [UInt8] {
    let isURL = text.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    return encode(bytes, isURL ? .url : .standard, isPadded: text.count % 4 == 0)
  }

  static func isDigit(_ character: UInt8) -> Bool { value(character) != nil }

  private static func value(_ character: UInt8) -> UInt32? {
    switch character {
    case 0x41...0x5A: UInt32(character) - 0x41
    case 0x61...0x7A: UInt32(character) - 0x47
    case 0x30...0x39: UInt32(character) + 4
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }

  static func encode(_ bytes: [UInt8], _ alphabet: Alphabet, isPadded: Bool) -> [UInt8] {
    var out = Array(Base64.encode(bytes).utf8)
    if alphabet == .url {
      for index in out.indices {
        if out[index] == UInt8(ascii: "+") { out[index] = UInt8(ascii: "-") }
        if out[index] == UInt8(ascii: "/") { out[index] = UInt8(ascii: "_") }
      }
    }
    if !isPadded { while out.last == UInt8(ascii: "=") { out.removeLast() } }
    return out
  }
}
