import TapedeckHTTP
import TapedeckRedaction

/// Whom the value of an `Authorization` field names.
enum Authorization {
  /// The whole value, since a token and its placeholder are the same in every request; of credentials that are made
  /// anew for each request, and of a user's with a password, the part that stays.
  static func identity(_ value: ArraySlice<UInt8>) -> [UInt8] {
    let credentials = SecretSearch.credentials(of: value)
    let scheme = value[..<credentials.startIndex].filter { !ASCII.isBlank($0) }.map(ASCII.lowercased)
    if scheme.elementsEqual("basic".utf8) { return scheme + [0x20] + user(credentials) }
    guard let parameters = signed.first(where: { scheme.starts(with: $0.scheme.utf8) })?.parameters else {
      return scheme + [0x20] + credentials
    }
    // Where all of it is hidden, a placeholder is as new in each request as what it stands for.
    let named = parameters.compactMap { parameter($0, in: credentials) }
    // `OAuth <token>` signs nothing, and what hides a token is always the same.
    if named.isEmpty, scheme.elementsEqual("oauth".utf8) { return scheme + [0x20] + credentials }
    return scheme + named.flatMap { [0x20] + $0 }
  }

  /// Schemes that sign each request, by how they begin, with the parameters that say whose key does.
  private static let signed: [(scheme: String, parameters: [String])] = [
    ("aws", ["credential="]), ("digest", ["username="]), ("oauth", ["oauth_consumer_key=", "oauth_token="]),
    ("hawk", ["id="]), ("signature", ["keyid="]), ("hmac", ["credential=", "keyid=", "username="]),
    ("sharedkey", []), ("oss", []), ("tc3-", ["credential="]), ("eg1-", ["client_token=", "access_token="]),
    ("negotiate", []), ("ntlm", []),
  ]

  private static func user(_ credentials: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    LooseBase64.decodedText(credentials).map { Array($0.prefix { $0 != UInt8(ascii: ":") })[...] }
      ?? credentials
  }

  /// The value of a parameter up to what is new in each request: a key's id without the date behind it.
  private static func parameter(_ name: String, in credentials: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let folded = credentials.map(ASCII.lowercased)
    for range in ByteSearch.all(Array(name.utf8), in: folded[...]) {
      let start = credentials.startIndex + range.lowerBound
      if start > credentials.startIndex, ASCII.isWord(credentials[start - 1]) { continue }
      return credentials[(credentials.startIndex + range.upperBound)...]
        .drop { $0 == UInt8(ascii: "\"") }.prefix { !"\",/ ".utf8.contains($0) }
    }
    return nil
  }
}
