import TapedeckHTTP

/// Which names hold secrets, by the words they are made of: `auth` is one, `author` is not.
///
/// A name alone never decides. Its value must also look like a secret (`SecretValue`), the more so the more the name is
/// used for other things: under `password` any text is a secret, under `token` any that is no word or number, under
/// `key` only a random one.
package enum SecretNames {
  /// How sure a name makes.
  package enum Strength: Int, Comparable {
    /// No value is a secret.
    case none
    /// A random value is a secret.
    case maybe
    /// A value that was made by a machine is a secret. Only the scanner judges names so.
    case doubtful
    /// Any value is a secret but words, numbers and short texts.
    case likely
    /// Any text is a secret.
    case strong

    package static func < (left: Strength, right: Strength) -> Bool { left.rawValue < right.rawValue }

    /// The strength where the name may be part of a sentence.
    var weaker: Strength {
      switch self {
      case .strong: .likely
      case .likely: .maybe
      case .doubtful, .maybe, .none: .none
      }
    }
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
    mayBeSecret(name) ? strength(of: words(of: name), in: place) : .none
  }

  package static func strength(of words: [String], in place: Place) -> Strength {
    entry(words, in: place) ?? .none
  }

  /// How sure a name makes the scanner, which also knows the words of the table where they run on: `loginpwd`.
  static func suspicion(of name: ArraySlice<UInt8>, in place: Place) -> Strength {
    guard mayBeSecret(name) else { return .none }
    let words = words(of: name)
    let entry = entry(words, in: place)
    if entry == Strength.none { return .none }
    return max(entry ?? .none, runOn(words.joined()))
  }

  /// What the table says about a name; `nil` when it does not know the name.
  private static func entry(_ words: [String], in place: Place) -> Strength? {
    guard let last = words.last else { return nil }
    if isAbout(words, last) { return Strength.none }
    if words.contains(where: isStrong) { return .strong }
    if words.suffix(3) == ["client", "request", "token"] || words.suffix(2) == ["idempotency", "token"] {
      return Strength.none
    }
    for (first, second) in zip(words, words.dropFirst()) {
      if second == "token", strongTokens.contains(first) { return .strong }
      if second == "token", cursors.contains(first) { return Strength.none }
      if second == "key", keys.contains(first) { return .strong }
    }
    if last == "token", words.contains(where: cursors.contains) { return Strength.none }
    if words.contains(where: isLikely) || isLikely(pairs: words) { return .likely }
    if place == .pair, words.count == 1 { return pairWords[last] }
    return place == .pair && words == ["x", "amz", "credential"] ? .likely : nil
  }

  private static func isStrong(_ word: String) -> Bool {
    strong.contains(word)
      || word.count > 6 && ["password", "passwd", "secret", "apikey"].contains { word.hasSuffix($0) }
  }

  private static func isLikely(_ word: String) -> Bool {
    if likely.contains(word) { return true }
    guard word.count > 5, word.hasSuffix("token") else { return false }
    return !cursors.contains(String(word.dropLast(5)))
  }

  private static func isLikely(pairs words: [String]) -> Bool {
    zip(words, words.dropFirst()).contains { likelyPairs.contains("\($0) \($1)") }
  }

  /// Whether the last word makes it a name about a secret.
  private static func isAbout(_ words: [String], _ last: String) -> Bool {
    // An id is no secret, but that of a session is, and so is Vault's `secret_id`.
    if last == "id" || last == "ids" {
      return !(words.contains("session") || words.contains("sess") || words.suffix(2) == ["secret", "id"])
    }
    return about.contains(last)
  }

  /// What the letters of a name say, without regard to where its words begin.
  private static func runOn(_ letters: String) -> Strength {
    if about.contains(where: letters.hasSuffix) { return .none }
    if letters.hasSuffix("id"), !letters.hasSuffix("sessionid") { return .none }
    if strongEndings.contains(where: letters.hasSuffix) { return .strong }
    guard doubtful.contains(where: { letters.contains($0) }) else { return .none }
    return cursors.contains { letters.contains($0) } ? .none : .doubtful
  }

  // MARK: Words

  private static let maximumBytes = 80
  private static let maximumWords = 10

  /// The words of a name in lower case: `X-Api-Key`, `apiKey` and `API_KEY` all end with `api`, `key`.
  package static func words(of name: ArraySlice<UInt8>) -> [String] {
    var words: [String] = []
    var word: [UInt8] = []
    let name = name.suffix(maximumBytes)
    for index in name.indices {
      let byte = name[index]
      let isLetter = ASCII.isLetter(byte)
      if beginsWord(name, at: index) || !isLetter, !word.isEmpty {
        words.append(String(decoding: word, as: UTF8.self))
        word.removeAll(keepingCapacity: true)
      }
      if isLetter { word.append(ASCII.lowercased(byte)) }
    }
    if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
    return Array(words.suffix(maximumWords))
  }

  /// Whether a capital begins a word: after a small letter, or as the last of several before a small one (`APIKey`).
  private static func beginsWord(_ name: ArraySlice<UInt8>, at index: Int) -> Bool {
    guard isCapital(name[index]), index > name.startIndex else { return false }
    let isAfterSmall = isSmall(name[index - 1])
    let isBeforeSmall = index + 1 < name.endIndex && isSmall(name[index + 1])
    return isAfterSmall || isCapital(name[index - 1]) && isBeforeSmall
  }

  private static func isCapital(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }
  private static func isSmall(_ byte: UInt8) -> Bool { byte &- 0x61 < 26 }
}

// MARK: - The table

extension SecretNames {
  /// Last words of names about a secret: `token_type`, `password_policy`.
  private static let about: Set<String> = [
    "age", "alg", "algorithm", "algorithms", "arn", "at", "audience", "count", "created", "date",
    "description", "disabled", "domain", "duration", "email", "enabled", "endpoint", "endpoints", "error",
    "expiration", "expires", "expiry", "format", "headers", "hint", "in", "index", "input", "issuer", "label",
    "length", "level", "limit", "limits", "link", "max", "message", "method", "methods", "min", "mode",
    "name", "names", "offset", "option", "options", "path", "policies", "policy", "prefix", "provider",
    "providers", "required", "requirements", "rotated", "rules", "scheme", "schemes", "scope", "scopes",
    "size", "state", "status", "strategy", "strength", "supported", "time", "timeout", "title", "ttl", "type",
    "types", "updated", "uri", "url", "urls", "usage", "used", "user", "username", "valid", "version",
    "versions",
  ]

  /// Words of secrets.
  static let strong: Set<String> = [
    "accesstoken", "apikey", "authtoken", "cvc", "cvv", "idtoken", "jsessionid", "mnemonic", "otp",
    "passcode", "passphrase", "passwd", "password", "passwords", "phpsessid", "privatekey", "pwd",
    "refreshtoken", "secret", "secretkey", "sessionid", "sessiontoken", "totp",
  ]

  /// Before `token`: secrets.
  static let strongTokens: Set<String> = [
    "access", "api", "auth", "bearer", "id", "oauth", "personal", "private", "refresh", "secret", "security",
    "session",
  ]

  /// Before `token`: what opens the next page of a list.
  private static let cursors: Set<String> = [
    "change", "continuation", "cursor", "delta", "marker", "next", "page", "pagination", "prev", "previous",
    "resume", "skip", "start", "starting", "sync",
  ]

  /// Before `key`: secrets.
  static let keys: Set<String> = [
    "access", "account", "admin", "api", "app", "application", "auth", "client", "consumer", "customer",
    "encryption", "functions", "license", "master", "private", "rapidapi", "secret", "service", "session",
    "shared", "signing", "storage", "subscription",
  ]

  /// Words that are also used for other things.
  static let likely: Set<String> = [
    "assertion", "auth", "authentication", "authorization", "bearer", "cred", "credential", "credentials",
    "creds", "csrf", "csrfmiddlewaretoken", "csrftoken", "hmac", "jwt", "pass", "sas", "secrets", "sess",
    "session", "sig", "signature", "token", "tokens", "xsrf",
  ]

  /// Pairs of words that are also used for other things.
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

  /// Endings of words that run on: `userpassphrase`. For the scanner.
  private static let strongEndings = [
    "password", "passwd", "passphrase", "secret", "privatekey", "apikey", "accesstoken", "refreshtoken",
  ]

  /// Words within others that run on: `loginpwd`. For the scanner.
  private static let doubtful = [
    "token", "credential", "session", "signature", "apikey", "accesskey", "authkey", "csrf", "jwt", "pwd",
  ]
}

// MARK: - The quick check

extension SecretNames {
  /// Whether a name can hold a word of the table, each of which has one of the marks in it.
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

  /// The first letters of the marks, a bit for each: `a` is bit 1.
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
