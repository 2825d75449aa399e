/// Which names hold secrets, by the words they are made of: `auth` is one, `author` is not.
///
/// A name never decides alone. What stands under it must also look like a secret (`SecretValue`), and the more a name
/// is also used for other things, the more so: `password` hides any text, `token` what is no word or number, `key` only
/// what looks random.
package enum SecretNames {
  /// How sure a name makes.
  package enum Strength: Int, Comparable {
    /// No secret.
    case none
    /// Only what looks random is one.
    case maybe
    /// What is no word, number or short text is one.
    case likely
    /// Any text is one.
    case strong

    package static func < (left: Strength, right: Strength) -> Bool { left.rawValue < right.rawValue }

    /// The next weaker one, for places where a name may be part of a sentence.
    var weaker: Strength { Strength(rawValue: rawValue - 1) ?? .none }
  }

  /// Where a name stands.
  package enum Place {
    case header
    /// Query, form, and whatever else is written `name=value`.
    case pair
    /// JSON, XML and texts.
    case member
  }

  package static func strength(of name: ArraySlice<UInt8>, in place: Place) -> Strength {
    guard mayBeSecret(name) else { return .none }
    return strength(of: NameWords(name).words.map { String(decoding: $0, as: UTF8.self) }, in: place)
  }

  package static func strength(of words: [String], in place: Place) -> Strength {
    guard let last = words.last else { return .none }
    if isAbout(words, last) { return .none }
    if words.contains(where: isStrong) { return .strong }
    if words.suffix(3) == ["client", "request", "token"] || words.suffix(2) == ["idempotency", "token"] {
      return .none
    }
    for (first, second) in zip(words, words.dropFirst()) {
      if second == "token", strongTokens.contains(first) { return .strong }
      if second == "token", cursors.contains(first) { return .none }
      if second == "key", keys.contains(first) { return .strong }
    }
    if last == "token", words.contains(where: cursors.contains) { return .none }
    if words.contains(where: isLikely) || isLikely(pairs: words) { return .likely }
    if place == .pair, words.count == 1 { return pairWords[last] ?? .none }
    if place == .pair, words == ["x", "amz", "credential"] { return .likely }
    return .none
  }

  // MARK: The table

  /// Last words that make a name one about a secret and not that of one: `token_type`, `password_policy`. `id` is one
  /// of them but for sessions, whose ids open doors, and for Vault's `secret_id`.
  private static func isAbout(_ words: [String], _ last: String) -> Bool {
    if last == "id" || last == "ids" {
      return !(words.contains("session") || words.contains("sess") || words.suffix(2) == ["secret", "id"])
    }
    return about.contains(last)
  }

  private static let about: Set<String> = [
    "age", "alg", "algorithm", "algorithms", "arn", "at", "audience", "count", "created", "date",
    "description",
    "disabled", "domain", "duration", "email", "enabled", "endpoint", "endpoints", "error", "expiration",
    "expires",
    "expiry", "format", "headers", "hint", "in", "index", "input", "issuer", "label", "length", "level",
    "limit",
    "limits", "link", "max", "message", "method", "methods", "min", "mode", "name", "names", "offset",
    "option",
    "options", "path", "policies", "policy", "prefix", "provider", "providers", "required", "requirements",
    "rotated",
    "rules", "scheme", "schemes", "scope", "scopes", "size", "state", "status", "strategy", "strength",
    "supported",
    "time", "timeout", "title", "ttl", "type", "types", "updated", "uri", "url", "urls", "usage", "used",
    "user",
    "username", "valid", "version", "versions",
  ]

  static let strong: Set<String> = [
    "accesstoken", "apikey", "authtoken", "cvc", "cvv", "idtoken", "jsessionid", "mnemonic", "otp",
    "passcode",
    "passphrase", "passwd", "password", "passwords", "phpsessid", "privatekey", "pwd", "refreshtoken",
    "secret",
    "secretkey", "sessionid", "sessiontoken", "totp",
  ]

  private static func isStrong(_ word: String) -> Bool {
    strong.contains(word)
      || word.count > 6 && ["password", "passwd", "secret", "apikey"].contains { word.hasSuffix($0) }
  }

  /// Before `token`.
  static let strongTokens: Set<String> = [
    "access", "api", "auth", "bearer", "id", "oauth", "personal", "private", "refresh", "secret", "security",
    "session",
  ]

  /// Before `token`: what opens the next page of a list and nothing else.
  private static let cursors: Set<String> = [
    "change", "continuation", "cursor", "delta", "marker", "next", "page", "pagination", "prev", "previous",
    "resume",
    "skip", "start", "starting", "sync",
  ]

  /// Before `key`.
  static let keys: Set<String> = [
    "access", "account", "admin", "api", "app", "application", "auth", "client", "consumer", "customer",
    "encryption",
    "functions", "license", "master", "private", "rapidapi", "secret", "service", "session", "shared",
    "signing",
    "storage", "subscription",
  ]

  static let likely: Set<String> = [
    "assertion", "auth", "authentication", "authorization", "bearer", "cred", "credential", "credentials",
    "creds",
    "csrf", "csrfmiddlewaretoken", "csrftoken", "hmac", "jwt", "pass", "sas", "secrets", "sess", "session",
    "sig",
    "signature", "token", "tokens", "xsrf",
  ]

  private static func isLikely(_ word: String) -> Bool {
    if likely.contains(word) { return true }
    guard word.count > 5, word.hasSuffix("token") else { return false }
    return !cursors.contains(String(word.dropLast(5)))
  }

  private static func isLikely(pairs words: [String]) -> Bool {
    zip(words, words.dropFirst()).contains { likelyPairs.contains("\($0) \($1)") }
  }

  static let likelyPairs: Set<String> = [
    "auth code", "authorization code", "backup codes", "code verifier", "connection string", "device code",
    "primary key", "recovery code", "recovery codes", "saml request", "saml response", "secondary key",
    "seed phrase",
  ]

  /// Alone, in a query or a form.
  static let pairWords: [String: Strength] = [
    "code": .maybe, "key": .maybe, "sid": .likely, "sign": .maybe, "samlresponse": .likely,
    "samlrequest": .likely,
  ]
}

// MARK: - The quick no

extension SecretNames {
  /// Whether a name is worth being taken apart: each word of the table has one of these in it.
  static func mayBeSecret(_ name: ArraySlice<UInt8>) -> Bool {
    name.withUnsafeBufferPointer { mayBeSecret($0) }
  }

  static func mayBeSecret(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    guard name.count > 2 else { return false }
    for index in 0..<(name.count - 2) {
      let first = name[index] | 0x20
      guard first & 0xE0 == 0x60, starts >> UInt32(first & 0x1F) & 1 == 1 else { continue }
      let fourth = index + 3 < name.count ? name[index + 3] | 0x20 : 0
      if isMark(first, name[index + 1] | 0x20, name[index + 2] | 0x20, fourth) { return true }
    }
    return false
  }

  /// First letters of the marks, a bit each: a is 1.
  private static let starts: UInt32 = "abchjkmopstx".utf8.reduce(0) { $0 | 1 << UInt32($1 & 0x1F) }

  private static func isMark(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) -> Bool {
    let start = UInt32(first) << 16 | UInt32(second) << 8 | UInt32(third)
    switch start << 8 | UInt32(fourth) {
    case mark("asse"), mark("auth"), mark("bear"), mark("code"), mark("cred"), mark("csrf"), mark("hmac"),
      mark("mnem"), mark("oken"), mark("pass"), mark("saml"), mark("secr"), mark("seed"), mark("sess"),
      mark("trin"), mark("xsrf"):
      return true
    default: break
    }
    switch start {
    case mark("cvc"), mark("cvv"), mark("jwt"), mark("key"), mark("otp"), mark("pwd"), mark("sas"),
      mark("sid"),
      mark("sig"):
      return true
    default: return false
    }
  }

  @inline(__always)
  private static func mark(_ text: StaticString) -> UInt32 {
    let letters = text.utf8Start
    let three = UInt32(letters[0]) << 16 | UInt32(letters[1]) << 8 | UInt32(letters[2])
    return text.utf8CodeUnitCount == 3 ? three : three << 8 | UInt32(letters[3])
  }
}
