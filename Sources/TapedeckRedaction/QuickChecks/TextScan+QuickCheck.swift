import TapedeckHTTP

/// Quick checks for what every text with a secret contains.
extension TextScan {
  /// Whether a text may hold a secret: a long word that is no word of a language, or the name of one.
  static func mayHide(_ text: ArraySlice<UInt8>) -> Bool {
    text.withUnsafeBufferPointer { mayHide($0) }
  }

  static func mayHide(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count >= 4 else { return false }
    if hasWord(of: minimumWordBytes, in: text) { return true }
    let hasMark = hasMark(in: text)
    // A user before a host, and what is encoded, have no names.
    if hasMark, text.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "%") }) { return true }
    // A backslash may be an escaped blank.
    guard hasMark || text.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "\\") }) else { return false }
    return SecretNames.mayBeSecret(text) || hasOption(in: text)
  }

  /// Whether a text has the option of a command, of one letter or `--user`.
  private static func hasOption(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(text)
    var index = 1
    while let hyphen = raw.index(of: UInt8(ascii: "-"), from: index), hyphen + 1 < text.count {
      if "paPwuU".utf8.contains(text[hyphen + 1]),
        !ASCII.isAlphanumeric(text[hyphen - 1]) || hyphen > 1 && text[hyphen - 2] == UInt8(ascii: "\\")
      {
        return true
      }
      index = hyphen + 1
    }
    return false
  }

  /// Whether `count` letters, digits, `_` or `-` are in a row that is no word of a language. Each stretch of `count`
  /// bytes is read from its end, where any other byte rules out all runs across it, so most bytes of prose are never
  /// read.
  static func hasWord(of count: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var start = 0
    while start + count <= bytes.count {
      var index = start + count - 1
      while index >= start, ASCII.isWord(bytes[index]) { index -= 1 }
      guard index < start else {
        start = index + 1
        continue
      }
      let end = bytes[(start + count)...].firstIndex { !ASCII.isWord($0) } ?? bytes.count
      guard isOrdinary(bytes[start..<end]) else { return true }
      start = end + 1
    }
    return false
  }

  /// Machines make no words as long as these of small letters, hyphens and underscores alone.
  private static let maximumOrdinaryBytes = 32

  private static func isOrdinary(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    word.count <= maximumOrdinaryBytes && ASCII.isLetter(word[word.startIndex])
      && word.dropFirst().allSatisfy { $0 &- 0x61 < 26 || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  private static func hasMark(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
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
    return bytes[index...].contains {
      $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "<")
    }
  }

  static func has(_ byte: UInt8, in text: ArraySlice<UInt8>) -> Bool {
    text.withUnsafeBytes { $0.index(of: byte, from: 0) != nil }
  }

  /// Times in fields (RFC 9110 §5.6.7) and JSON (RFC 3339 §5.6), and UUIDs (RFC 9562 §4); `0` is any digit, `A` any
  /// letter, `F` any hexadecimal digit.
  private static let ordinaryForms: [StaticString] = [
    "Aaa, 00 Aaa 0000 00:00:00 GMT", "0000-00-00T00:00:00Z", "0000-00-00T00:00:00.000Z",
    "0000-00-00T00:00:00+00:00", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
  ]

  /// Whether a text is a time or a UUID and nothing else. They have words and marks, but no secrets.
  static func isOrdinary(_ text: some Collection<UInt8>) -> Bool {
    ordinaryForms.contains { form in
      form.utf8CodeUnitCount == text.count
        && zip(text, UnsafeBufferPointer(start: form.utf8Start, count: text.count)).allSatisfy(fits)
    }
  }

  private static func fits(_ byte: UInt8, _ place: UInt8) -> Bool {
    switch place {
    case UInt8(ascii: "0"): ASCII.isDigit(byte)
    case UInt8(ascii: "F"): ASCII.hexValue(byte) != nil
    case UInt8(ascii: "A"), UInt8(ascii: "a"): ASCII.isLetter(byte)
    default: byte == place
    }
  }
}
