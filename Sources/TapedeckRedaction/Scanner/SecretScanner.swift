import Glibc
internal import TapedeckHTTP

/// Looks for secrets in what is about to be kept, and in what others have kept: a second pair of eyes, which shares
/// nothing with the redaction but the form of its placeholders.
///
/// Finds what has a known shape anywhere; what stands under a secret's name and looks made by a machine; the credentials
/// of `Authorization`, cookies and URLs; and the first of these within base64.
package struct SecretScanner: Sendable {
  /// A secret and where it stands in the text.
  package struct Raw {
    package var range: Range<Int>
    var looksLike: String
    /// The name it stands under, where a name gave it away.
    var name: ArraySlice<UInt8> = []
    /// The secret itself, where the range is that of base64 around it.
    var encoded: [UInt8]?
  }

  /// How a value is named, as far as a name says that it is a secret.
  package enum Naming { case none, likely, certain }

  private static let minimumEncodedBytes = 24
  private static let maximumDepth = 2
  private static let maximumValueBytes = 1024
  private static let minimumKeyBytes = 40
  private static let maximumKeyBytes = 64 * 1024
  private let kept: [Glob]
  private let patterns: [[SecretPattern]]

  /// - Parameter keep: names and kinds that the user does not want hidden.
  package init(keep: [String] = []) {
    kept = keep.map(Glob.init)
    var patterns = [[SecretPattern]](repeating: [], count: 256)
    for pattern in SecretPattern.all {
      if let first = pattern.beginning.first { patterns[Int(first)].append(pattern) }
    }
    self.patterns = patterns
  }

  // MARK: Texts

  /// The secrets in a text.
  package func scan(_ text: ArraySlice<UInt8>, depth: Int = 0) -> [Raw] {
    var found: [Raw] = []
    var index = text.startIndex
    var encodedEnd = index
    var judged = Judged()
    while index < text.endIndex {
      let byte = text[index]
      if let end = Placeholder.end(in: text, at: index) {
        index = end
        continue
      }
      if let raw = shape(text, at: index) {
        found.append(raw)
        index = raw.range.upperBound
        continue
      }
      if index >= encodedEnd, LooseBase64.isDigit(byte) {
        let digits = text[index...].prefix(while: LooseBase64.isDigit)
        encodedEnd = digits.endIndex
        let padding = text[encodedEnd...].prefix((4 - digits.count % 4) % 4).prefix {
          $0 == UInt8(ascii: "=")
        }
        let run = text[index..<padding.endIndex]
        if depth < Self.maximumDepth, let raw = encoded(run, depth: depth) { found.append(raw) }
      }
      index += 1
      guard byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") else { continue }
      switch assigned(text, at: index - 1, &judged) {
      case .nothing: break
      case .kept(let end): index = max(index, end)
      case .secret(let raw):
        found.append(raw)
        index = max(index, raw.range.upperBound)
      }
    }
    return found
  }

  /// What has a known shape and begins at `index`.
  private func shape(_ text: ArraySlice<UInt8>, at index: Int) -> Raw? {
    let candidates = patterns[Int(text[index])]
    guard !candidates.isEmpty, index == text.startIndex || !Self.isWord(text[index - 1]) else { return nil }
    for pattern in candidates {
      guard var end = pattern.end(in: text, at: index) else { continue }
      if pattern.isOpening {
        guard let keyEnd = Self.keyEnd(text, behind: end) else { continue }
        end = keyEnd
      }
      if keepsKind(of: text, at: index) { return nil }
      return Raw(range: index..<end, looksLike: pattern.looksLike)
    }
    return nil
  }

  /// Where a private key ends whose first line has been read; nil when no key follows, as in a text about them.
  private static func keyEnd(_ text: ArraySlice<UInt8>, behind start: Int) -> Int? {
    let window = text[start...].prefix(maximumKeyBytes)
    if let closing = ByteSearch.first(Array("-----END ".utf8), in: window) {
      let label = text[(closing + 9)...].prefix(64)
      let dashes = ByteSearch.first(Array("-----".utf8), in: label)
      return closing - start >= minimumKeyBytes ? dashes.map { $0 + 5 } ?? closing + 9 : nil
    }
    let key = window.prefix { ASCII.isSpace($0) || LooseBase64.isDigit($0) || "\\=:,".utf8.contains($0) }
    return key.count >= minimumKeyBytes ? key.endIndex : nil
  }

  private func keepsKind(of text: ArraySlice<UInt8>, at index: Int) -> Bool {
    guard !kept.isEmpty, let kind = TokenShapes.match(text, at: index)?.kind else { return false }
    return kept.contains { $0.matches(Array(kind.utf8)[...]) }
  }

  private func encoded(_ run: ArraySlice<UInt8>, depth: Int) -> Raw? {
    guard run.count >= Self.minimumEncodedBytes, let outer = EncodedText(run),
      let inner = scan(outer.text[...], depth: depth + 1).first
    else { return nil }
    return Raw(
      range: run.startIndex..<run.endIndex, looksLike: "\(inner.looksLike), in base64",
      encoded: Array(outer.text[inner.range]))
  }

  // MARK: Names

  /// What a mark between a name and a value gives away.
  private enum Assignment {
    case nothing
    /// A value that is not to be looked at, with its end.
    case kept(Int)
    case secret(Raw)
  }

  /// How often a stretch without an end was taken for a value: `token=token=token=…` is not read again at every mark.
  private struct Judged {
    static let most = 8
    var end = 0
    var count = 0

    func mayJudge(at mark: Int) -> Bool { mark >= end || count < Self.most }

    mutating func note(_ value: ArraySlice<UInt8>) {
      count = value.startIndex < end ? count + 1 : 1
      end = value.endIndex
    }
  }

  /// The value behind a mark, if the word before it is a secret's name; the password behind `://`.
  private func assigned(_ text: ArraySlice<UInt8>, at mark: Int, _ judged: inout Judged) -> Assignment {
    if text[mark...].starts(with: "://".utf8) {
      return password(text, at: mark + 3).map(Assignment.secret) ?? .nothing
    }
    var end = mark
    while end > text.startIndex, mark - end < 4, " \t\"'`\\".utf8.contains(text[end - 1]) { end -= 1 }
    var start = end
    while start > text.startIndex, end - start < 64, Self.isWord(text[start - 1]) || text[start - 1] == 0x2E {
      start -= 1
    }
    let name = text[start..<end]
    if name.count < 2 { return .nothing }
    if keepsName(name) { return .kept(Self.value(text, from: mark + 1).endIndex) }
    guard judged.mayJudge(at: mark), isFieldName(Array(name)) else { return .nothing }
    let naming = naming(name)
    var value = Self.value(text, from: mark + 1)
    judged.note(value)
    switch FieldKind(name) {
    case .cookie, .setCookie: value = value.drop { $0 != UInt8(ascii: "=") }.dropFirst()
    case .authorization, .challenge, .other: break
    }
    // In a sentence a colon says little, and in a program the right side of an assignment is not always a value.
    let isQuoted = value.startIndex > text.startIndex && "\"'`".utf8.contains(text[value.startIndex - 1])
    let isSure = isQuoted || text[mark] == UInt8(ascii: "=") && !Self.isCode(text, value, behind: mark)
    guard isSecret(value, isSure && naming != .none ? naming : .likely) else { return .nothing }
    return .secret(Raw(range: value.startIndex..<value.endIndex, looksLike: Self.named, name: name))
  }

  /// Whether an unquoted value is rather a name in a program: blanks before it, a bracket or a full stop behind a word.
  private static func isCode(_ text: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>, behind mark: Int) -> Bool
  {
    if value.startIndex > mark + 1 || text[..<mark].last == 0x20 { return true }
    if value.endIndex < text.endIndex, "([{".utf8.contains(text[value.endIndex]) { return true }
    return value.split(separator: UInt8(ascii: ".")).count > 1 && !value.contains(where: ASCII.isDigit)
  }

  static let named = "a value under the name of a secret"

  private static func value(_ text: ArraySlice<UInt8>, from start: Int) -> ArraySlice<UInt8> {
    var rest = text[start...].prefix(maximumValueBytes).drop { " \t\"'`\\".utf8.contains($0) }
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

  private func password(_ text: ArraySlice<UInt8>, at start: Int) -> Raw? {
    let authority = text[start...].prefix(300).prefix {
      $0 > 0x20 && !"/?#\"'<>\\`,;(){}[]|".utf8.contains($0)
    }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")),
      let colon = authority[..<at].firstIndex(of: UInt8(ascii: ":")), colon + 1 < at
    else { return nil }
    let password = text[(colon + 1)..<at]
    guard !Self.isHidden(authority), password.count > 3, !password.elementsEqual("x-oauth-basic".utf8) else {
      return nil
    }
    return Raw(range: colon + 1..<at, looksLike: "the password of a URL")
  }

  /// Whether a value is one that must not be kept under such a name.
  package func isSecret(_ value: ArraySlice<UInt8>, _ naming: Naming) -> Bool {
    guard naming != .none, !Self.isHidden(value), value.count >= 4 else { return false }
    if value.count < 10, Self.flags.contains(value.map(ASCII.lowercased)) { return false }
    // A mask like `****`, or two bytes in turns.
    let other = value.first { $0 != value.first }
    if !value.contains(where: { $0 != value.first && $0 != other }) { return false }
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

  private static let flags = ["true", "false", "null", "none", "undefined"].map { Array($0.utf8) }

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
  private static let certain = words(
    "password passwd passphrase secret privatekey apikey accesstoken refreshtoken")
  private static let likely = words(
    "token credential session signature apikey accesskey authkey csrf jwt pwd")
  private static let harmless = words(
    "type expires expiry in at url uri endpoint name count limit policy method version algorithm status "
      + "duration timeout length scope required arn headers hint age rotation")
  private static let cursors = words("next page continuation cursor sync skip marker starting previous")

  private static func words(_ text: String) -> [[UInt8]] {
    text.utf8.split(separator: 0x20).map { Array($0) }
  }

  /// What a name says, whatever its spelling: `X-Api-Key`, `apiKey`, `api_key`.
  package func naming(_ name: ArraySlice<UInt8>) -> Naming {
    guard name.count > 2, name.count < 100, !keepsName(name) else { return .none }
    let plain = name.filter(ASCII.isLetter).map(ASCII.lowercased)
    if Self.harmless.contains(where: { Self.ends(plain, with: $0) }) { return .none }
    if plain.suffix(2).elementsEqual("id".utf8), !plain.suffix(9).elementsEqual("sessionid".utf8) {
      return .none
    }
    if Self.certain.contains(where: { Self.ends(plain, with: $0) }) { return .certain }
    guard Self.likely.contains(where: { Self.contains(plain, $0) }) || plain.elementsEqual("auth".utf8)
    else { return .none }
    return Self.cursors.contains { Self.contains(plain, $0) } ? .none : .likely
  }

  private static func ends(_ name: [UInt8], with word: [UInt8]) -> Bool {
    name.count >= word.count && name.suffix(word.count).elementsEqual(word)
  }

  private static func contains(_ name: [UInt8], _ word: [UInt8]) -> Bool {
    guard name.count >= word.count else { return false }
    return (0...(name.count - word.count)).contains { name[$0...].starts(with: word) }
  }

  /// Whether the user does not want it hidden.
  package func keepsName(_ name: ArraySlice<UInt8>) -> Bool {
    !kept.isEmpty && kept.contains { $0.matches(name) }
  }
}
