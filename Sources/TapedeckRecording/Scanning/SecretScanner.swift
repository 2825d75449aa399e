import Glibc

/// Looks for secrets in what is about to be kept, and in what others have kept: a second pair of eyes, which shares
/// nothing with the redaction but the form of its placeholders.
///
/// Finds what has a known shape anywhere; what stands under a secret's name and looks made by a machine; the credentials
/// of `Authorization`, cookies and URLs; and the first of these within base64.
struct SecretScanner: Sendable {
  /// A secret and where it stands in the text.
  struct Raw {
    var range: Range<Int>
    var looksLike: String
  }

  /// How a value is named, as far as a name says that it is a secret.
  enum Naming { case none, likely, certain }

  private static let minimumEncodedBytes = 24
  private static let maximumDepth = 2
  private let kept: [Glob]
  private let patterns: [[SecretPattern]]

  /// - Parameter keep: names and kinds that the user does not want hidden.
  init(keep: [String] = []) {
    kept = keep.map(Glob.init)
    var patterns = [[SecretPattern]](repeating: [], count: 256)
    for pattern in SecretPattern.all {
      if let first = pattern.beginning.first { patterns[Int(first)].append(pattern) }
    }
    self.patterns = patterns
  }

  // MARK: Texts

  /// The secrets in a text.
  func scan(_ text: ArraySlice<UInt8>, depth: Int = 0) -> [Raw] {
    var found: [Raw] = []
    var index = text.startIndex
    var encodedEnd = index
    while index < text.endIndex {
      let byte = text[index]
      if let raw = shape(text, at: index) {
        found.append(raw)
        index = raw.range.upperBound
        continue
      }
      if index >= encodedEnd, LooseBase64.isDigit(byte) {
        let run = text[index...].prefix(while: LooseBase64.isDigit)
        encodedEnd = run.endIndex
        if depth < Self.maximumDepth, let raw = encoded(run, depth: depth) { found.append(raw) }
      }
      if byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") { found += assigned(text, at: index) }
      index += 1
    }
    return found
  }

  /// What has a known shape and begins at `index`.
  private func shape(_ text: ArraySlice<UInt8>, at index: Int) -> Raw? {
    let candidates = patterns[Int(text[index])]
    guard !candidates.isEmpty, index == text.startIndex || !Self.isWord(text[index - 1]) else { return nil }
    for pattern in candidates {
      if let end = pattern.end(in: text, at: index) {
        return Raw(range: index..<end, looksLike: pattern.looksLike)
      }
    }
    return nil
  }

  private func encoded(_ run: ArraySlice<UInt8>, depth: Int) -> Raw? {
    guard run.count >= Self.minimumEncodedBytes, let decoded = LooseBase64.decodedText(run),
      let inner = scan(decoded[...], depth: depth + 1).first
    else { return nil }
    return Raw(range: run.startIndex..<run.endIndex, looksLike: "\(inner.looksLike), in base64")
  }

  // MARK: Names

  /// The value behind a mark, if the word before it is a secret's name; the user information behind `://`.
  private func assigned(_ text: ArraySlice<UInt8>, at mark: Int) -> [Raw] {
    if text[mark...].starts(with: "://".utf8) { return userInformation(text, at: mark + 3) }
    var end = mark
    while end > text.startIndex, mark - end < 4, " \t\"'`\\".utf8.contains(text[end - 1]) { end -= 1 }
    var start = end
    while start > text.startIndex, end - start < 64, Self.isWord(text[start - 1]) || text[start - 1] == 0x2E {
      start -= 1
    }
    let naming = naming(text[start..<end])
    guard naming != .none else { return [] }
    let value = Self.value(text, from: mark + 1)
    // In a sentence a colon says little.
    let isQuoted = value.startIndex > text.startIndex && "\"'`".utf8.contains(text[value.startIndex - 1])
    let isSure = isQuoted || text[mark] == UInt8(ascii: "=")
    guard isSecret(value, isSure ? naming : .likely) else { return [] }
    return [Raw(range: value.startIndex..<value.endIndex, looksLike: Self.named)]
  }

  static let named = "a value under the name of a secret"

  private static func value(_ text: ArraySlice<UInt8>, from start: Int) -> ArraySlice<UInt8> {
    var rest = text[start...].prefix(4096).drop { " \t\"'`\\".utf8.contains($0) }
    // A list of YAML, as other recorders write header values.
    if rest.first == 0x0A || rest.first == 0x0D {
      let item = rest.drop { $0 <= 0x20 }
      if item.starts(with: "- ".utf8) { rest = item.dropFirst(2).drop { " \"'".utf8.contains($0) } }
    }
    if let scheme = scheme(of: rest) { rest = rest[scheme...] }
    return rest.prefix { $0 > 0x20 && !"&;,\"'`<>()[]{}|\\".utf8.contains($0) }
  }

  /// Behind `Bearer ` and its like.
  private static func scheme(of value: ArraySlice<UInt8>) -> Int? {
    for scheme in ["Bearer ", "Basic ", "Token ", "bearer ", "basic "] where value.starts(with: scheme.utf8) {
      return value.startIndex + scheme.utf8.count
    }
    return nil
  }

  private func userInformation(_ text: ArraySlice<UInt8>, at start: Int) -> [Raw] {
    let authority = text[start...].prefix(300).prefix {
      $0 > 0x20 && !"/?#\"'<>\\`,;(){}[]|".utf8.contains($0)
    }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")),
      let colon = authority[..<at].firstIndex(of: UInt8(ascii: ":")), colon + 1 < at
    else { return [] }
    let password = text[(colon + 1)..<at]
    guard !Self.isHidden(authority), password.count > 3, !password.elementsEqual("x-oauth-basic".utf8) else {
      return []
    }
    return [Raw(range: colon + 1..<at, looksLike: "the password of a URL")]
  }

  /// Whether a value is one that must not be kept under such a name.
  func isSecret(_ value: ArraySlice<UInt8>, _ naming: Naming) -> Bool {
    guard naming != .none, !Self.isHidden(value), value.count >= 4 else { return false }
    let flags = ["true", "false", "null", "none", "undefined"].map { Array($0.utf8) }
    if flags.contains(value.map(Bytes.lowercased)) || Set(value).count < 3 { return false }
    if naming == .certain { return true }
    let digits = value.count { $0 &- 0x30 < 10 }
    let letters = value.count { ($0 | 0x20) &- 0x61 < 26 }
    guard value.count >= 8, letters > 0, !value.contains(0x20), !value.starts(with: "http".utf8) else {
      return false
    }
    if digits == 0 { return value.count >= 20 && Self.entropy(value) > 4 && Self.changesCase(value) }
    return Self.entropy(value) > (value.count < 16 ? 2.7 : 3) && digits * 12 >= value.count
      && !Self.isDate(value)
      && !Self.isName(value)
  }

  static func isHidden(_ value: ArraySlice<UInt8>) -> Bool {
    ByteSearch.first(Array("REDACTED:".utf8), in: value) != nil
  }

  /// In bits for each byte.
  static func entropy(_ value: ArraySlice<UInt8>) -> Double {
    var counts = [Int](repeating: 0, count: 256)
    for byte in value { counts[Int(byte)] += 1 }
    return counts.reduce(0) { sum, count in
      let share = Double(count) / Double(value.count)
      return count == 0 ? sum : sum - share * log2(share)
    }
  }

  private static func changesCase(_ value: ArraySlice<UInt8>) -> Bool {
    zip(value, value.dropFirst()).count { $0 &- 0x61 < 26 && $1 &- 0x41 < 26 } > 2
  }

  private static func isDate(_ value: ArraySlice<UInt8>) -> Bool {
    value.starts(with: "20".utf8) && value.allSatisfy { $0 &- 0x30 < 10 || "-:.TZ+/".utf8.contains($0) }
  }

  /// Words with a number at the end of one: `HMAC-SHA256`, `api-v2`.
  private static func isName(_ value: ArraySlice<UInt8>) -> Bool {
    value.split { !(($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10) }.allSatisfy { word in
      word.count <= 16 && !word.drop { ($0 | 0x20) &- 0x61 < 26 }.contains { ($0 | 0x20) &- 0x61 < 26 }
    } && value.count { $0 &- 0x30 < 10 } <= 4
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == 0x5F || byte == 0x2D
  }
}

// MARK: - What names say

extension SecretScanner {
  private static let certain = [
    "password", "passwd", "passphrase", "secret", "privatekey", "apikey", "accesstoken", "refreshtoken",
  ]
  private static let likely = [
    "token", "credential", "session", "signature", "apikey", "accesskey", "authkey", "csrf", "jwt", "pwd",
  ]
  private static let harmless = [
    "type", "expires", "expiry", "in", "at", "url", "uri", "endpoint", "name", "count", "limit", "policy",
    "method", "version",
    "algorithm", "status", "duration", "timeout", "length", "scope", "required", "arn", "headers", "hint",
    "age", "rotation",
  ]
  private static let cursors = [
    "next", "page", "continuation", "cursor", "sync", "skip", "marker", "starting", "previous",
  ]

  /// What a name says, whatever its spelling: `X-Api-Key`, `apiKey`, `api_key`.
  func naming(_ name: ArraySlice<UInt8>) -> Naming {
    guard name.count > 2, name.count < 100, !kept.contains(where: { $0.matches(name) }) else { return .none }
    let plain = String(
      decoding: name.filter { ($0 | 0x20) &- 0x61 < 26 }.map(Bytes.lowercased), as: UTF8.self)
    if Self.harmless.contains(where: plain.hasSuffix)
      || plain.hasSuffix("id") && !plain.hasSuffix("sessionid")
    {
      return .none
    }
    if Self.certain.contains(where: plain.hasSuffix) { return .certain }
    if Self.cursors.contains(where: plain.contains) { return .none }
    return Self.likely.contains(where: plain.contains) || plain == "auth" ? .likely : .none
  }

  func keepsName(_ name: [UInt8]) -> Bool { kept.contains { $0.matches(name[...]) } }

  func keeps(kind: String) -> Bool { kept.contains { $0.matches(Array(kind.utf8)[...]) } }
}
