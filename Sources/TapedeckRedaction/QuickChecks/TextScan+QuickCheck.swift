import TapedeckHTTP

/// Quick checks for what every text with a secret contains.
extension TextScan {
  /// Whether a text may hold a secret: a long word that is no word of a language, or the name of one.
  static func mayHide(_ text: ArraySlice<UInt8>) -> Bool {
    text.withUnsafeBufferPointer { mayHide($0) }
  }

  static func mayHide(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count >= 4 else { return false }
    if hasLongWord(in: text) { return true }
    let (hasMark, hasHyphen) = marks(in: text)
    // A user before a host, and what is encoded, have no names.
    if hasMark, has(UInt8(ascii: "@"), in: text) || has(UInt8(ascii: "%"), in: text) { return true }
    // A backslash may be an escaped blank.
    guard hasMark || text.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "\\") }) else { return false }
    return SecretNames.mayBeSecret(text) || hasHyphen && hasOption(in: text)
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

  /// Whether `minimumWordBytes` letters, digits, `_` or `-` are in a row that is no word of a language. Each stretch of
  /// as many bytes is read from its end, where any other byte rules out all runs across it, so most bytes of prose are
  /// never read.
  private static func hasLongWord(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var start = 0
    while start + minimumWordBytes <= bytes.count {
      let end = start + minimumWordBytes
      if let blank = lastBlank(in: UnsafeRawBufferPointer(bytes), before: end) {
        start = blank + 1
        continue
      }
      var index = end - 1
      while index >= start, ASCII.isWord(bytes[index]) { index -= 1 }
      guard index < start else {
        start = index + 1
        continue
      }
      let wordEnd = bytes[end...].firstIndex { !ASCII.isWord($0) } ?? bytes.count
      guard isOrdinary(bytes[start..<wordEnd]) else { return true }
      start = wordEnd + 1
    }
    return false
  }

  /// The last of the eight bytes before `end` that is a blank or one of the marks below `-`, which are in no word.
  private static func lastBlank(in bytes: UnsafeRawBufferPointer, before end: Int) -> Int? {
    let highs: UInt64 = 0x8080_8080_8080_8080
    let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self))
    // The high bit of a lane stays if its other bits are at least those of a hyphen.
    let isAbove = (word | highs) &- 0x2D2D_2D2D_2D2D_2D2D
    let blanks = ~(isAbove | word) & highs
    return blanks == 0 ? nil : end - 1 - blanks.leadingZeroBitCount / 8
  }

  /// Machines make no words as long as these of small letters, hyphens and underscores alone.
  private static let maximumOrdinaryBytes = 32

  private static func isOrdinary(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    word.count <= maximumOrdinaryBytes && ASCII.isLetter(word[word.startIndex])
      && word.dropFirst().allSatisfy { $0 &- 0x61 < 26 || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  /// Whether a text has `=`, `:` or `<`, and whether it has a hyphen.
  private static func marks(
    in bytes: UnsafeBufferPointer<UInt8>
  ) -> (hasMark: Bool, hasHyphen: Bool) {
    let raw = UnsafeRawBufferPointer(bytes)
    let (assigns, colons, tags, hyphens) = (
      SIMD16<UInt8>(repeating: UInt8(ascii: "=")), SIMD16<UInt8>(repeating: UInt8(ascii: ":")),
      SIMD16<UInt8>(repeating: UInt8(ascii: "<")), SIMD16<UInt8>(repeating: UInt8(ascii: "-"))
    )
    var (marks, hyphensSeen) = (SIMDMask<SIMD16<Int8>>(), SIMDMask<SIMD16<Int8>>())
    var index = 0
    while index + 16 <= raw.count {
      let block = raw.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      marks .|= (block .== assigns) .| (block .== colons) .| (block .== tags)
      hyphensSeen .|= block .== hyphens
      index += 16
    }
    // `any` takes more than comparing two words.
    let found = unsafeBitCast(marks, to: SIMD2<UInt64>.self)
    let hyphensFound = unsafeBitCast(hyphensSeen, to: SIMD2<UInt64>.self)
    var (hasMark, hasHyphen) = (found[0] | found[1] != 0, hyphensFound[0] | hyphensFound[1] != 0)
    while index < raw.count {
      switch raw[index] {
      case UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "<"): hasMark = true
      case UInt8(ascii: "-"): hasHyphen = true
      default: break
      }
      index += 1
    }
    return (hasMark, hasHyphen)
  }

  static func has(_ byte: UInt8, in text: ArraySlice<UInt8>) -> Bool {
    text.withUnsafeBufferPointer { has(byte, in: $0) }
  }

  private static func has(_ byte: UInt8, in text: UnsafeBufferPointer<UInt8>) -> Bool {
    UnsafeRawBufferPointer(text).index(of: byte, from: 0) != nil
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
