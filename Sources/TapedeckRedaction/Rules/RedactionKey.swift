import TapedeckHTTP

/// The key of the keyed hash in placeholders.
///
/// Everyone who has the cassette can read it in `cassette.json`. It makes the hashes of different cassettes incomparable,
/// and no more: someone who guesses a secret can confirm the guess.
public struct RedactionKey: Sendable, Equatable {
  /// Lower-case hexadecimal digits or any other text.
  public let text: String

  public init(_ text: String) { self.text = text }

  /// The key for an origin, from its host alone, so that two recordings of one API have the same placeholders, whatever
  /// the port and the folder.
  public init(upstream: String?) {
    let host = upstream.map(Self.host) ?? ""
    text = String(SHA256Digest(of: Array("tapedeck redaction key of \(host)".utf8)).hex.prefix(32))
  }

  private static func host(_ url: String) -> String {
    let rest = url.utf8.firstRange(of: Array("://".utf8)).map { url.utf8[$0.upperBound...] } ?? url.utf8[...]
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    let host =
      authority.first == UInt8(ascii: "[")
      ? authority.prefix { $0 != UInt8(ascii: "]") } : authority.prefix { $0 != UInt8(ascii: ":") }
    return String(decoding: host.map(ASCII.lowercased), as: UTF8.self)
  }

  /// The first four bytes of the HMAC-SHA-256 of a value, as eight hexadecimal digits.
  func digits(of value: [UInt8]) -> [UInt8] {
    Hex.encode(Array(SHA256Digest(of: value, key: Array(text.utf8)).bytes.prefix(4)))
  }
}
