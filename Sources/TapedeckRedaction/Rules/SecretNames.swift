import TapedeckHTTP

/// Decides by its words whether a name holds secrets: `auth` does, `author` does not.
///
/// A name alone never decides: its value must also look like a secret (`SecretValue`). Any text under
/// `password` is a secret; under `token`, any that is machine-made; under `key`, only a random one.
package enum SecretNames {
  package enum Strength: Int, Comparable {
    /// The user keeps the value and everything in it.
    case keep
    case none
    /// A random value is a secret.
    case maybe
    /// Any value is a secret except words, numbers and short texts.
    case likely
    /// Any value is a secret except words and numbers, however short.
    case key
    /// A value of digits is a secret too: a PIN, a one-time code.
    case code
    /// Any text is a secret.
    case strong
    /// The user hides the value, whatever it is.
    case hide

    package static func < (left: Strength, right: Strength) -> Bool { left.rawValue < right.rawValue }

    /// Whether it comes from one of the user's rules.
    var isRule: Bool { self == .keep || self == .hide }

    /// The strength when the name may be part of a sentence, or describes its value.
    var weaker: Strength {
      switch self {
      case .strong, .code: .likely
      case .key, .likely: .maybe
      case .maybe, .none: .none
      case .keep, .hide: self
      }
    }

    /// The strength for what lies deeper, under names of its own.
    var inherited: Strength {
      switch self {
      case .strong, .code: self
      case .key: .likely
      case .likely: .maybe
      case .maybe, .none, .keep, .hide: .none
      }
    }
  }

  package enum Place {
    case header
    /// A query, a form, and any other `name=value`.
    case pair
    /// JSON, XML and plain text.
    case member
  }

  package static func strength(of name: ArraySlice<UInt8>, in place: Place) -> Strength {
    guard mayBeSecret(name) else { return .none }
    // Names with a slash are paths: annotations in Kubernetes, mounts in Vault.
    if name.last == UInt8(ascii: "/") { return .none }
    let words = words(of: name)
    let strength = strength(of: words, in: place)
    if strength == .none { return isRunOn(words) ? .maybe : .none }
    return strength > .maybe && name.contains(UInt8(ascii: "/")) ? min(strength, .likely) : strength
  }

  package static func strength(of words: [String], in place: Place) -> Strength {
    guard let last = words.last, !describes(words) else { return .none }
    if last == "keys", words.count > 1 {
      return min(strength(of: words.dropLast() + ["key"], in: place), .likely)
    }
    // Keys and ids of secrets are made by machines.
    if last == "key" {
      if isAny(of: keyPairs, in: words) || isKeyField(words, in: place) { return .key }
      if isAny(of: likelyPairs, in: words) { return .likely }
    }
    if words.suffix(2) == ["secret", "id"] { return .likely }
    if words.contains(where: isStrong) || words.count > 1 && isStrongPair(in: words) { return .strong }
    if codes.contains(last) || words.contains("otp") || isAny(of: codePairs, in: words) { return .code }
    if last == "token" {
      if words.contains(where: cursors.contains) { return .none }
      // AWS fills it with a UUID, Vault with a token.
      if words.suffix(2) == ["client", "token"] { return .maybe }
    }
    if words.contains(where: isKey) || isAny(of: keyPairs, in: words) { return .key }
    if words.contains(where: isLikely) || isAny(of: likelyPairs, in: words) { return .likely }
    if isAny(of: randomPairs, in: words) { return .maybe }
    if place == .pair, words.count == 1 { return pairWords[last] ?? .none }
    if place == .member, words == ["plaintext"] { return .likely }
    return place == .pair && words == ["x", "amz", "credential"] ? .likely : .none
  }

  /// Whether a name holds a secret's in one long word, such as `loginpwd`.
  private static func isRunOn(_ words: [String]) -> Bool {
    guard !describes(words) else { return false }
    let letters = words.filter { word in !ordinaryWords.contains { word.hasPrefix($0) } }.joined()
    return runOn.contains { letters.contains($0) } && !cursors.contains { letters.contains($0) }
  }

  /// Whether a name tells something about a value instead of holding one: `token_type`, `password_policy`.
  package static func describes(_ name: ArraySlice<UInt8>) -> Bool { describes(words(of: name)) }

  /// Whether what stands below a name describes, as messages below `errors` do.
  static func mayDescribe(_ name: ArraySlice<UInt8>) -> Bool {
    name.count < maximumBytes
      && describers.contains(String(decoding: name.map(ASCII.lowercased), as: UTF8.self))
      || mayBeSecret(name) && describes(name)
  }

  private static func describes(_ words: [String]) -> Bool {
    guard let last = words.last else { return false }
    // An id is not a secret, but a session's id is, and so is Vault's `secret_id`.
    if last == "id" || last == "ids" {
      return !(words.contains("session") || words.contains("sess") || words.suffix(2) == ["secret", "id"])
    }
    if last == "sid" { return words.count > 1 && !words.contains("session") && !words.contains("connect") }
    // A hash of a password can be guessed from, a hash of a key cannot.
    if last == "hash", words.contains("key") { return true }
    return about.contains(last) || words.contains(where: digests.contains)
      || nonces.contains { words.suffix($0.count) == $0[...] }
  }

  /// Whether what stands under a name is the question that replaces a password.
  static func isRecoveryQuestion(_ name: ArraySlice<UInt8>) -> Bool {
    guard name.count >= 14 else { return false }
    let words = words(of: name)
    return ["question", "questions"].contains(words.last)
      && words.contains { ["challenge", "recovery", "secret", "security"].contains($0) }
  }

  /// Whether a `token` under a name is a page's: `{"cursor": {"token": "…"}}`.
  static func isCursor(_ name: ArraySlice<UInt8>) -> Bool {
    words(of: name).contains {
      ["continuation", "cursor", "delta", "page", "pagination", "sync"].contains($0)
    }
  }

  /// Whether a text holds a word for a secret in one of the languages.
  static func isNamed(in text: ArraySlice<UInt8>) -> Bool {
    let words = words(of: text)
    return words.contains(where: isStrong) || isAny(of: strongPairs, in: words)
      || words.contains { word in
        word.utf8.contains { $0 >= 0x80 } && foreign.contains { word.contains($0) }
      }
  }

  /// Whether a text is nothing but the word for a secret.
  static func isOneStrongWord(_ text: ArraySlice<UInt8>) -> Bool {
    let words = words(of: text)
    return words.count == 1 && strong.contains(words[0])
  }

  /// Whether a random segment behind this one of a path is a secret: `/password/reset/…`, `/magic/…`.
  static func isPrivatePath(_ segment: ArraySlice<UInt8>) -> Bool {
    segment.count < 16
      && privatePaths.contains(String(decoding: segment.map(ASCII.lowercased), as: UTF8.self))
  }

  /// Whether a header field is named after a key: `X-ClickHouse-Key`.
  private static func isKeyField(_ words: [String], in place: Place) -> Bool {
    place == .header && words.count > 1 && !ordinaryKeys.contains(words[words.count - 2])
  }

  /// Whether a name only wraps the value of the name above it: `{"password": {"S": "…"}}`.
  static func wraps(_ name: ArraySlice<UInt8>) -> Bool {
    wrappers.contains(
      String(decoding: name.filter(ASCII.isAlphanumeric).map(ASCII.lowercased), as: UTF8.self))
  }

  private static func isStrong(_ word: String) -> Bool {
    strong.contains(word) || word.count > 6 && strongEndings.contains(where: word.hasSuffix)
      || word.count > 4 && word.hasSuffix("pass") && passOwners.contains(String(word.dropLast(4)))
      || (word.utf8.last ?? 0) >= 0x80 && endsForeign(word)
  }

  private static func endsForeign(_ word: String) -> Bool {
    let verb = foreignVerbs.first { word.hasSuffix($0) }
    let stem = word.dropLast(verb?.count ?? 0)
    return foreign.contains { stem.hasSuffix($0) }
  }

  /// `mot de passe`, or `SMTP_PASS`.
  private static func isStrongPair(in words: [String]) -> Bool {
    isAny(of: strongPairs, in: words)
      || zip(words, words.dropFirst()).contains { $1 == "pass" && passOwners.contains($0) }
  }

  private static func isKey(_ word: String) -> Bool {
    oneWordKeys.contains(word) || keyEndings.contains { word.hasSuffix($0) }
  }

  private static func isLikely(_ word: String) -> Bool {
    if likely.contains(word) { return true }
    guard word.count > 5, word.hasSuffix("token") else { return false }
    return !cursors.contains(String(word.dropLast(5)))
  }

  private static func isAny(of pairs: Set<String>, in words: [String]) -> Bool {
    zip(words, words.dropFirst()).contains { pairs.contains("\($0) \($1)") }
  }

  // MARK: Words

  private static let maximumBytes = 80
  private static let maximumWords = 10

  /// The words of a name in lower case. `X-Api-Key`, `apiKey` and `API_KEY` all end with `api`, `key`.
  package static func words(of name: ArraySlice<UInt8>) -> [String] {
    var words: [String] = []
    var word: [UInt8] = []
    let name = name.suffix(maximumBytes)
    for index in name.indices {
      let byte = name[index]
      // Other scripts have no capitals here: the table holds both spellings where they have.
      let isLetter = ASCII.isLetter(byte) || byte >= 0x80
      if beginsWord(name, at: index) || !isLetter, !word.isEmpty {
        words.append(String(decoding: word, as: UTF8.self))
        word.removeAll(keepingCapacity: true)
      }
      if isLetter { word.append(ASCII.lowercased(byte)) }
    }
    if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
    return Array(words.suffix(maximumWords))
  }

  /// Whether a capital begins a word: after a small letter, or before one at the end of a run (`APIKey`).
  private static func beginsWord(_ name: ArraySlice<UInt8>, at index: Int) -> Bool {
    guard isCapital(name[index]), index > name.startIndex else { return false }
    let isAfterSmall = isSmall(name[index - 1])
    let isBeforeSmall = index + 1 < name.endIndex && isSmall(name[index + 1])
    return isAfterSmall || isCapital(name[index - 1]) && isBeforeSmall
  }

  private static func isCapital(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }
  private static func isSmall(_ byte: UInt8) -> Bool { byte &- 0x61 < 26 }
}
