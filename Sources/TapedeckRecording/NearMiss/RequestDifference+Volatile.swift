import TapedeckHTTP

extension RequestDifference {
  /// Whether this seems new in every request (a time, a random id, a signature), or is a secret: a guess, for suggestions.
  public var looksVolatile: Bool {
    if ignoredBy == nil, comparedHeader == nil { return false }
    if received != nil, isRedacted { return true }
    let name = plainName
    if Self.names.contains(name) || Self.endings.contains(where: name.hasSuffix) { return true }
    return [recorded, received].allSatisfy { $0.map { Self.isVolatile(Array($0.utf8)) } ?? false }
  }

  /// Whether a secret was recorded here: a client in CI has another one, or none.
  private var isRedacted: Bool { ["REDACTED:", "\"REDACTED:"].contains { recorded?.hasPrefix($0) == true } }

  /// The last name in the field, as small letters and digits only: `sentat` for `$.meta.sent_at`.
  private var plainName: String {
    let path = field.hasPrefix("$") ? field[...] : field.drop { $0 != " " }
    let name = path.split(separator: ".").last ?? ""
    let bytes = name.utf8.map(ASCII.lowercased).filter { ASCII.isAlphanumeric($0) || $0 == 0x5F }
    return bytes == [0x5F] ? "_" : String(decoding: bytes.filter { $0 != 0x5F }, as: UTF8.self)
  }

  private static let names: Set<String> = [
    "_", "authenticitytoken", "cachebuster", "cb", "clientrequesttoken", "clienttoken", "correlationid",
    "csrf",
    "exp", "expires", "guid", "iat", "jti", "messageid", "nbf", "now", "rand", "random", "requestid", "seed",
    "sig", "spanid", "state", "time", "traceid", "traceparent", "ts", "uuid", "xsrf",
  ]
  private static let endings = [
    "nonce", "timestamp", "sentat", "createdat", "updatedat", "csrftoken", "xsrftoken", "idempotencykey",
    "signature",
  ]

  private static func isVolatile(_ text: [UInt8]) -> Bool {
    let value = text.first == UInt8(ascii: "\"") ? text.dropFirst().dropLast() : text[...]
    return isDateTime(value) || isEpoch(value) || isRandom(value) || value.starts(with: "REDACTED:".utf8)
      // `{"expiration` in base64: the policy of a presigned S3 form.
      || value.starts(with: "eyJleHBpcmF0aW9u".utf8)
  }

  /// Whether a value begins with `2026-11-21T05:30:00` or `20261121T053000`.
  private static func isDateTime(_ value: ArraySlice<UInt8>) -> Bool {
    ["0000-00-00T00:00", "00000000T000000"].contains { pattern in
      value.count >= pattern.utf8.count
        && zip(value, pattern.utf8).allSatisfy { $1 == 0x30 ? ASCII.isDigit($0) : $0 == $1 }
    }
  }

  /// Whether a value is seconds, milliseconds or microseconds since 1970, in this century.
  private static func isEpoch(_ value: ArraySlice<UInt8>) -> Bool {
    let whole = value.prefix(while: ASCII.isDigit)
    guard [10, 13, 16].contains(whole.count), let first = whole.first, (0x31...0x34).contains(first) else {
      return false
    }
    return value.dropFirst(whole.count).allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }
  }

  /// Whether a value is 16 or more mixed letters and digits, as in UUIDs, hexadecimal and base64.
  private static func isRandom(_ value: ArraySlice<UInt8>) -> Bool {
    value.count >= 16 && value.allSatisfy { ASCII.isAlphanumeric($0) || "-_=+/.".utf8.contains($0) }
      && value.count(where: ASCII.isDigit) >= 3 && value.count(where: ASCII.isLetter) >= 3
  }
}
