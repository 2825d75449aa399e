package import TapedeckHTTP

/// A signed JSON Web Token in compact form: header, payload and signature in base64url (RFC 7515 §7.1).
///
/// Its placeholder is a token too, because clients decode tokens: the header and the claims stay, each hidden
/// only if it is a secret, and the signature is the base64url of `redacted:` and the digits of the token's
/// hash. So equal tokens have equal placeholders, and a placeholder is recognized wherever it stands.
package struct WebToken {
  private let encodedHeader: ArraySlice<UInt8>
  private let encodedPayload: ArraySlice<UInt8>
  private let signature: ArraySlice<UInt8>
  /// The decoded JSON of the header and of the payload.
  private let header: [UInt8]
  private let payload: [UInt8]

  /// `nil` for an encrypted token, one whose payload is not a JSON object, and any other value.
  package init?(_ token: ArraySlice<UInt8>) {
    guard Self.mayBegin(token, at: token.startIndex) else { return nil }
    let parts = token.split(separator: Self.dot, omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ $0.allSatisfy(ASCII.isWord) }),
      let header = Self.object(parts[0]), let payload = Self.object(parts[1])
    else { return nil }
    (encodedHeader, encodedPayload, signature) = (parts[0], parts[1], parts[2])
    (self.header, self.payload) = (header, payload)
  }

  private static func object(_ part: ArraySlice<UInt8>) -> [UInt8]? {
    guard let text = Base64.decodeText(part), text.first(where: { !ASCII.isSpace($0) }) == UInt8(ascii: "{"),
      case .object? = try? JSONValue(parsing: text)
    else { return nil }
    return text
  }

  // MARK: Placeholders

  /// The placeholder of the token.
  /// - Parameter search: finds the secrets in the JSON of the header and of the payload.
  func placeholder(digits: [UInt8], _ search: (ArraySlice<UInt8>) -> Finds) -> [UInt8]? {
    let parts = [(encodedHeader, header), (encodedPayload, payload)].map { encoded, json in
      let finds = search(json[...])
      return finds.isEmpty
        ? Array(encoded) : Base64.encode(finds.applied(to: json[...]), isURL: true, isPadded: false)
    }
    let signature = Base64.encode(Self.mark + digits, isURL: true, isPadded: false)
    let token = parts[0] + [Self.dot] + parts[1] + [Self.dot] + signature
    return Self.placeholderEnd(in: token[...], at: 0) == token.count ? token : nil
  }

  private static let dot = UInt8(ascii: ".")
  private static let mark = Array("redacted:".utf8)
  /// The base64url of `redacted:`, whose nine bytes fill twelve characters.
  private static let encodedMark = Array("cmVkYWN0ZWQ6".utf8)
  /// The dot before a placeholder's signature and the beginning of it.
  private static let closing = [dot] + encodedMark
  /// The base64url of `redacted:` and eight digits.
  private static let signatureBytes = 23
  /// The shortest base64url of a header: `{"alg":…}`.
  private static let minimumHeaderBytes = 12
  private static let maximumBytes = 64 * 1024

  private static func mayBegin(_ text: ArraySlice<UInt8>, at start: Int) -> Bool {
    start + 2 < text.endIndex && text[start] == UInt8(ascii: "e") && text[start + 1] == UInt8(ascii: "y")
      && text[start + 2] == UInt8(ascii: "J")
  }

  /// The end of the placeholder at `start`; `nil` when there is none.
  static func placeholderEnd(in text: ArraySlice<UInt8>, at start: Int) -> Int? {
    guard mayBegin(text, at: start) else { return nil }
    let header = text[start...].prefix(maximumBytes).prefix(while: ASCII.isWord)
    guard header.count >= minimumHeaderBytes, header.endIndex < text.endIndex, text[header.endIndex] == dot
    else { return nil }
    let payload = text[(header.endIndex + 1)...].prefix(maximumBytes).prefix(while: ASCII.isWord)
    guard payload.count >= 2, text[payload.endIndex...].starts(with: closing) else { return nil }
    let signature = text[(payload.endIndex + 1)...].prefix(signatureBytes + 1).prefix(while: ASCII.isWord)
    return digits(in: signature) == nil ? nil : signature.endIndex
  }

  /// The digits in the signature of a placeholder; `nil` for any other signature.
  private static func digits(in signature: ArraySlice<UInt8>) -> [UInt8]? {
    guard signature.count == signatureBytes, signature.starts(with: encodedMark),
      let digits = Base64.decodeText(signature)?.dropFirst(mark.count),
      digits.allSatisfy({ ASCII.isDigit($0) || (0x61...0x66).contains($0) })
    else { return nil }
    return Array(digits)
  }

  /// The digits of a value that is a placeholder and nothing else.
  static func placeholderDigits(of value: ArraySlice<UInt8>) -> [UInt8]? {
    guard !value.isEmpty, placeholderEnd(in: value, at: value.startIndex) == value.endIndex else {
      return nil
    }
    return digits(in: value.suffix(signatureBytes))
  }

  static func placeholderRanges(in text: ArraySlice<UInt8>) -> [Range<Int>] {
    ByteSearch.all(closing, in: text).compactMap { mark in
      let payload = text[..<mark.lowerBound].suffix(maximumBytes).reversed().prefix(while: ASCII.isWord)
      let dot = mark.lowerBound - payload.count - 1
      guard dot > text.startIndex, text[dot] == Self.dot else { return nil }
      let header = text[..<dot].suffix(maximumBytes).reversed().prefix(while: ASCII.isWord)
      let start = dot - header.count
      return placeholderEnd(in: text, at: start).map { start..<$0 }
    }
  }

  /// Whether a range begins inside a placeholder.
  static func placeholderHolds(_ range: Range<Int>, in text: ArraySlice<UInt8>) -> Bool {
    let before = text[..<range.lowerBound].suffix(maximumBytes).reversed()
    let start = range.lowerBound - before.prefix { ASCII.isWord($0) || $0 == dot }.count
    return (start..<max(start, range.lowerBound)).contains { index in
      mayBegin(text, at: index)
        && (placeholderEnd(in: text, at: index).map { $0 > range.lowerBound } ?? false)
    }
  }

  // MARK: Comparison

  /// Claims that are new in each token of a client (RFC 7519 §4.1).
  private static let volatile = ["iat", "exp", "nbf", "jti"]

  /// The token as requests are compared: without its signature and the claims that each token has anew.
  package var compared: JSONValue? {
    guard let header = try? JSONValue(parsing: header),
      case .object(let members)? = try? JSONValue(parsing: payload)
    else { return nil }
    let claims = members.filter { member in !Self.volatile.contains { member.name.isEqual(to: $0.utf8) } }
    return .array([header, .object(claims)])
  }

  /// Whether a text may hold a token. Costs one search.
  package static func mayStand(in text: ArraySlice<UInt8>) -> Bool {
    ByteSearch.first(Array("eyJ".utf8), in: text) != nil
  }
}
