import TapedeckHTTP

/// The value in place of a secret: `REDACTED:<kind>:<8 hex>`.
///
/// Kind and hash depend on the secret alone, so that one secret has one placeholder wherever it stands: a token from a
/// JSON response is found again in a later request's header. The characters of a placeholder need no encoding in header
/// values, cookies, paths, queries, JSON strings and texts.
package enum Placeholder {
  private static let opening = Array("REDACTED:".utf8)
  private static let digits = 8
  private static let maximumKindBytes = 24

  static func bytes(kind: String, digits: [UInt8]) -> [UInt8] {
    opening + kind.utf8 + [UInt8(ascii: ":")] + digits
  }

  /// The end of the placeholder that begins at `start`; `nil` when none does.
  static func end(in text: ArraySlice<UInt8>, at start: Int) -> Int? {
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

  /// Whether a value is a placeholder and nothing else.
  package static func isWhole(_ value: ArraySlice<UInt8>) -> Bool {
    !value.isEmpty && end(in: value, at: value.startIndex) == value.endIndex
  }

  /// The places of all placeholders.
  static func ranges(in text: ArraySlice<UInt8>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var index = text.startIndex
    while let start = text[index...].firstIndex(of: UInt8(ascii: "R")) {
      let end = end(in: text, at: start)
      if let end { found.append(start..<end) }
      index = end ?? start + 1
    }
    return found
  }

  /// Whether a range begins within a placeholder, whose eight digits may look like something else.
  static func holds(_ range: Range<Int>, in text: ArraySlice<UInt8>) -> Bool {
    let earliest = max(text.startIndex, range.lowerBound - maximumBytes)
    return (earliest..<max(earliest, range.lowerBound)).contains { start in
      end(in: text, at: start).map { $0 > range.lowerBound } ?? false
    }
  }

  /// Whether a secret was taken out of a text.
  package static func stands(in bytes: some Collection<UInt8>) -> Bool {
    !ranges(in: Array(bytes)[...]).isEmpty
  }

  /// Whether a value holds at least the beginning of a placeholder, as it is or in base64.
  static func isMentioned(in value: ArraySlice<UInt8>) -> Bool {
    openings.contains { ByteSearch.first($0, in: value) != nil }
  }

  /// In base64 the form depends on how many bytes stand before.
  private static let openings = ["REDACTED:", "UkVEQUNURUQ6", "JFREFDVEVEO", "SRURBQ1RFRD"].map {
    Array($0.utf8)
  }

  private static let maximumBytes = opening.count + maximumKindBytes + 1 + digits
}
