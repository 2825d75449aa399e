import TapedeckHTTP

extension RequestDifference {
  /// Whether this looks like something that is new in every request: a time, a random id, a nonce, a signature. A
  /// guess, good for a suggestion.
  public var looksVolatile: Bool {
    if ignoredBy == nil, comparedHeader == nil { return false }
    if Self.names.contains(plainName) { return true }
    if Self.endings.contains(where: { plainName.hasSuffix($0) }) { return true }
    return [recorded, received].allSatisfy { $0.map { Self.isVolatile(Array($0.utf8)) } ?? false }
  }

  /// The last name in the field, in small letters and digits only: `sentat` for `$.meta.sent_at`.
  private var plainName: String {
    let path = field.hasPrefix("$") ? field[...] : field.drop { $0 != " " }
    let name = path.split(separator: ".").last ?? ""
    let bytes = name.utf8.map(ASCII.lowercased).filter { ASCII.isDigit($0) || $0 &- 0x61 < 26 || $0 == 0x5F }
    return bytes == [0x5F] ? "_" : String(decoding: bytes.filter { $0 != 0x5F }, as: UTF8.self)
  }

  private static let names: Set<String> = [
    "_", "authenticitytoken", "cachebuster", "cb", "clientrequesttoken", "clienttoken", "correlationid",
    "csrf", "exp",
    "expires", "guid", "iat", "jti", "messageid", "nbf", "now", "rand", "random", "requestid", "seed", "sig",
    "spanid",
    "state", "time", "traceid", "traceparent", "ts", "uuid", "xsrf",
  ]
  private static let endings = [
    "nonce", "timestamp", "sentat", "createdat", "updatedat", "csrftoken", "xsrftoken", "idempotencykey",
    "signature",
  ]

  /// Whether a value, with or without quotes, is a time or made up by chance.
  private static func isVolatile(_ text: [UInt8]) -> Bool {
    let value = text.first == UInt8(ascii: "\"") ? text.dropFirst().dropLast() : text[...]
    return isDateTime(value) || isEpoch(value) || isChance(value) || isSignedPolicy(value)
      || value.starts(with: "REDACTED:".utf8)
  }

  /// The policy of a presigned form of S3, which begins with its expiration: `{"expiration` in base64.
  private static func isSignedPolicy(_ value: ArraySlice<UInt8>) -> Bool {
    value.starts(with: "eyJleHBpcmF0aW9u".utf8)
  }

  /// `2026-11-21T05:30:00` or `20261121T053000`, and what follows.
  private static func isDateTime(_ value: ArraySlice<UInt8>) -> Bool {
    ["0000-00-00T00:00", "00000000T000000"].contains { pattern in
      value.count >= pattern.utf8.count
        && zip(value, pattern.utf8).allSatisfy { $1 == 0x30 ? ASCII.isDigit($0) : $0 == $1 }
    }
  }

  /// Seconds, milliseconds or microseconds since 1970, in this century.
  private static func isEpoch(_ value: ArraySlice<UInt8>) -> Bool {
    let whole = value.prefix(while: ASCII.isDigit)
    guard [10, 13, 16].contains(whole.count), let first = whole.first, (0x31...0x34).contains(first) else {
      return false
    }
    return value.dropFirst(whole.count).allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }
  }

  /// Sixteen and more letters and digits, mixed, as in UUIDs, hexadecimal and base64.
  private static func isChance(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.count >= 16 else { return false }
    var digits = 0
    var letters = 0
    for byte in value {
      if ASCII.isDigit(byte) {
        digits += 1
      } else if ASCII.lowercased(byte) &- 0x61 < 26 {
        letters += 1
      } else if !"-_=+/.".utf8.contains(byte) {
        return false
      }
    }
    return digits >= 3 && letters >= 3
  }
}
