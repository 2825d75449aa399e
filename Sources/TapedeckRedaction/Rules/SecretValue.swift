import TapedeckHTTP

/// Whether the value under a secret's name is a secret. Words like `required`, numbers, dates and short texts under `token`
/// are not, and neither are placeholders.
enum SecretValue {
  /// The shortest secret under a name like `token`.
  static let minimumLikelyBytes = 8
  /// The shortest secret that is one because it looks random.
  static let minimumRandomBytes = 16

  static func isSecret(_ value: ArraySlice<UInt8>, under strength: SecretNames.Strength) -> Bool {
    switch strength {
    case .none: false
    case .maybe: isRandom(value) && !isWorthless(value)
    case .doubtful: isMachineMade(value)
    case .likely: isLikely(value)
    case .strong: !isWorthless(value)
    }
  }

  /// A cookie's value is a secret unless it is too simple to be one: empty, a flag, a small number, a short word.
  static func isCookieSecret(_ value: ArraySlice<UInt8>) -> Bool {
    if isWorthless(value) { return false }
    if value.allSatisfy(ASCII.isDigit) { return value.count > 4 }
    let isWord = value.allSatisfy { ASCII.isLetter($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    return !isWord || value.count >= minimumLikelyBytes
  }

  /// Whether a value is empty, a placeholder, a flag, or a mask like `****`.
  static func isWorthless(_ value: ArraySlice<UInt8>) -> Bool {
    guard let first = value.first, value.count > 1 else { return true }
    if Placeholder.isWhole(value) { return true }
    if value.allSatisfy({ $0 == first }), !ASCII.isAlphanumeric(first) || first | 0x20 == UInt8(ascii: "x") {
      return true
    }
    return value.count <= 9 && flags.contains(value.map(ASCII.lowercased))
  }

  private static let flags = Set(
    ["true", "false", "null", "none", "nil", "undefined", "yes", "no", "on", "off"].map { Array($0.utf8) })

  /// Whether a value is no short text, number, date, sentence, path, or joined words.
  private static func isLikely(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.count >= minimumLikelyBytes, !isWorthless(value) else { return false }
    if value.contains(where: ASCII.isSpace) { return false }
    if isNumeric(value) || isLocation(value) { return false }
    return !isWords(value)
  }

  /// Whether a value is digits and what numbers, dates and times have between them.
  private static func isNumeric(_ value: ArraySlice<UInt8>) -> Bool {
    var letters = 0
    for byte in value {
      if ASCII.isLetter(byte) {
        letters += 1
      } else if !ASCII.isDigit(byte), !"-+.:,/ ".utf8.contains(byte) {
        return false
      }
    }
    // 2026-11-21T01:52:33Z
    return letters == 0
      || letters <= 2 && value.contains(UInt8(ascii: ":")) && value.contains(UInt8(ascii: "-"))
  }

  private static func isLocation(_ value: ArraySlice<UInt8>) -> Bool {
    value.starts(with: "/".utf8) && value.dropFirst().contains(UInt8(ascii: "/")) && isWords(value)
      || value.starts(with: "http://".utf8) || value.starts(with: "https://".utf8)
  }

  /// Whether a value is words of letters, joined by something: `read-write`, `Authorization`, `api.example.com`. A long
  /// word, or one with capitals in the middle again and again, does not count as one.
  private static func isWords(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.allSatisfy({ ASCII.isWord($0) || "./:, ".utf8.contains($0) }) else { return false }
    let words = value.split { !ASCII.isAlphanumeric($0) }
    return words.allSatisfy { word in
      let letters = word.reversed().drop(while: ASCII.isDigit)
      guard letters.allSatisfy(ASCII.isLetter), word.count - letters.count <= 4 else { return false }
      return word.count <= 20 && changes(word) <= 4 && (words.count > 1 || !isMixed(word))
    }
  }

  /// Whether capitals and small letters alternate as in no name: `QpwLtkePnpaLw`.
  private static func isMixed(_ word: ArraySlice<UInt8>) -> Bool {
    let capitals = word.dropFirst().count { $0 &- 0x41 < 26 }
    return capitals > 2 && capitals * 4 > word.count && capitals < word.count - 1
  }

  /// Whether a value looks random: long, in one piece, and changing between letters and digits too often for a name.
  /// UUIDs are ids and do not count.
  static func isRandom(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.count >= minimumRandomBytes, !isUUID(value) else { return false }
    guard value.allSatisfy({ ASCII.isWord($0) || "+/=.~%:!*".utf8.contains($0) }) else { return false }
    let digits = value.count(where: ASCII.isDigit)
    let letters = value.count(where: ASCII.isLetter)
    let changes = changes(value)
    guard digits > 0 || changes * 3 >= value.count, letters >= 4, !isLocation(value), !isPath(value) else {
      return false
    }
    return changes * 5 >= value.count && !isWords(value) && !isNumeric(value)
  }

  /// Whether a value is names and numbers between slashes: `photos/2026/451225/img_6784.jpeg`.
  private static func isPath(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.contains(UInt8(ascii: "/")) else { return false }
    return value.split { !ASCII.isAlphanumeric($0) }.allSatisfy {
      $0.allSatisfy(ASCII.isDigit) || isWords($0)
    }
  }

  /// How often the kind of character changes: capital, small letter, digit, other.
  private static func changes(_ value: ArraySlice<UInt8>) -> Int {
    func kind(_ byte: UInt8) -> Int {
      ASCII.isDigit(byte) ? 0 : byte &- 0x41 < 26 ? 1 : byte &- 0x61 < 26 ? 2 : 3
    }
    return zip(value, value.dropFirst()).count { kind($0) != kind($1) }
  }

  static func isUUID(_ value: ArraySlice<UInt8>) -> Bool {
    value.count == 36
      && value.enumerated().allSatisfy { index, byte in
        [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : ASCII.hexValue(byte) != nil
      }
  }
}

// MARK: - What a machine has made

extension SecretValue {
  /// Whether a value is too mixed to be written by a person, for names that may not be those of secrets.
  private static func isMachineMade(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.count >= minimumLikelyBytes, Set(value).count > 2, value.contains(where: ASCII.isLetter),
      !value.contains(ASCII.space), !value.starts(with: "http".utf8)
    else { return false }
    let digits = value.count(where: ASCII.isDigit)
    if digits == 0 { return value.count >= 20 && entropy(value) > 4 && rises(value) > 2 }
    return entropy(value) > (value.count < 16 ? 2.7 : 3) && digits * 12 >= value.count && !isDate(value)
      && !isNumberedName(value)
  }

  /// In bits for each byte.
  private static func entropy(_ value: ArraySlice<UInt8>) -> Double {
    var counts = [Int](repeating: 0, count: 256)
    for byte in value { counts[Int(byte)] += 1 }
    return counts.reduce(0) { sum, count in
      let share = Double(count) / Double(value.count)
      return count == 0 ? sum : sum - share * binaryLogarithm(share)
    }
  }

  /// Of a number above 0; the standard library has none.
  private static func binaryLogarithm(_ number: Double) -> Double {
    var result = Double(number.exponent)
    var rest = number.significand
    var bit = 0.5
    while bit > 1e-12, rest > 1 {
      rest *= rest
      if rest >= 2 {
        rest /= 2
        result += bit
      }
      bit /= 2
    }
    return result
  }

  /// How often a capital follows a small letter.
  private static func rises(_ value: ArraySlice<UInt8>) -> Int {
    zip(value, value.dropFirst()).count { $0 &- 0x61 < 26 && $1 &- 0x41 < 26 }
  }

  private static func isDate(_ value: ArraySlice<UInt8>) -> Bool {
    value.starts(with: "20".utf8) && value.allSatisfy { ASCII.isDigit($0) || "-:.TZ+/".utf8.contains($0) }
  }

  /// Words with a number at the end of one: `HMAC-SHA256`, `api-v2`.
  private static func isNumberedName(_ value: ArraySlice<UInt8>) -> Bool {
    value.split { !ASCII.isAlphanumeric($0) }.allSatisfy { word in
      word.count <= 16 && !word.drop(while: ASCII.isLetter).contains(where: ASCII.isLetter)
    } && value.count(where: ASCII.isDigit) <= 4
  }
}
