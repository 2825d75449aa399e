/// Which names hold secrets, by the words they are made of: `auth` is one, `author` is not.
///
/// A name never decides alone. What stands under it must also look like a secret (`SecretValue`), and the more a name
/// is also used for other things, the more so: `password` hides any text, `token` what is no word or number, `key` only
/// what looks random.
enum SecretNames {
  /// How sure a name makes.
  enum Strength: Int, Comparable {
    /// No secret.
    case none
    /// Only what looks random is one.
    case maybe
    /// What is no word, number or short text is one.
    case likely
    /// Any text is one.
    case strong

    static func < (left: Strength, right: Strength) -> Bool { left.rawValue < right.rawValue }

    /// The next weaker one, for places where a name may be part of a sentence.
    var weaker: Strength { Strength(rawValue: rawValue - 1) ?? .none }
  }

  /// Where a name stands.
  enum Place {
    case header
    /// Query, form, and whatever else is written `name=value`.
    case pair
    /// JSON, XML and texts.
    case member
  }

  static func strength(of name: ArraySlice<UInt8>, in place: Place) -> Strength {
    guard mayBeSecret(name) else { return .none }
    return strength(of: NameWords(name).words.map { String(decoding: $0, as: UTF8.self) }, in: place)
  }

  static func strength(of words: [String], in place: Place) -> Strength {
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

  private static let strong: Set<String> = [
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
  private static let strongTokens: Set<String> = [
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
  private static let keys: Set<String> = [
    "access", "account", "admin", "api", "app", "application", "auth", "client", "consumer", "customer",
    "encryption",
    "functions", "license", "master", "private", "rapidapi", "secret", "service", "session", "shared",
    "signing",
    "storage", "subscription",
  ]

  private static let likely: Set<String> = [
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

  private static let likelyPairs: Set<String> = [
    "auth code", "authorization code", "backup codes", "code verifier", "connection string", "device code",
    "primary key", "recovery code", "recovery codes", "saml request", "saml response", "secondary key",
    "seed phrase",
  ]

  /// Alone, in a query or a form.
  private static let pairWords: [String: Strength] = [
    "code": .maybe, "key": .maybe, "sid": .likely, "sign": .maybe, "samlresponse": .likely,
    "samlrequest": .likely,
  ]
}

// MARK: - The quick no

extension SecretNames {
  /// Whether a name is worth being taken apart: each word of the table has one of these in it.
  static func mayBeSecret(_ name: ArraySlice<UInt8>) -> Bool {
    guard name.count > 2 else { return false }
    return name.withUnsafeBytes { bytes in
      for index in 0..<(bytes.count - 2) {
        let first = bytes[index] | 0x20
        guard first & 0xE0 == 0x60, starts >> UInt32(first & 0x1F) & 1 == 1 else { continue }
        if isMark(first, bytes[index + 1] | 0x20, bytes[index + 2] | 0x20) { return true }
      }
      return false
    }
  }

  /// First letters of the marks, a bit each: a is 1.
  private static let starts: UInt32 = "abcehjkmoprsx".utf8.reduce(0) { $0 | 1 << UInt32($1 & 0x1F) }

  private static func isMark(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
    switch UInt32(first) << 16 | UInt32(second) << 8 | UInt32(third) {
    case mark("ass"), mark("aut"), mark("bea"), mark("cod"), mark("cre"), mark("csr"), mark("cvc"),
      mark("cvv"),
      mark("ecr"), mark("hma"), mark("jwt"), mark("key"), mark("mne"), mark("oke"), mark("otp"), mark("pas"),
      mark("pwd"), mark("rin"), mark("sam"), mark("sas"), mark("see"), mark("ses"), mark("sid"), mark("sig"),
      mark("xsr"):
      true
    default: false
    }
  }

  @inline(__always)
  private static func mark(_ text: StaticString) -> UInt32 {
    UInt32(text.utf8Start[0]) << 16 | UInt32(text.utf8Start[1]) << 8 | UInt32(text.utf8Start[2])
  }
}
