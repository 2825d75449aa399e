package import TapedeckHTTP

/// Header and trailer fields: credentials keep their scheme, cookies their names and attributes.
extension RedactionPass {
  package func redacted(_ fields: HTTPFields) -> HTTPFields {
    var result = fields
    for (index, field) in fields.enumerated() {
      let edits = edits(of: field.value, named: field.name, in: .header)
      guard !edits.isEmpty else { continue }
      // What takes a secret's place is always a valid value.
      try? result.replaceValue(at: index, with: edits.applied(to: field.value))
    }
    return result
  }

  /// What is to be hidden in a value under a name, whatever the place.
  func edits(
    of value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>, in place: SecretNames.Place, depth: Int = 0
  ) -> TextEdits {
    edits(of: value, named: name, verdict: policy.verdict(on: name, in: place), depth: depth)
  }

  /// A list of byte ranges (RFC 9110 §14.2) is numbers alone, and may be thousands of them.
  private static func isByteRanges(_ value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> Bool {
    guard name.count == 5, zip(name, "range".utf8).allSatisfy({ $0 | 0x20 == $1 }) else { return false }
    return value.starts(with: "bytes=".utf8)
      && value.dropFirst(6).allSatisfy { (0x30...0x39).contains($0) || ",- ".utf8.contains($0) }
  }

  func edits(
    of value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>, verdict: RedactionPolicy.Verdict, depth: Int
  ) -> TextEdits {
    if verdict == .keep { return TextEdits() }
    if verdict != .hide, Self.isByteRanges(value, named: name) { return TextEdits() }
    if verdict != .hide, let edits = composite(value, named: name) { return edits }
    if let placeholder = replacement(of: value, under: verdict) {
      collect(within: value, depth: depth)
      return TextEdits(value.startIndex..<value.endIndex, placeholder)
    }
    return self.value(value, depth: depth)
  }

  /// What a hidden value is made of may stand elsewhere too: the key in a connection string.
  private func collect(within value: ArraySlice<UInt8>, depth: Int) {
    guard value.contains(UInt8(ascii: "=")) || value.contains(UInt8(ascii: ":")) else { return }
    uncounted { _ = text(value, depth: depth) }
  }

  /// Values with a form of their own, wherever their names are found; nil for all others.
  private func composite(_ value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> TextEdits? {
    switch FieldKind(name) {
    case .authorization: authorization(value)
    case .cookie: cookies(value)
    case .setCookie: setCookie(value)
    case .challenge: challenge(value)
    case .other: nil
    }
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

extension RedactionPass {
  /// `Bearer …`: the scheme stays, everything behind it goes (RFC 9110 §11.6.2).
  private func authorization(_ value: ArraySlice<UInt8>) -> TextEdits {
    var edits = TextEdits()
    let credentials = Self.credentials(of: value)
    guard !credentials.isEmpty, !SecretValue.isWorthless(credentials) else { return edits }
    if let key = Self.signingKey(value, credentials) { return signed(credentials, by: key) }
    let isBasic = value.starts(with: "basic ".utf8, by: { ASCII.lowercased($0) == $1 })
    let secret = isBasic ? basic(credentials) : credentials[...]
    if !isBasic { collect(parametersOf: credentials) }
    if let placeholder = placeholder(for: secret) {
      edits.add(credentials.startIndex..<credentials.endIndex, placeholder)
    }
    return edits
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

  /// Nothing of a signature stays but whose it is: the rest is new in every request, and the client that signs with the
  /// same key is found again. The id may be an ordinary word, so copies of it are not looked for.
  private func signed(_ credentials: ArraySlice<UInt8>, by key: ArraySlice<UInt8>) -> TextEdits {
    collect(parametersOf: credentials)
    let isHidden = Placeholder.isWhole(key)
    if isHidden, key.endIndex == credentials.endIndex { return TextEdits() }
    let shown = isHidden ? Array(key) : placeholder(for: key, isCopied: false) ?? Array(key)
    return TextEdits(credentials.startIndex..<credentials.endIndex, Array("Credential=".utf8) + shown)
  }

  /// What stands behind the scheme; all of it where there is none.
  package static func credentials(of value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let blank = value.firstIndex(of: UInt8(ascii: " ")), isScheme(value[..<blank]) else { return value }
    return value[blank...].drop(while: ASCII.isBlank)
  }

  /// A scheme is a word of letters and hyphens, of a length no key is short enough for; and Amazon's, with its digits.
  private static func isScheme(_ word: ArraySlice<UInt8>) -> Bool {
    if word.starts(with: "AWS4-".utf8) { return word.allSatisfy(ASCII.isWord) }
    return (2...24).contains(word.count) && word.allSatisfy { ASCII.isLetter($0) || $0 == UInt8(ascii: "-") }
  }

  /// User and password, the password hidden first: a client that was given the password's placeholder makes the same
  /// of it.
  private func basic(_ credentials: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let decoded = LooseBase64.decodedText(credentials),
      let colon = decoded.firstIndex(of: UInt8(ascii: ":"))
    else { return credentials }
    var hidden = Array(decoded[...colon])
    let password = decoded[(colon + 1)...]
    if SecretValue.isWorthless(password) {
      hidden += password
    } else {
      hidden += placeholder(for: password, isCounted: false) ?? Array(password)
    }
    return hidden[...]
  }

  /// Digest, OAuth 1 and their like: what their parameters hold may stand elsewhere too.
  private func collect(parametersOf credentials: ArraySlice<UInt8>) {
    guard credentials.contains(UInt8(ascii: "=")), credentials.contains(where: ASCII.isSpace) else { return }
    uncounted { _ = text(credentials, depth: 0) }
    for equals in credentials.indices where credentials[equals] == UInt8(ascii: "=") {
      let value = credentials[TextScan.value(in: credentials, from: equals + 1)]
      if SecretValue.isRandom(value) { _ = placeholder(for: value, isCounted: false) }
    }
  }

  /// `WWW-Authenticate`: what is made for one client goes, what it must know stays (RFC 9110 §11.6.1, RFC 7616 §3.3).
  private func challenge(_ value: ArraySlice<UInt8>) -> TextEdits {
    var edits = TextEdits()
    for name in ["nonce", "opaque", "nextnonce"] {
      for range in ByteSearch.all(Array("\(name)=".utf8), in: value) {
        if range.lowerBound > value.startIndex, ASCII.isWord(value[range.lowerBound - 1]) { continue }
        let secret = TextScan.value(in: value, from: range.upperBound)
        guard !SecretValue.isWorthless(value[secret]) else { continue }
        if let placeholder = placeholder(for: value[secret]) { edits.add(secret, placeholder) }
      }
    }
    return edits.isEmpty ? text(value, depth: 0) : edits
  }
}

// MARK: - Cookies

extension RedactionPass {
  /// `name=value; name=value` (RFC 6265 §4.2.1).
  private func cookies(_ value: ArraySlice<UInt8>) -> TextEdits {
    var edits = TextEdits()
    for pair in value.split(separator: UInt8(ascii: ";")) { edits.add(cookie(pair)) }
    return edits
  }

  /// `name=value; Attribute=…` (RFC 6265 §4.1.1).
  private func setCookie(_ value: ArraySlice<UInt8>) -> TextEdits {
    cookie(value.prefix { $0 != UInt8(ascii: ";") })
  }

  private func cookie(_ pair: ArraySlice<UInt8>) -> TextEdits {
    var edits = TextEdits()
    let pair = pair.drop(while: ASCII.isBlank)
    guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return text(pair, depth: 0) }
    var raw = pair[(equals + 1)...]
    if raw.count > 1, raw.first == UInt8(ascii: "\""), raw.last == UInt8(ascii: "\"") {
      raw = raw.dropFirst().dropLast()
    }
    let value = DecodedText(raw, .path).bytes
    switch policy.verdict(on: pair[..<equals], in: .pair) {
    case .keep: return edits
    case .judge(let strength)
    where !SecretValue.isCookieSecret(value) && !SecretValue.isSecret(value, under: strength):
      return edits
    case .hide where value.isEmpty || Placeholder.isWhole(value): return edits
    case .hide, .judge: break
    }
    if let placeholder = placeholder(for: value, isCopied: SecretValue.isRandom(value)) {
      edits.add(raw.startIndex..<raw.endIndex, placeholder)
    }
    return edits
  }
}

extension ArraySlice<UInt8> {
  fileprivate func starts(with other: String.UTF8View, by equal: (UInt8, UInt8) -> Bool) -> Bool {
    starts(with: Array(other), by: equal)
  }
}
