import TapedeckHTTP

/// Decides which secrets are searched for by value, and what counts as a copy.
///
/// A copy has no name that reveals it, so a secret that reads like a word, such as `admin` or `password1`, is
/// hidden only where its name stands.
enum CopyRule {
  static let minimumBytes = SecretValue.minimumLikelyBytes
  private static let maximumBytes = 4096
  /// The length from which a secret does not occur by chance in an id joined by `-` or `_`.
  private static let minimumLongBytes = SecretValue.minimumRandomBytes
  /// The shortest piece of a secret that is judged by itself.
  private static let minimumPartBytes = 4

  /// Whether further copies of a secret are hidden: it has at least eight bytes and looks random.
  static func mayBeCopied(_ secret: ArraySlice<UInt8>) -> Bool {
    guard (minimumBytes...maximumBytes).contains(secret.count),
      SecretValue.isSecret(secret, under: .likely)
    else { return false }
    let parts = secret.split { !ASCII.isAlphanumeric($0) }
    if parts.contains(where: isMixed) || secret.count(where: isOdd) > 1 { return true }
    // Symbols on all sides: p!9@x#2$Lq.
    return parts.allSatisfy { $0.count < minimumPartBytes } && secret.contains(where: ASCII.isDigit)
      && secret.contains(where: ASCII.isLetter)
  }

  /// Whether a byte stands in passwords, but hardly in names, addresses and numbers.
  private static func isOdd(_ byte: UInt8) -> Bool {
    !ASCII.isAlphanumeric(byte) && byte > 0x20 && byte < 0x7F && !"-_.:/@,+".utf8.contains(byte)
  }

  /// Whether letters and digits alternate more than in a word with a number at its end.
  private static func isMixed(_ part: ArraySlice<UInt8>) -> Bool {
    if part.count >= minimumBytes { return SecretValue.isSecret(part, under: .likely) }
    guard part.count >= minimumPartBytes, let digit = part.firstIndex(where: ASCII.isDigit) else {
      return false
    }
    return part[digit...].contains(where: ASCII.isLetter)
  }

  /// Whether `range` is a whole word of `text`: no letter or digit beside it, and beside a short secret no `-`
  /// or `_`, which would make it a part of a longer id.
  static func isWhole(_ range: Range<Int>, in text: ArraySlice<UInt8>, secretBytes: Int) -> Bool {
    func joins(_ index: Int) -> Bool {
      guard text.indices.contains(index) else { return false }
      let byte = text[index]
      return secretBytes < minimumLongBytes ? ASCII.isWord(byte) : ASCII.isAlphanumeric(byte)
    }
    return !joins(range.lowerBound - 1) && !joins(range.upperBound)
  }
}
