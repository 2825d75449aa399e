import TapedeckHTTP

/// Writes `application/x-www-form-urlencoded` (WHATWG URL §5.2).
enum FormEncoding {
  /// `name=value`, encoded.
  static func pair(_ name: some Sequence<UInt8>, _ value: some Sequence<UInt8>) -> [UInt8] {
    encoded(name) + [UInt8(ascii: "=")] + encoded(value)
  }

  private static func encoded(_ text: some Sequence<UInt8>) -> [UInt8] {
    text.flatMap { byte in
      isPlain(byte) ? [byte] : byte == 0x20 ? [UInt8(ascii: "+")] : PercentCoding.encoded(byte)
    }
  }

  static func joined(_ pairs: [[UInt8]]) -> [UInt8] { Array(pairs.joined(separator: [UInt8(ascii: "&")])) }

  /// The pairs as the query of a target, with its question mark; empty without pairs.
  static func query(_ pairs: [[UInt8]]) -> String {
    pairs.isEmpty ? "" : "?\(String(decoding: joined(pairs), as: UTF8.self))"
  }

  /// Whether a text may stand in a form as it is.
  static func isEncoded(_ text: some Sequence<UInt8>) -> Bool {
    text.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }
  }

  /// Whether a body consists of pairs of encoded names and values.
  static func isForm(_ body: [UInt8]) -> Bool {
    body.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).allSatisfy { pair in
      let parts = pair.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
      return parts.count == 2 && !parts[0].isEmpty && parts.allSatisfy { isEncoded($0) }
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || "*-._".utf8.contains(byte)
  }
}
