/// Base 64 with padding, without line breaks (RFC 4648 §4).
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

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

  /// The bytes; nil for anything that `encode` does not write.
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

  private static func value(_ character: UInt8) -> UInt32? {
    switch character {
    case 0x41...0x5A: UInt32(character) - 0x41
    case 0x61...0x7A: UInt32(character) - 0x47
    case 0x30...0x39: UInt32(character) + 4
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
