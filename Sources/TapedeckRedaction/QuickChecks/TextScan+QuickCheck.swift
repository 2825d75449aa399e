import TapedeckHTTP

/// Quick checks for what every text with a secret contains.
extension TextScan {
  /// Whether a text may hold a secret: it has a long word, a mark that a value may follow, or a
  /// name and a blank.
  static func mayHide(_ text: ArraySlice<UInt8>) -> Bool {
    text.withUnsafeBufferPointer { mayHide($0) }
  }

  static func mayHide(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.count >= 4
      && (hasMark(in: text) || hasWord(of: minimumWordBytes, in: text) || hasCommand(in: text))
  }

  /// Whether a text may be SQL, a command line or a table with a secret: it has blanks, and the name of a secret
  /// or an option of one letter. A backslash may be an escaped blank.
  private static func hasCommand(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "\\") }) else { return false }
    return SecretNames.mayBeSecret(text) || hasOption(in: text)
  }

  private static func hasOption(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(text)
    var index = 1
    while let hyphen = raw.index(of: UInt8(ascii: "-"), from: index), hyphen + 1 < text.count {
      if "paPwuU".utf8.contains(text[hyphen + 1]),
        !ASCII.isWord(text[hyphen - 1]) || hyphen > 1 && text[hyphen - 2] == UInt8(ascii: "\\")
      {
        return true
      }
      index = hyphen + 1
    }
    return false
  }

  /// Whether `count` letters, digits, `_` or `-` are in a row. Each stretch of `count` bytes is read from its
  /// end, where any other byte rules out all runs across it, so most bytes of prose are never read.
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

  /// Times in fields (RFC 9110 §5.6.7) and JSON (RFC 3339 §5.6); `0` is any digit, `A` any letter.
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
