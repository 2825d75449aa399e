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
    let marks = marks(in: text)
    // A user before a host, and what is encoded, have no names.
    if marks.assigns, marks.encodes { return true }
    guard marks.assigns || marks.isSpaced else { return false }
    return SecretNames.mayBeSecret(text) || marks.hyphenates && hasOption(in: text)
  }

  /// Whether a text may hold a secret that needs neither a long word nor the name of one.
  static func mayHideWithoutWord(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(text)
    let (at, percent) = (
      SIMD16<UInt8>(repeating: UInt8(ascii: "@")), SIMD16<UInt8>(repeating: UInt8(ascii: "%"))
    )
    var encodes = SIMDMask<SIMD16<Int8>>()
    var index = 0
    while index + 16 <= raw.count {
      let block = raw.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      encodes .|= (block .== at) .| (block .== percent)
      index += 16
    }
    return any(encodes) || text[index...].contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "%") }
      || hasOption(in: text)
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
  static func hasLongWord(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
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
    let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self))
    let ends = endsOfWords(in: word)
    return ends == 0 ? nil : end - 1 - ends.leadingZeroBitCount / 8
  }

  /// The high bit of each lane that is a blank, one of the marks below `-`, or no ASCII, which are in no word.
  @inline(__always) static func endsOfWords(in word: UInt64) -> UInt64 {
    let highs: UInt64 = 0x8080_8080_8080_8080
    // The high bit of a lane stays if its other bits are at least those of a hyphen.
    let isAbove = (word | highs) &- 0x2D2D_2D2D_2D2D_2D2D
    return (~isAbove | word) & highs
  }

  /// Machines make no words as long as these of small letters, hyphens and underscores alone.
  private static let maximumOrdinaryBytes = 32

  private static func isOrdinary(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    word.count <= maximumOrdinaryBytes && ASCII.isLetter(word[word.startIndex])
      && word.dropFirst().allSatisfy { $0 &- 0x61 < 26 || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  /// The same as Swift's `any`, which takes more than comparing two words.
  @inline(__always) private static func any(_ mask: SIMDMask<SIMD16<Int8>>) -> Bool {
    let words = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
    return words[0] | words[1] != 0
  }

  /// What is in a text: `=`, `:` or `<`; `@` or `%`; a hyphen; a blank, or a backslash, which may be an escaped one.
  private typealias Marks = (assigns: Bool, encodes: Bool, hyphenates: Bool, isSpaced: Bool)

  private static func marks(in bytes: UnsafeBufferPointer<UInt8>) -> Marks {
    let raw = UnsafeRawBufferPointer(bytes)
    let none = SIMDMask<SIMD16<Int8>>()
    var (assigns, encodes, hyphenates, isSpaced) = (none, none, none, none)
    @inline(__always) func take(_ block: SIMD16<UInt8>) {
      func all(_ byte: Unicode.Scalar) -> SIMD16<UInt8> { SIMD16(repeating: UInt8(ascii: byte)) }
      assigns .|= (block .== all("=")) .| (block .== all(":")) .| (block .== all("<"))
      encodes .|= (block .== all("@")) .| (block .== all("%"))
      hyphenates .|= block .== all("-")
      isSpaced .|= (block .<= all(" ")) .| (block .== all("\\"))
    }
    var index = 0
    while index + 16 <= raw.count {
      take(raw.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self))
      index += 16
    }
    if index < raw.count {
      let filler = UInt8(ascii: "!")
      let words = SIMD2(
        raw.word(at: index, filledWith: filler).littleEndian,
        raw.word(at: index + 8, filledWith: filler).littleEndian)
      take(unsafeBitCast(words, to: SIMD16<UInt8>.self))
    }
    return (any(assigns), any(encodes), any(hyphenates), any(isSpaced))
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

  private static let minimumFormBytes = 20

  /// Whether a text is a time or a UUID and nothing else. They have words and marks, but no secrets.
  static func isOrdinary(_ text: ArraySlice<UInt8>) -> Bool {
    text.withUnsafeBufferPointer { isOrdinary($0) }
  }

  static func isOrdinary(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count >= minimumFormBytes else { return false }
    return ordinaryForms.contains { form in
      form.utf8CodeUnitCount == text.count
        && text.indices.allSatisfy { fits(text[$0], form.utf8Start[$0]) }
    }
  }

  /// Whether a text is an entity tag (RFC 9110 §8.8.3) of hexadecimal numbers, as of a file's time and size:
  /// `"65f1-38"`. It has a word, but no secret. A longer one may be base64.
  static func isEntityTag(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count > 1, text[text.count - 1] == UInt8(ascii: "\"") else { return false }
    let start = text.starts(with: "W/".utf8) ? 3 : 1
    guard text.count > start, text.count - start <= minimumEncodedBytes, text[start - 1] == UInt8(ascii: "\"")
    else { return false }
    return text[start..<text.count - 1].allSatisfy { ASCII.hexValue($0) != nil || $0 == UInt8(ascii: "-") }
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
