import TapedeckHTTP

/// The value that replaces a secret: `REDACTED:<kind>:<8 hex>`; for a JSON Web Token, another one (`WebToken`).
///
/// It depends on the secret alone, so a token from a JSON response has the same placeholder in a later
/// header. Its characters need no encoding in header values, cookies, paths, queries, JSON strings and text.
package enum Placeholder {
  private static let opening = Array("REDACTED:".utf8)
  private static let digits = 8
  private static let maximumKindBytes = 24

  static func bytes(kind: String, digits: [UInt8]) -> [UInt8] {
    opening + kind.utf8 + [UInt8(ascii: ":")] + digits
  }

  /// The end of the placeholder at `start`; `nil` when there is none.
  static func end(in text: ArraySlice<UInt8>, at start: Int) -> Int? {
    if text[start] == UInt8(ascii: "e") { return WebToken.placeholderEnd(in: text, at: start) }
    guard text[start] == UInt8(ascii: "R"), text[start...].starts(with: opening) else { return nil }
    let kindStart = start + opening.count
    let kind = text[kindStart...].prefix(maximumKindBytes + 1).prefix {
      ASCII.isDigit($0) || $0 &- 0x61 < 26 || $0 == UInt8(ascii: "-")
    }
    guard !kind.isEmpty, kind.endIndex < text.endIndex, text[kind.endIndex] == UInt8(ascii: ":") else {
      return nil
    }
    let hash = text[(kind.endIndex + 1)...].prefix(digits)
    guard hash.count == digits, hash.allSatisfy({ ASCII.isDigit($0) || (0x61...0x66).contains($0) }) else {
      return nil
    }
    return hash.endIndex
  }

  // MARK: Numbers

  /// The number that stands for a number: `1`, six digits of the hash, and three that check them, so that it is
  /// known again. It fits into 32 bits.
  static func number(digits: [UInt8]) -> [UInt8] {
    let hash = digits.reduce(0) { ($0 << 4 | Int(ASCII.hexValue($1) ?? 0)) % 1_000_000 }
    return Array("1".utf8) + padded(hash, to: 6) + padded(check(hash), to: 3)
  }

  static func isNumber(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.count == 10, value.first == UInt8(ascii: "1"), value.allSatisfy(ASCII.isDigit) else {
      return false
    }
    let digits = value.dropFirst().reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return check(digits / 1000) == digits % 1000
  }

  private static func check(_ hash: Int) -> Int { (hash * 641 + 379) % 997 }

  private static func padded(_ number: Int, to count: Int) -> [UInt8] {
    let digits = Array(String(number).utf8)
    return [UInt8](repeating: 0x30, count: count - digits.count) + digits
  }

  // MARK: Finding

  package static func isWhole(_ value: ArraySlice<UInt8>) -> Bool {
    guard !value.isEmpty else { return false }
    if value.starts(with: encodedOpening), let decoded = Base64.decode(Array(value)) {
      return isWhole(decoded[...])
    }
    return end(in: value, at: value.startIndex) == value.endIndex
  }

  private static let encodedOpening = Array("UkVEQUNURUQ6".utf8)

  /// The short form of a token's placeholder, for places where nobody decodes it; `nil` for other values.
  static func short(_ value: ArraySlice<UInt8>) -> [UInt8]? {
    WebToken.placeholderDigits(of: value).map { bytes(kind: "jwt", digits: $0) }
  }

  /// In order.
  static func ranges(in text: ArraySlice<UInt8>) -> [Range<Int>] {
    var found = WebToken.placeholderRanges(in: text)
    let tokens = found.count
    var index = text.startIndex
    while let start = text[index...].firstIndex(of: UInt8(ascii: "R")) {
      let end = end(in: text, at: start)
      if let end { found.append(start..<end) }
      index = end ?? start + 1
    }
    if tokens > 0 { found.sort { $0.lowerBound < $1.lowerBound } }
    return found
  }

  /// Whether a range begins inside a placeholder, whose eight digits may look like something else.
  static func holds(_ range: Range<Int>, in text: ArraySlice<UInt8>) -> Bool {
    let earliest = max(text.startIndex, range.lowerBound - maximumBytes)
    return (earliest..<max(earliest, range.lowerBound)).contains { start in
      end(in: text, at: start).map { $0 > range.lowerBound } ?? false
    } || WebToken.placeholderHolds(range, in: text)
  }

  package static func stands(in bytes: some Collection<UInt8>) -> Bool {
    !ranges(in: Array(bytes)[...]).isEmpty
  }

  /// Whether a value holds at least the beginning of a placeholder, plain or in base64.
  static func isMentioned(in value: ArraySlice<UInt8>) -> Bool {
    openings.contains { ByteSearch.first($0, in: value) != nil }
  }

  /// The openings of both forms, the token's being that of its signature. The base64 of each depends on the
  /// number of bytes before it.
  private static let openings = [
    "REDACTED:", "UkVEQUNURUQ6", "JFREFDVEVEO", "SRURBQ1RFRD",
    ".cmVkYWN0ZWQ6", "LmNtVmtZV04wWldRN", "5jbVZrWVdOMFpXUT", "uY21Wa1lXTjBaV1E2",
  ].map { Array($0.utf8) }

  private static let maximumBytes = opening.count + maximumKindBytes + 1 + digits
}
