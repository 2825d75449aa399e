import TapedeckHTTP

/// What a text looks like, as far as a change of it would surprise a program.
enum StringFormat: String {
  case text
  /// `2026-11-21`.
  case date
  /// A date with a time behind it (RFC 3339).
  case time = "date and time"
  case uuid = "UUID"
  case url = "URL"

  init(_ bytes: [UInt8]) {
    if Self.isUUID(bytes) {
      self = .uuid
    } else if Self.startsWithDate(bytes) {
      self = bytes.count == 10 ? .date : Self.isTimeBehindDate(bytes) ? .time : .text
    } else if bytes.starts(with: "http://".utf8) || bytes.starts(with: "https://".utf8) {
      self = .url
    } else {
      self = .text
    }
  }

  private static func isUUID(_ bytes: [UInt8]) -> Bool {
    bytes.count == 36
      && bytes.indices.allSatisfy { index in
        [8, 13, 18, 23].contains(index) ? bytes[index] == 0x2D : ASCII.hexValue(bytes[index]) != nil
      }
  }

  private static func startsWithDate(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 10
      && (0..<10).allSatisfy { [4, 7].contains($0) ? bytes[$0] == 0x2D : ASCII.isDigit(bytes[$0]) }
  }

  private static func isTimeBehindDate(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 16 && [0x54, 0x74, 0x20].contains(bytes[10]) && bytes[13] == 0x3A
      && [11, 12, 14, 15].allSatisfy { ASCII.isDigit(bytes[$0]) }
  }
}
