package import TapedeckHTTP

/// Searches header and trailer fields. Credentials keep their scheme, cookies their names and attributes.
extension SecretSearch {
  package func redacted(_ fields: HTTPFields) -> HTTPFields {
    var result = fields
    redact(&result)
    return result
  }

  /// Returns whether there was a secret.
  @discardableResult package func redact(_ fields: inout HTTPFields) -> Bool {
    change(&fields, where: policy.mayHide) { finds(in: $0.value, named: $0.name, in: .header) }
  }

  /// - Parameter mayHide: the quick check, given a name and a value.
  /// - Returns: whether a value was replaced.
  func change(
    _ fields: inout HTTPFields,
    where mayHide: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool = { _, _ in true },
    _ search: (HTTPField) -> Finds
  ) -> Bool {
    var isChanged = false
    for index in fields.indices {
      var isSearched = true
      fields.withBytes(at: index) { isSearched = mayHide($0, $1) }
      guard isSearched else { continue }
      let field = fields[index]
      let finds = search(field)
      guard !finds.isEmpty else { continue }
      // A placeholder is always a valid value.
      try? fields.replaceValue(at: index, with: finds.applied(to: field.value))
      isChanged = true
    }
    return isChanged
  }

  /// The secrets in a named value, whatever its place.
  func finds(
    in value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>, in place: SecretNames.Place, depth: Int = 0
  ) -> Finds {
    let verdict = policy.verdict(on: name, in: place)
    // The fields of credentials are hidden whatever the user keeps.
    let isKept = verdict != .keep || place != .header || !FieldKind(name).holdsCredentials
    return finds(in: value, named: name, verdict: isKept ? verdict : .none, depth: depth)
  }

  func finds(
    in value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>, verdict: SecretNames.Strength, depth: Int
  ) -> Finds {
    if verdict == .keep { return Finds() }
    if verdict != .hide {
      if Self.isByteRanges(value, named: name) { return Finds() }
      switch FieldKind(name) {
      case .authorization: return Finds(authorization(value, named: name))
      case .cookie: return cookies(value)
      case .setCookie: return cookie(value.prefix { $0 != UInt8(ascii: ";") })
      case .challenge: return challenge(value, named: name)
      case .subprotocols: return subprotocols(value, named: name)
      case .other: break
      }
    }
    // JSON stays JSON: its members are hidden one by one.
    if verdict != .hide, verdict >= .likely,
      let finds = finds(inDocument: value, under: verdict, depth: depth)
    {
      return finds
    }
    if isSecret(value, under: verdict),
      let find = find(value.startIndex..<value.endIndex, value, Self.named, named: name)
    {
      collectParts(of: value, depth: depth)
      // What the user names is a secret wherever it stands.
      if verdict == .hide, !reports { addCopied(value, find.replacement) }
      // A rule of the user's hides the claims of a token too.
      return Finds(verdict == .hide ? Self.short(find) : find)
    }
    return self.value(value, named: name, depth: depth)
  }

  /// The find with a placeholder that shows nothing of a token.
  private static func short(_ find: Find?) -> Find? {
    guard var find, let short = Placeholder.short(find.replacement[...]) else { return find }
    find.replacement = short
    return find
  }

  static let named = "a value under the name of a secret"

  /// Whether a value is a list of byte ranges (RFC 9110 §14.2), which may hold thousands of plain numbers.
  private static func isByteRanges(_ value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> Bool {
    guard name.count == 5, ASCII.equal(name, lowercase: "range") else { return false }
    return value.starts(with: "bytes=".utf8)
      && value.dropFirst(6).allSatisfy { ASCII.isDigit($0) || ",- ".utf8.contains($0) }
  }

  /// Remembers parts of a secret that may appear elsewhere, such as the key in a connection string.
  private func collectParts(of value: ArraySlice<UInt8>, depth: Int) {
    guard !reports, value.contains(UInt8(ascii: "=")) || value.contains(UInt8(ascii: ":")) else {
      return
    }
    uncounted { _ = text(value, depth: depth) }
  }
}

/// The fields whose values have their own syntax.
enum FieldKind {
  case authorization, cookie, setCookie, challenge, subprotocols, other

  init<Name: RandomAccessCollection<UInt8>>(_ name: Name) where Name.Index == Int {
    switch name.count {
    case 6 where Self.equal(name, "cookie"): self = .cookie
    case 10 where Self.equal(name, "set-cookie"): self = .setCookie
    case 13 where Self.equal(name, "authorization"): self = .authorization
    case 19 where Self.equal(name, "proxy-authorization"): self = .authorization
    case 19 where Self.equal(name, "authentication-info"): self = .challenge
    case 25 where Self.equal(name, "proxy-authentication-info"): self = .challenge
    case 16 where Self.equal(name, "www-authenticate"): self = .challenge
    case 18 where Self.equal(name, "proxy-authenticate"): self = .challenge
    case 22 where Self.equal(name, "sec-websocket-protocol"): self = .subprotocols
    default: self = .other
    }
  }

  /// Whether all that stands in such a field is a client's or for one client.
  var holdsCredentials: Bool {
    switch self {
    case .authorization, .cookie, .setCookie: true
    case .challenge, .subprotocols, .other: false
    }
  }

  private static func equal<Name: RandomAccessCollection<UInt8>>(
    _ name: Name, _ expected: StaticString
  ) -> Bool where Name.Index == Int {
    (0..<name.count).allSatisfy { offset in
      let byte = name[name.startIndex + offset]
      return (byte == UInt8(ascii: "_") ? UInt8(ascii: "-") : ASCII.lowercased(byte))
        == expected.utf8Start[offset]
    }
  }
}

// MARK: - Credentials

extension SecretSearch {
  /// `Bearer …`: keeps the scheme and hides everything after it (RFC 9110 §11.6.2).
  private func authorization(_ value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> Find? {
    let credentials = Self.credentials(of: value)
    if !reports, let short = Placeholder.short(credentials) {
      return Find(range: credentials.startIndex..<credentials.endIndex, replacement: short)
    }
    // A challenge may name an address: authorization="https://login.example.com".
    guard !SecretValue.isWorthless(credentials), !SecretValue.isLocation(credentials), !isRedacted(value)
    else {
      return nil
    }
    if let key = Self.signingKey(value, credentials) { return signed(credentials, by: key, named: name) }
    if let find = signedByOAuth(value, credentials, named: name) { return find.list.first }
    if ASCII.equal(value.prefix(6), lowercase: "basic ") { return basic(credentials, named: name) }
    collectParameters(of: credentials)
    return Self.short(
      find(
        credentials.startIndex..<credentials.endIndex, credentials, "credentials", named: name,
        isKeepable: false))
  }

  /// The key id in AWS Signature Version 4 credentials.
  private static func signingKey(
    _ value: ArraySlice<UInt8>, _ credentials: ArraySlice<UInt8>
  ) -> ArraySlice<UInt8>? {
    guard value.starts(with: "AWS4-".utf8), credentials.starts(with: "Credential=".utf8) else { return nil }
    let key = credentials.dropFirst("Credential=".utf8.count).prefix {
      $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ",")
    }
    return key.isEmpty ? nil : key
  }

  /// Keeps only the key id of a signature: the rest is new in every request, and the id identifies the
  /// client. Copies of the id are not searched for, because it may be an ordinary word.
  private func signed(
    _ credentials: ArraySlice<UInt8>, by key: ArraySlice<UInt8>, named name: ArraySlice<UInt8>
  ) -> Find? {
    collectParameters(of: credentials)
    let isRedacted = Placeholder.isWhole(key)
    if isRedacted, key.endIndex == credentials.endIndex { return nil }
    let shown =
      isRedacted ? Array(key) : placeholder(for: key, isCopied: false, isKeepable: false) ?? Array(key)
    let report = reports ? SecretFind("credentials", credentials, named: name) : nil
    return Find(
      range: credentials.startIndex..<credentials.endIndex,
      replacement: Array("Credential=".utf8) + shown, report: report)
  }

  /// The text after the scheme; the whole value when there is no scheme.
  package static func credentials(of value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let blank = value.firstIndex(of: UInt8(ascii: " ")), isScheme(value[..<blank]) else { return value }
    return value[blank...].drop(while: ASCII.isBlank)
  }

  /// Whether a word is a scheme: letters and hyphens, shorter than any key; Amazon's has digits too.
  private static func isScheme(_ word: ArraySlice<UInt8>) -> Bool {
    if word.starts(with: "AWS4-".utf8) { return word.allSatisfy(ASCII.isWord) }
    return (2...24).contains(word.count) && word.allSatisfy { ASCII.isLetter($0) || $0 == UInt8(ascii: "-") }
  }

  /// Hides user and password. The hash covers the user with the password's placeholder, so that a client that
  /// was given the placeholder as its password gets the same hash.
  private func basic(_ credentials: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> Find? {
    let range = credentials.startIndex..<credentials.endIndex
    guard !reports, let decoded = Base64.decodeText(credentials),
      let colon = decoded.firstIndex(of: UInt8(ascii: ":"))
    else { return find(range, credentials, "credentials", named: name, isKeepable: false) }
    var hashed = decoded
    let password = decoded[(colon + 1)...]
    if !SecretValue.isWorthless(password),
      let placeholder = placeholder(for: password, isCounted: false, isKeepable: false)
    {
      hashed.replaceSubrange((colon + 1)..., with: placeholder)
    }
    return find(range, hashed[...], "credentials", named: name, isKeepable: false)
  }

  private static let oauthNames = ["oauth_consumer_key", "oauth_token"]

  /// The credentials of a request signed by OAuth 1 (RFC 5849 §3.5.1): of all parameters, only those that
  /// name the client and its token stay, as placeholders; the rest is new in every request. `nil` for other
  /// schemes, and no find where that is done.
  private func signedByOAuth(
    _ value: ArraySlice<UInt8>, _ credentials: ArraySlice<UInt8>, named name: ArraySlice<UInt8>
  ) -> Finds? {
    guard ASCII.equal(value.prefix(6), lowercase: "oauth ") else { return nil }
    var shown: [UInt8] = []
    for part in credentials.split(separator: UInt8(ascii: ",")) {
      let part = part.drop(while: ASCII.isSpace)
      guard let equals = part.firstIndex(of: UInt8(ascii: "=")),
        Self.oauthNames.contains(where: { part[..<equals].elementsEqual($0.utf8) })
      else { continue }
      let key = DecodedText(part[TextScan.value(in: part, from: equals + 1)], .path).bytes
      guard !key.isEmpty else { continue }
      // A copy of the consumer's key may be an ordinary word.
      let isToken = part[..<equals].elementsEqual("oauth_token".utf8)
      let hidden =
        Placeholder.isWhole(key)
        ? Array(key) : placeholder(for: key, isCopied: isToken, isCounted: false, isKeepable: false)
      if !shown.isEmpty { shown += Array(", ".utf8) }
      shown += part[...equals] + (hidden ?? [])
    }
    guard !shown.isEmpty else { return nil }
    guard !credentials.elementsEqual(shown) else { return Finds() }
    collectParameters(of: credentials)
    count += 1
    return Finds(
      Find(
        range: credentials.startIndex..<credentials.endIndex, replacement: shown,
        report: reports ? SecretFind("credentials", credentials, named: name) : nil))
  }

  /// Remembers values in the parameters of Digest, OAuth 1 and similar schemes, which may appear elsewhere.
  private func collectParameters(of credentials: ArraySlice<UInt8>) {
    guard !reports, credentials.contains(UInt8(ascii: "=")),
      credentials.contains(where: ASCII.isSpace)
    else { return }
    uncounted { _ = text(credentials, depth: 0) }
    for equals in credentials.indices where credentials[equals] == UInt8(ascii: "=") {
      let value = credentials[TextScan.value(in: credentials, from: equals + 1)]
      if SecretValue.isRandom(value) { _ = placeholder(for: value, isCounted: false) }
    }
  }

  /// `WWW-Authenticate`: hides only values made for one client (RFC 9110 §11.6.1, RFC 7616 §3.3).
  private func challenge(_ value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> Finds {
    var finds = Finds()
    for parameter in ["nonce", "opaque", "nextnonce", "cnonce", "rspauth"] {
      for range in ByteSearch.all(Array("\(parameter)=".utf8), in: value) {
        if range.lowerBound > value.startIndex, ASCII.isWord(value[range.lowerBound - 1]) { continue }
        let secret = TextScan.value(in: value, from: range.upperBound)
        guard !SecretValue.isWorthless(value[secret]) else { continue }
        finds.add(find(secret, value[secret], "credentials", named: name))
      }
    }
    // `Negotiate …` goes on where the client stopped (RFC 4559 §4.1).
    let credentials = Self.credentials(of: value)
    if finds.isEmpty, credentials.startIndex > value.startIndex, Self.isToken68(credentials),
      !Placeholder.isWhole(credentials)
    {
      finds.add(
        find(credentials.startIndex..<credentials.endIndex, credentials, "credentials", named: name))
    }
    return finds.isEmpty ? text(value, depth: 0) : finds
  }

  /// Whether a value is one word of base64 (RFC 9110 §11.2), unlike parameters.
  private static func isToken68(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.count >= SecretValue.minimumRandomBytes else { return false }
    let word = value.prefix { ASCII.isWord($0) || ".~+/".utf8.contains($0) }
    return value[word.endIndex...].allSatisfy { $0 == UInt8(ascii: "=") }
  }

  /// `Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.…, v4.channel.k8s.io`: browsers can put
  /// credentials nowhere else.
  private func subprotocols(_ value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> Finds {
    var finds = Finds()
    for item in value.split(whereSeparator: { $0 == UInt8(ascii: ",") || ASCII.isBlank($0) }) {
      let start = item.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? item.startIndex
      let token = item[start...]
      let found = text(item, depth: 0)
      if found.isEmpty, SecretValue.isRandom(token), !isRedacted(token) {
        finds.add(find(token.startIndex..<token.endIndex, token, "credentials", named: name))
      } else {
        finds.add(found)
      }
    }
    return finds
  }
}

// MARK: - Cookies

extension SecretSearch {
  /// `name=value; name=value` (RFC 6265 §4.2.1).
  private func cookies(_ value: ArraySlice<UInt8>) -> Finds {
    var finds = Finds()
    for pair in value.split(separator: UInt8(ascii: ";")) { finds.add(cookie(pair)) }
    return finds
  }

  private func cookie(_ pair: ArraySlice<UInt8>) -> Finds {
    let pair = pair.drop(while: ASCII.isBlank)
    guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return text(pair, depth: 0) }
    var value = pair[(equals + 1)...]
    if value.count > 1, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") {
      value = value.dropFirst().dropLast()
    }
    return Finds(cookie(value, named: pair[..<equals]))
  }

  /// The value of a cookie; `nil` when it is not a secret.
  func cookie(_ raw: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> Find? {
    let value = DecodedText(raw, .path).bytes
    let verdict = policy.verdict(onCookie: name)
    guard isSecret(value, under: verdict) || isCookieSecret(value, under: verdict) else { return nil }
    return find(
      raw.startIndex..<raw.endIndex, value, "the value of a cookie", named: name,
      isCopied: SecretValue.isRandom(value), isKeepable: false)
  }

  private func isCookieSecret(_ value: ArraySlice<UInt8>, under verdict: SecretNames.Strength) -> Bool {
    !verdict.isRule && SecretValue.isCookieSecret(value) && !isRedacted(value)
  }
}
