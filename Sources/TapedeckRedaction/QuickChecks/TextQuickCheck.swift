import TapedeckHTTP

/// Checks a block or a word at a time for what every text with a secret has in it.
enum TextQuickCheck {
  /// Whether `count` letters, digits, `_` or `-` stand in a row. Each stretch of `count` bytes is read from its end, where
  /// any other byte rules out all runs across it, so that most bytes of prose are never read.
  static func hasWord(of count: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var start = 0
    while start + count <= bytes.count {
      var index = start + count - 1
      while index >= start, ASCII.isWord(bytes[index]) { index -= 1 }
      if index < start { return true }
      start = index + 1
    }
    return false
  }

  /// Whether there is a mark that a value may follow: `=`, `:` or `<`.
  static func hasMark(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(bytes)
    let (assigns, colons, tags) = (
      SIMD16<UInt8>(repeating: UInt8(ascii: "=")), SIMD16<UInt8>(repeating: UInt8(ascii: ":")),
      SIMD16<UInt8>(repeating: UInt8(ascii: "<"))
    )
    var index = 0
    while index + 16 <= raw.count {
      let block = raw.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      if any((block .== assigns) .| (block .== colons) .| (block .== tags)) { return true }
      index += 16
    }
    return bytes[index...].contains(where: isMark)
  }

  static func has(_ byte: UInt8, in text: ArraySlice<UInt8>) -> Bool {
    text.withUnsafeBytes { $0.index(of: byte, from: 0) != nil }
  }

  /// The forms of times in fields (RFC 9110 §5.6.7) and in JSON (RFC 3339 §5.6): `0` stands for a digit, `A` for a letter.
  private static let times: [StaticString] = [
    "Aaa, 00 Aaa 0000 00:00:00 GMT", "0000-00-00T00:00:00Z", "0000-00-00T00:00:00.000Z",
    "0000-00-00T00:00:00+00:00",
  ]

  /// Whether a text is a time and nothing else. Times have words and marks, but no secrets.
  static func isTime(_ text: some Collection<UInt8>) -> Bool {
    times.contains { form in
      form.utf8CodeUnitCount == text.count
        && zip(text, UnsafeBufferPointer(start: form.utf8Start, count: text.count)).allSatisfy(fits)
    }
  }

  private static func fits(_ byte: UInt8, _ place: UInt8) -> Bool {
    switch place {
    case UInt8(ascii: "0"): ASCII.isDigit(byte)
    case UInt8(ascii: "A"), UInt8(ascii: "a"): ASCII.isLetter(byte)
    default: byte == place
    }
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "<")
  }
}
