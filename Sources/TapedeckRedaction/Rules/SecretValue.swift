import TapedeckHTTP

/// Decides whether the value under a secret's name is a secret, unlike `required`, a date or a placeholder.
enum SecretValue {
  /// The shortest secret under a name like `token`.
  static let minimumLikelyBytes = 8
  /// The shortest value that is a secret because it looks random.
  static let minimumRandomBytes = 16

  static func isSecret(_ value: ArraySlice<UInt8>, under strength: SecretNames.Strength) -> Bool {
    switch strength {
    case .keep, .none: false
    case .hide: !value.isEmpty && !Placeholder.isWhole(value)
    case .maybe: isRandom(value) && !isWorthless(value)
    case .likely: isLikely(value)
    case .key: isKey(value) || isLikely(value)
    case .code: isCode(value) || isLikely(value)
    case .strong: !isWorthless(value) && !isLocation(value) && !OrdinaryText.isDataType(value)
    }
  }

  /// Whether a cookie's value is a secret: not empty, a flag, a small number or a short word.
  static func isCookieSecret(_ value: ArraySlice<UInt8>) -> Bool {
    if isWorthless(value) { return false }
    if value.allSatisfy(ASCII.isDigit) { return value.count > 4 }
    let isWord = value.allSatisfy { ASCII.isLetter($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    // Europe/Amsterdam
    if value.contains(UInt8(ascii: "/")), isWords(value) { return false }
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

  /// Whether a value is not a short text, a number, a date, a sentence, a path or joined words.
  private static func isLikely(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.count >= minimumLikelyBytes, !isWorthless(value) else { return false }
    if value.contains(where: ASCII.isSpace) || value.starts(with: "arn:".utf8) { return false }
    if isNumeric(value) || isLocation(value) || !isVaried(value) || isTwilioID(value) { return false }
    return !isWords(value)
  }

  /// Whether a value has a digit, or capitals within words. Prose and marks like `<|end|>` have neither.
  private static func isVaried(_ value: ArraySlice<UInt8>) -> Bool {
    if value.contains(where: ASCII.isDigit) { return true }
    return zip(value, value.dropFirst()).contains { ASCII.isLetter($0) && $1 &- 0x41 < 26 && $0 &- 0x61 < 26 }
  }

  /// Whether a value is mixed, however short: `k1`, `wJalr/XUtn`. No word or number is.
  private static func isKey(_ value: ArraySlice<UInt8>) -> Bool {
    guard !isWorthless(value), !isLocation(value), isVaried(value), !value.starts(with: "arn:".utf8) else {
      return false
    }
    return value.contains(where: ASCII.isLetter) && value.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  /// Whether a value is a PIN or a one-time code: 3 to 12 digits or capitals, perhaps in groups.
  static func isCode(_ value: ArraySlice<UInt8>) -> Bool {
    func joins(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ") }
    return (3...12).contains(value.count { !joins($0) }) && value.contains { !ASCII.isLetter($0) }
      && value.allSatisfy { ASCII.isDigit($0) || $0 &- 0x41 < 26 || joins($0) }
  }

  /// Whether a value is what a person gets as a message to prove an address: 4 to 8 digits.
  static func isSentCode(_ value: ArraySlice<UInt8>) -> Bool {
    (4...8).contains(value.count) && value.allSatisfy(ASCII.isDigit)
  }

  /// `AC` or two other capitals, and 32 hexadecimal digits: what Twilio calls a SID. `SK` is a key's.
  private static func isTwilioID(_ value: ArraySlice<UInt8>) -> Bool {
    value.count == 34 && value.prefix(2).allSatisfy { $0 &- 0x41 < 26 } && !value.starts(with: "SK".utf8)
      && value.dropFirst(2).allSatisfy { ASCII.isDigit($0) || (0x61...0x66).contains($0) }
  }

  /// Whether a value consists of digits and the separators of numbers, dates and times.
  private static func isNumeric(_ value: ArraySlice<UInt8>) -> Bool {
    var letters = 0
    for byte in value {
      if ASCII.isLetter(byte) {
        letters += 1
      } else if !ASCII.isDigit(byte), !"-+.:,/#= ".utf8.contains(byte) {
        return false
      }
    }
    // Accepts 2026-11-21T01:52:33Z.
    return letters == 0
      || letters <= 2 && value.contains(UInt8(ascii: ":")) && value.contains(UInt8(ascii: "-"))
  }

  static func isLocation(_ value: ArraySlice<UInt8>) -> Bool {
    value.starts(with: "/".utf8) && value.dropFirst().contains(UInt8(ascii: "/")) && isWords(value)
      || value.starts(with: "http://".utf8) || value.starts(with: "https://".utf8)
  }

  /// Whether a value is joined words: `read-write`, `api.example.com`. Long or mixed-case words do not count.
  private static func isWords(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.allSatisfy({ ASCII.isWord($0) || "./:, ".utf8.contains($0) }) else { return false }
    let words = value.split { !ASCII.isAlphanumeric($0) }
    return words.allSatisfy { word in
      let letters = word.reversed().drop(while: ASCII.isDigit)
      guard letters.allSatisfy(ASCII.isLetter), word.count - letters.count <= 4 else { return false }
      return word.count <= 20 && changes(word) <= 4 && (words.count > 1 || !isMixed(word))
    }
  }

  /// Whether capitals and small letters alternate more than in any name: `QpwLtkePnpaLw`.
  private static func isMixed(_ word: ArraySlice<UInt8>) -> Bool {
    let capitals = word.dropFirst().count { $0 &- 0x41 < 26 }
    return capitals > 2 && capitals * 4 > word.count && capitals < word.count - 1
  }

  /// Whether a value looks random: long, unbroken, mixing letters and digits more than names do. Not a UUID.
  static func isRandom(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.count >= minimumRandomBytes, !isUUID(value), !value.starts(with: "arn:".utf8) else {
      return false
    }
    guard value.allSatisfy({ ASCII.isWord($0) || "+/=.~%:!*".utf8.contains($0) }) else { return false }
    let digits = value.count(where: ASCII.isDigit)
    let letters = value.count(where: ASCII.isLetter)
    let changes = changes(value)
    guard digits > 0 || changes * 3 >= value.count, letters >= 4, !isLocation(value), !isPath(value) else {
      return false
    }
    return changes * 5 >= value.count && !isWords(value) && !isNumeric(value)
  }

  /// Whether a value is a path of names and numbers: `photos/2026/451225/img_6784.jpeg`.
  private static func isPath(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.contains(UInt8(ascii: "/")) else { return false }
    return value.split { !ASCII.isAlphanumeric($0) }.allSatisfy {
      $0.allSatisfy(ASCII.isDigit) || isWords($0)
    }
  }

  /// How often the kind of character changes between capital, small letter, digit and other.
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
