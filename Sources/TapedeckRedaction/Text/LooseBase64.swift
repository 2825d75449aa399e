import TapedeckHTTP

/// Base64 in both alphabets of RFC 4648, with padding or without.
package enum LooseBase64 {
  /// The decoded bytes; `nil` as soon as one of them is not text.
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

  /// The text that base64 holds in the form of gzip.
  static func unpackedText(_ run: ArraySlice<UInt8>) -> [UInt8]? {
    // The first bytes of every gzip file, encoded (RFC 1952 §2.3.1).
    guard run.starts(with: "H4sI".utf8) else { return nil }
    let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - run.count % 4) % 4)
    return Base64.decode(Array(run) + padding).flatMap { BodyCoding.gzip.decoded($0[...]) }
  }

  /// The shortest run that is decoded; it holds nine bytes.
  private static let minimumBytes = 12

  /// The runs of characters that may be base64, with their padding.
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

  /// Encodes bytes in the alphabet of another text, with its padding.
  static func encode(_ bytes: [UInt8], like text: ArraySlice<UInt8>) -> [UInt8] {
    let isURL = text.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    return encode(bytes, isURL: isURL, isPadded: text.count % 4 == 0)
  }

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

  static func encode(_ bytes: [UInt8], isURL: Bool, isPadded: Bool) -> [UInt8] {
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
