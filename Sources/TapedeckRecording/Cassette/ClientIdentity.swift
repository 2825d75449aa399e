import TapedeckHTTP
import TapedeckRedaction

/// The client that sent a request, as far as it selects among several recorded responses.
struct ClientIdentity: Hashable {
  var credentials: [UInt8]?
  /// The values of the fields that the responses vary by, in the order of the names.
  var varied: [[UInt8]]

  init(_ request: HTTPRequest, varying: [[UInt8]], _ redaction: Redaction) {
    var named = HTTPFields()
    for (index, field) in request.fields.enumerated() {
      let name = field.name.map(ASCII.lowercased)
      if Self.names.contains(name) || varying.contains(name) { named.append(index, of: request.fields) }
    }
    let fields = redaction.redacted(named)
    credentials = Self.credentials(in: fields)
    varied = varying.map { name in
      var writer = KeyWriter()
      for field in fields where field.name.map(ASCII.lowercased) == name { writer.append(field.value) }
      return writer.bytes
    }
  }

  /// Fields that hold only a client's key.
  private static let keyNames = [
    "api-key", "apikey", "private-token", "x-access-token", "x-api-key", "x-auth-token", "x-goog-api-key",
  ].map { Array($0.utf8) }
  private static let names = Set(keyNames + [Array("authorization".utf8), Array("cookie".utf8)])

  /// The client's `Authorization`, else a key, else the session cookies.
  private static func credentials(in fields: HTTPFields) -> [UInt8]? {
    if let value = fields.first("authorization") { return authorization(value) }
    for name in keyNames {
      if let field = fields.first(where: { $0.name.map(ASCII.lowercased) == name }) {
        return Array(field.value)
      }
    }
    let cookies = fields.values(of: "cookie").flatMap { $0.split(separator: UInt8(ascii: ";")) }
      .map { Array($0.drop(while: ASCII.isBlank)) }.filter(isSessionCookie)
      .sorted { $0.lexicographicallyPrecedes($1) }
    return cookies.isEmpty ? nil : Array(cookies.joined(separator: [UInt8(ascii: ";")]))
  }
}

// MARK: - Authorization

extension ClientIdentity {
  /// The client in the value of an `Authorization` field: the whole value, since a token and its placeholder
  /// never change; for credentials that are new in each request or hold a password, only the stable part.
  private static func authorization(_ value: ArraySlice<UInt8>) -> [UInt8] {
    let credentials = SecretSearch.credentials(of: value)
    let scheme = value[..<credentials.startIndex].filter { !ASCII.isBlank($0) }.map(ASCII.lowercased)
    if scheme.elementsEqual("basic".utf8) { return scheme + [0x20] + user(credentials) }
    guard let parameters = signed.first(where: { scheme.starts(with: $0.scheme.utf8) })?.parameters else {
      return scheme + [0x20] + credentials
    }
    // When all of it is hidden, the placeholder changes in each request, as the value did.
    let named = parameters.compactMap { parameter($0, in: credentials) }
    // `OAuth <token>` signs nothing, and a token's placeholder never changes.
    if named.isEmpty, scheme.elementsEqual("oauth".utf8) { return scheme + [0x20] + credentials }
    return scheme + named.flatMap { [0x20] + $0 }
  }

  /// Beginnings of schemes that sign each request, with the parameters that name the key.
  private static let signed: [(scheme: String, parameters: [String])] = [
    ("aws", ["credential="]), ("digest", ["username="]), ("oauth", ["oauth_consumer_key=", "oauth_token="]),
    ("hawk", ["id="]), ("signature", ["keyid="]), ("hmac", ["credential=", "keyid=", "username="]),
    ("sharedkey", []), ("oss", []), ("tc3-", ["credential="]), ("eg1-", ["client_token=", "access_token="]),
    ("negotiate", []), ("ntlm", []),
  ]

  private static func user(_ credentials: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    Base64.decodeText(credentials).map { Array($0.prefix { $0 != UInt8(ascii: ":") })[...] }
      ?? credentials
  }

  /// The stable part of a parameter's value: a key's id without the date after it.
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

// MARK: - Session cookies

extension ClientIdentity {
  /// Session cookie names of frameworks that are not among the names of secrets.
  private static let sessionCookies = [
    ".aspnetcore.cookies", ".aspnetcore.identity", "aspsessionid", "sess", "ssess", "wordpress_logged_in_",
  ].map { Array($0.utf8) }
  private static let otherCookies = ["_csrf", "_ga", "_gid", "_hj", "ai_", "amp_", "csrf", "xsrf"].map {
    Array($0.utf8)
  }

  /// Whether a cookie (`name=value`) names a session; analytics and per-form anti-forgery cookies do not.
  static func isSessionCookie(_ pair: [UInt8]) -> Bool {
    let name = pair.prefix { $0 != UInt8(ascii: "=") }.map(ASCII.lowercased)
    let words = SecretNames.words(of: pair.prefix(name.count))
    if otherCookies.contains(where: name.starts)
      || words.contains(where: { $0.hasPrefix("csrf") || $0 == "xsrf" })
    {
      return false
    }
    return words.last == "sid" || sessionCookies.contains(where: name.starts)
      || SecretNames.strength(of: words, in: .pair) >= .likely
  }
}

// MARK: - Vary

extension ClientIdentity {
  /// Excludes `Accept-Encoding` (the proxy's own), credentials (compared separately) and `*`.
  private static let notVarying = Set(
    ["*", "accept-encoding", "authorization", "cookie", "range"].map { Array($0.utf8) })

  /// The distinct field names in `Vary` (RFC 9110 §12.5.5) that tell clients apart, in lower case and sorted.
  static func varying(_ fields: HTTPFields) -> [[UInt8]] {
    fields.contains("vary") ? varying(fields.values(of: "vary")) : []
  }

  static func varying(_ values: [ArraySlice<UInt8>]) -> [[UInt8]] {
    let names = values.flatMap { $0.split { $0 == UInt8(ascii: ",") || ASCII.isBlank($0) } }
      .map { $0.map(ASCII.lowercased) }
    return Set(names).subtracting(notVarying).filter { !$0.starts(with: "if-".utf8) }
      .sorted { $0.lexicographicallyPrecedes($1) }
  }
}
