package import TapedeckHTTP

/// Header and trailer fields: credentials keep their scheme, cookies their names and attributes.
extension SecretSearch {
  package func redacted(_ fields: HTTPFields) -> HTTPFields {
    var result = fields
    for (index, field) in fields.enumerated() {
      let finds = finds(in: field.value, named: field.name, in: .header)
      guard !finds.isEmpty else { continue }
      // A placeholder is always a valid value.
      try? result.replaceValue(at: index, with: finds.applied(to: field.value))
    }
    return result
  }

  /// The secrets in a value under a name, whatever its place.
  func finds(
    in value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>, in place: SecretNames.Place, depth: Int = 0
  ) -> Finds {
    finds(in: value, named: name, verdict: policy.verdict(on: name, in: place), depth: depth)
  }

  func finds(
    in value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>, verdict: RedactionPolicy.Verdict, depth: Int
  ) -> Finds {
    if verdict == .keep { return Finds() }
    if verdict != .hide {
      if Self.isByteRanges(value, named: name) { return Finds() }
      switch FieldKind(name) {
      case .authorization: return Finds(authorization(value, named: name))
      case .cookie: return cookies(value)
      case .setCookie: return cookie(value.prefix { $0 != UInt8(ascii: ";") })
      case .challenge: return challenge(value, named: name)
      case .other: break
      }
    }
    if isSecret(value, under: verdict),
      let find = find(value.startIndex..<value.endIndex, value, Self.named, named: name)
    {
      collectParts(of: value, depth: depth)
      return Finds(find)
    }
    return self.value(value, depth: depth)
  }

  static let named = "a value under the name of a secret"

  /// A list of byte ranges (RFC 9110 §14.2) is numbers alone, and may be thousands of them.
  private static func isByteRanges(_ value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> Bool {
    guard name.count == 5, ASCII.equal(name, lowercase: "range") else { return false }
    return value.starts(with: "bytes=".utf8)
      && value.dropFirst(6).allSatisfy { ASCII.isDigit($0) || ",- ".utf8.contains($0) }
  }

  /// Remembers the parts of a secret that may stand elsewhere too, such as the key in a connection string.
  private func collectParts(of value: ArraySlice<UInt8>, depth: Int) {
    guard !thresholds.reports, value.contains(UInt8(ascii: "=")) || value.contains(UInt8(ascii: ":")) else {
      return
    }
    uncounted { _ = text(value, depth: depth) }
  }
}

/// The fields whose values have a form of their own.
enum FieldKind {
  case authorization, cookie, setCookie, challenge, other

  init<Name: RandomAccessCollection<UInt8>>(_ name: Name) where Name.Index == Int {
    switch name.count {
    case 6 where Self.equal(name, "cookie"): self = .cookie
    case 10 where Self.equal(name, "set-cookie"): self = .setCookie
    case 13 where Self.equal(name, "authorization"): self = .authorization
    case 19 where Self.equal(name, "proxy-authorization"): self = .authorization
    case 16 where Self.equal(name, "www-authenticate"): self = .challenge
    case 18 where Self.equal(name, "proxy-authenticate"): self = .challenge
    default: self = .other
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
  /// `Bearer …`: the scheme stays, everything behind it is secret (RFC 9110 §11.6.2).
  private func authorization(_ value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> Find? {
    let credentials = Self.credentials(of: value)
    guard !SecretValue.isWorthless(credentials), !isRedacted(value) else { return nil }
    if let key = Self.signingKey(value, credentials) { return signed(credentials, by: key, named: name) }
    if ASCII.equal(value.prefix(6), lowercase: "basic ") { return basic(credentials, named: name) }
    collectParameters(of: credentials)
    return find(credentials.startIndex..<credentials.endIndex, credentials, "credentials", named: name)
  }

  /// The id of the key in credentials of AWS Signature Version 4.
  private static func signingKey(
    _ value: ArraySlice<UInt8>, _ credentials: ArraySlice<UInt8>
  ) -> ArraySlice<UInt8>? {
    guard value.starts(with: "AWS4-".utf8), credentials.starts(with: "Credential=".utf8) else { return nil }
    let key = credentials.dropFirst("Credential=".utf8.count).prefix {
      $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ",")
    }
    return key.isEmpty ? nil : key
  }

  /// Of a signature only the key's id stays: the rest is new in every request, and the id says which client signed. The
  /// id may be an ordinary word, so copies of it are not looked for.
  private func signed(
    _ credentials: ArraySlice<UInt8>, by key: ArraySlice<UInt8>, named name: ArraySlice<UInt8>
  ) -> Find? {
    collectParameters(of: credentials)
    let isRedacted = Placeholder.isWhole(key)
    if isRedacted, key.endIndex == credentials.endIndex { return nil }
    let shown = isRedacted ? Array(key) : placeholder(for: key, isCopied: false) ?? Array(key)
    let evidence = thresholds.reports ? Evidence("credentials", credentials, named: name) : nil
    return Find(
      range: credentials.startIndex..<credentials.endIndex,
      replacement: Array("Credential=".utf8) + shown, evidence: evidence)
  }

  /// What stands behind the scheme; the whole value where there is no scheme.
  package static func credentials(of value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let blank = value.firstIndex(of: UInt8(ascii: " ")), isScheme(value[..<blank]) else { return value }
    return value[blank...].drop(while: ASCII.isBlank)
  }

  /// A scheme is a word of letters and hyphens, shorter than any key; Amazon's has digits too.
  private static func isScheme(_ word: ArraySlice<UInt8>) -> Bool {
    if word.starts(with: "AWS4-".utf8) { return word.allSatisfy(ASCII.isWord) }
    return (2...24).contains(word.count) && word.allSatisfy { ASCII.isLetter($0) || $0 == UInt8(ascii: "-") }
  }

  /// User and password. The hash is taken of the user with the password's placeholder, so that a client that was given
  /// the placeholder as its password gets the same hash.
  private func basic(_ credentials: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> Find? {
    let range = credentials.startIndex..<credentials.endIndex
    guard !thresholds.reports, let decoded = LooseBase64.decodedText(credentials),
      let colon = decoded.firstIndex(of: UInt8(ascii: ":"))
    else { return find(range, credentials, "credentials", named: name) }
    var hashed = decoded
    let password = decoded[(colon + 1)...]
    if !SecretValue.isWorthless(password), let placeholder = placeholder(for: password, isCounted: false) {
      hashed.replaceSubrange((colon + 1)..., with: placeholder)
    }
    return find(range, hashed[...], "credentials", named: name)
  }

  /// Remembers the values in the parameters of Digest, OAuth 1 and the like, which may stand elsewhere too.
  private func collectParameters(of credentials: ArraySlice<UInt8>) {
    guard !thresholds.reports, credentials.contains(UInt8(ascii: "=")),
      credentials.contains(where: ASCII.isSpace)
    else { return }
    uncounted { _ = text(credentials, depth: 0) }
    for equals in credentials.indices where credentials[equals] == UInt8(ascii: "=") {
      let value = credentials[TextScan.value(in: credentials, from: equals + 1)]
      if SecretValue.isRandom(value) { _ = placeholder(for: value, isCounted: false) }
    }
  }

  /// `WWW-Authenticate`: only what was made for one client is secret (RFC 9110 §11.6.1, RFC 7616 §3.3).
  private func challenge(_ value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> Finds {
    var finds = Finds()
    for parameter in ["nonce", "opaque", "nextnonce"] {
      for range in ByteSearch.all(Array("\(parameter)=".utf8), in: value) {
        if range.lowerBound > value.startIndex, ASCII.isWord(value[range.lowerBound - 1]) { continue }
        let secret = TextScan.value(in: value, from: range.upperBound)
        guard !SecretValue.isWorthless(value[secret]) else { continue }
        finds.add(find(secret, value[secret], "credentials", named: name))
      }
    }
    return finds.isEmpty ? text(value, depth: 0) : finds
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

  /// The value of a cookie, if it is a secret.
  func cookie(_ raw: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> Find? {
    let value = DecodedText(raw, .path).bytes
    let verdict = policy.verdict(on: name, in: .pair)
    guard isSecret(value, under: verdict) || isCookieSecret(value, under: verdict) else { return nil }
    return find(
      raw.startIndex..<raw.endIndex, value, "the value of a cookie", named: name,
      isCopied: SecretValue.isRandom(value))
  }

  private func isCookieSecret(_ value: ArraySlice<UInt8>, under verdict: RedactionPolicy.Verdict) -> Bool {
    guard case .judge = verdict else { return false }
    return SecretValue.isCookieSecret(value) && !isRedacted(value)
  }
}
