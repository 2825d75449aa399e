import TapedeckHTTP

/// Names followed by values, and the user information of URLs.
extension TextScan {
  /// Reads `name=value`, with or without quotes and blanks, and `'name' => 'value'`.
  mutating func readAssignment() {
    let next = byte(at: index + 1)
    guard next != UInt8(ascii: "="), let name = nameBefore(index) else {
      index += 1
      return
    }
    if next == UInt8(ascii: ">") { return readArrow(name.range) }
    let isParameter = byte(at: name.range.lowerBound - 1).map {
      $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "#")
    }
    readValue(named: name.range, in: .pair, isSure: true, isParameter: isParameter ?? false)
  }

  /// `'password' => '…'` in PHP, Perl and Ruby. A value without quotes is code.
  private mutating func readArrow(_ name: Range<Int>) {
    index += 2
    let start = text[index...].prefix(16).drop(while: ASCII.isBlank).startIndex
    guard let quote = byte(at: start), Self.isQuote(quote) else { return }
    index -= 1
    readValue(named: name, in: .member, isSure: true)
  }

  /// Reads `"name": "value"`, `name: value`, `name := "value"`, or the `://` of a URL.
  mutating func readColon() {
    if byte(at: index + 1) == UInt8(ascii: "/"), byte(at: index + 2) == UInt8(ascii: "/") {
      return readAuthority()
    }
    // `userPassword:: …` has base64 (RFC 2849).
    let isDouble = byte(at: index + 1) == UInt8(ascii: ":") && byte(at: index + 2) == ASCII.space
    if !isDouble, byte(at: index + 1) == UInt8(ascii: ":") {
      index += 2
      return
    }
    // `arn:…:secret:name` has no names.
    guard let name = nameBeforeVerb(index) ?? nameBefore(index),
      byte(at: name.range.lowerBound - 1) != UInt8(ascii: ":")
    else {
      index += 1
      return
    }
    if isDouble || byte(at: index + 1) == UInt8(ascii: "=") {
      index += 1
      return readValue(named: name.range, in: .member, isSure: true)
    }
    readValue(named: name.range, in: .member, isSure: name.isQuoted)
  }

  /// Reads `密码：…`, with the colon of East Asian scripts (U+FF1A).
  mutating func readWideColon() {
    guard byte(at: index + 1) == 0xBC, byte(at: index + 2) == 0x9A, let name = nameBefore(index) else {
      index += 1
      return
    }
    index += 2
    readValue(named: name.range, in: .member, isSure: name.isQuoted)
  }

  /// The name that ends before a mark, if it can have a verdict.
  func nameBefore(_ mark: Int) -> (range: Range<Int>, isQuoted: Bool)? {
    var end = mark
    while end > text.startIndex, mark - end < 4, ASCII.isBlank(text[end - 1]) { end -= 1 }
    var isQuoted = false
    if end > text.startIndex, Self.isQuote(text[end - 1]) {
      isQuoted = true
      end -= 1
      if end > text.startIndex, text[end - 1] == UInt8(ascii: "\\") { end -= 1 }
    }
    var start = end
    while start > text.startIndex, end - start < Self.maximumNameBytes, Self.isName(text[start - 1]),
      text[start - 1] < 0x80 || !isMark(before: start)
    {
      start -= 1
    }
    guard start < end else { return nil }
    start = firstWord(before: start, in: start..<end)
    let range = start..<end
    guard mayJudge(text[range]) else { return nil }
    return (range, isQuoted)
  }

  /// Whether a dash, a quotation mark or another mark ends at a place, which is no part of a name: U+0080–U+00BF,
  /// U+2000–U+203F, U+3000–U+303F.
  private func isMark(before end: Int) -> Bool {
    if byte(at: end - 2) == 0xC2 { return true }
    return byte(at: end - 2) == 0x80 && (byte(at: end - 3) == 0xE2 || byte(at: end - 3) == 0xE3)
  }

  private static let verbs: [StaticString] = [
    "is", "ist", "lautet", "est", "es", "é", "è", "jest", "är", "er", "on", "to",
  ]

  static func isVerb(_ word: ArraySlice<UInt8>) -> Bool {
    (2...6).contains(word.count) && verbs.contains { ASCII.equal(word, lowercase: $0) }
  }

  /// The name in `your password is: …`, `Ihr Passwort lautet: …`.
  private func nameBeforeVerb(_ mark: Int) -> (range: Range<Int>, isQuoted: Bool)? {
    // French has a blank before the colon.
    let end = byte(at: mark - 1) == ASCII.space ? mark - 1 : mark
    let count = text[..<end].suffix(8).reversed().prefix { $0 &- 0x61 < 26 || $0 >= 0x80 }.count
    let verb = text[(end - count)..<end]
    guard byte(at: end - count - 1) == ASCII.space,
      Self.isVerb(verb), let name = nameBefore(end - count - 1), !name.isQuoted
    else { return nil }
    return name
  }

  /// The beginning of a name of two words: `backup codes`, `seed phrase`.
  private func firstWord(before start: Int, in word: Range<Int>) -> Int {
    guard (3...6).contains(word.count), start > text.startIndex, text[start - 1] == ASCII.space,
      Self.lastWords.contains(where: { ASCII.equal(text[word], lowercase: $0) })
    else { return start }
    let before = text[..<(start - 1)].suffix(16).reversed().prefix(while: ASCII.isLetter).count
    let first = text[(start - 1 - before)..<(start - 1)]
    return Self.firstWords.contains { ASCII.equal(first, lowercase: $0) } ? first.startIndex : start
  }

  private static let firstWords: [StaticString] = [
    "access", "api", "backup", "de", "private", "recovery", "scratch", "security", "seed", "secret",
    "signing",
  ]
  private static let lastWords: [StaticString] = ["code", "codes", "key", "passe", "phrase"]

  /// Whether a name can have a verdict, or its values have their own syntax.
  func mayJudge(_ name: ArraySlice<UInt8>) -> Bool {
    search.policy.hasNameRules || SecretNames.mayBeSecret(name) || FieldKind(name) != .other
  }

  private static func isName(_ byte: UInt8) -> Bool {
    ASCII.isWord(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
      || byte == UInt8(ascii: "$") || byte >= 0x80
  }

  static func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`")
  }

  /// Judges the value after the mark at `index`.
  /// - Parameters:
  ///   - isSure: whether the text before the mark cannot be a word of a sentence.
  ///   - isParameter: whether it is a URL parameter, whose value ends at the fragment.
  private mutating func readValue(
    named name: Range<Int>, in place: SecretNames.Place, isSure: Bool, isParameter: Bool = false
  ) {
    let mark = index
    index += 1
    if FieldKind(text[name]) != .other { return readField(named: name) }
    let verdict = search.policy.verdict(on: text[name], in: place)
    if verdict > .none, !verdict.isRule,
      readBelow(name, behind: mark, verdict) || readWords(name, behind: mark, verdict)
    {
      return
    }
    let (start, hasScheme) = valueStart(behind: mark)
    if !hasScheme, closesQuote(at: start, before: name.lowerBound) { return }
    let rest = text[start...].prefix(Self.maximumValueBytes)
    let fragment = isParameter ? rest.firstIndex(of: UInt8(ascii: "#")) : nil
    let range = Self.value(in: text[..<(fragment ?? text.endIndex)], from: start)
    let isQuoted = range.lowerBound > start && Self.isQuote(text[range.lowerBound - 1])
    var strength = verdict
    if !verdict.isRule {
      if isOrdinary(text[range]) { return }
      if !isQuoted {
        strength = unquoted(verdict, of: range, behind: mark, isSure: isSure, hasScheme: hasScheme)
      }
    }
    if strength == .keep {
      index = max(index, range.upperBound)
      return
    }
    let isEscaped = text[range].contains(UInt8(ascii: "\\"))
    _ = addValue(
      range, named: name, strength, in: isQuoted || isEscaped ? .json : place == .pair ? .path : .plain)
  }

  /// Adds a find for a value if it is a secret, and moves behind it; returns whether it is one, or a placeholder.
  mutating func addValue(
    _ range: Range<Int>, named name: Range<Int>, _ verdict: SecretNames.Strength,
    in encoding: DecodedText.Encoding = .plain
  ) -> Bool {
    if !range.isEmpty, let end = Placeholder.end(in: text, at: range.lowerBound) {
      index = max(index, end)
      return true
    }
    let decoded = DecodedText(text[range], encoding)
    guard search.isSecret(decoded.bytes, under: verdict),
      let find = search.find(range, decoded.bytes, SecretSearch.named, named: text[name])
    else { return false }
    finds.add(find)
    index = max(index, range.upperBound)
    return true
  }

  /// Whether a value stands for one, in code, templates and manuals.
  func isOrdinary(_ value: ArraySlice<UInt8>) -> Bool {
    OrdinaryText.isReference(value) || OrdinaryText.isKeyword(value)
  }

  /// The strength for a value without quotes, which may be a word of a sentence or of a program.
  private func unquoted(
    _ strength: SecretNames.Strength, of range: Range<Int>, behind mark: Int, isSure: Bool, hasScheme: Bool
  ) -> SecretNames.Strength {
    let value = text[range]
    if strength <= .none { return strength }
    if text[mark] != UInt8(ascii: ":") || !isSure {
      let isSpaced = byte(at: mark - 1) == ASCII.space && byte(at: mark + 1) == ASCII.space
      if OrdinaryText.isExpression(value, before: byte(at: range.upperBound), isSpaced: isSpaced) {
        return .none
      }
    }
    if strength < .code, OrdinaryText.isFile(value) { return .none }
    if hasScheme { return OrdinaryText.isFiller(value) || followsWord(range) ? strength.weaker : .strong }
    if OrdinaryText.isMade(value) { return strength }
    return isSure && !OrdinaryText.continues(text[range.upperBound...]) ? strength : strength.weaker
  }

  /// Whether a sentence goes on behind a value.
  private func followsWord(_ range: Range<Int>) -> Bool {
    byte(at: range.upperBound) == ASCII.space && byte(at: range.upperBound + 1).map(ASCII.isLetter) ?? false
      && !OrdinaryText.isMade(text[range])
  }

  /// Whether a quote closes what was opened before the name, as in `ask("Password: ")`.
  private func closesQuote(at start: Int, before name: Int) -> Bool {
    let place = text[start...].prefix(16).drop(while: ASCII.isBlank).startIndex
    guard let quote = byte(at: place), Self.isQuote(quote) else { return false }
    if let next = byte(at: place + 1), !",;)]}".utf8.contains(next), !ASCII.isSpace(next) { return false }
    let line = text[..<name].suffix(Self.maximumNameBytes).reversed().prefix { $0 != ASCII.lineFeed }
    return line.count { $0 == quote } % 2 == 1
  }

  private static let schemes = ["Bearer ", "Basic ", "Token ", "bearer ", "basic "]

  /// Where the value after a mark may begin, behind a scheme if it has one.
  private func valueStart(behind mark: Int) -> (start: Int, hasScheme: Bool) {
    let start = itemStart(behind: mark)
    let rest = text[start...].prefix(Self.maximumSkippedBytes).drop {
      ASCII.isBlank($0) || Self.isQuote($0) || $0 == UInt8(ascii: "\\")
    }
    let scheme = Self.schemes.first { rest.starts(with: $0.utf8) }
    return scheme.map { (rest.startIndex + $0.utf8.count, true) } ?? (start, false)
  }

  /// The place after a YAML list's first hyphen, where other recorders put field values; else the mark's.
  private func itemStart(behind mark: Int) -> Int {
    let rest = text[(mark + 1)...].prefix(Self.maximumSkippedBytes).drop(while: ASCII.isBlank)
    guard rest.first == ASCII.lineFeed || rest.first == ASCII.carriageReturn else { return mark + 1 }
    let item = rest.drop(while: ASCII.isSpace)
    return item.starts(with: "- ".utf8) ? item.startIndex + 2 : mark + 1
  }

  private static let maximumSkippedBytes = 256

  /// Reads a header line within a text: `Authorization: Bearer …`.
  private mutating func readField(named name: Range<Int>) {
    let rest = text[itemStart(behind: index - 1)...]
    let blank = rest.prefix(16).firstIndex { !ASCII.isBlank($0) && $0 != UInt8(ascii: "\\") }
    guard let blank else { return }
    // `"Authorization": "…"` and `"Authorization: …"` end with the quote they begin with.
    let isQuoted = Self.isQuote(text[blank])
    let opening = isQuoted ? blank : name.lowerBound - 1
    let start = isQuoted ? blank + 1 : blank
    addField(start..<fieldEnd(from: start, openedAt: opening), named: name)
  }

  /// Adds the finds in the value of a field. In prose, `Authorization: see chapter 3` is none.
  mutating func addField(_ range: Range<Int>, named name: Range<Int>) {
    let value = text[range]
    if FieldKind(text[name]) == .authorization, isProse(value) { return }
    let decoded = DecodedText(value, .json)
    finds.add(
      decoded.encoded(
        search.finds(in: decoded.bytes, named: text[name], in: .header, depth: Self.maximumDepth)))
    index = max(index, value.endIndex)
  }

  /// Whether a value names no credentials: a sentence, or what a manual writes in their place.
  private func isProse(_ value: ArraySlice<UInt8>) -> Bool {
    let words = value.split(maxSplits: 40, whereSeparator: ASCII.isSpace)
    guard let first = words.first else { return true }
    let hasScheme = Self.schemes.contains { value.starts(with: $0.utf8) }
    // The first of several words may be any scheme: `ApiKey …`.
    let credentials = words.count > 1 ? words[1] : first
    if isOrdinary(credentials.prefix { !")]}\"'`,;".utf8.contains($0) || $0 == UInt8(ascii: "}") }) {
      return true
    }
    if hasScheme { return words.count > 2 && OrdinaryText.isFiller(credentials) }
    if words.contains(where: {
      $0.count >= SecretValue.minimumLikelyBytes && OrdinaryText.isMade($0)
        && !Placeholder.isMentioned(in: $0)
    }) {
      return false
    }
    return words.count > 2 || words.count == 2 && OrdinaryText.isFiller(first)
  }

  /// The end of a quoted value: the next quote with no more backslashes before it, or the end of the line.
  private func fieldEnd(from start: Int, openedAt opening: Int) -> Int {
    let rest = text[start...].prefix(Self.maximumValueBytes).prefix { $0 >= 0x20 && $0 != UInt8(ascii: "<") }
    guard let quote = byte(at: opening), Self.isQuote(quote) else { return rest.endIndex }
    let level = backslashes(before: opening)
    let end = rest.indices.first { rest[$0] == quote && backslashes(before: $0) <= level }
    return end.map { max(start, $0 - backslashes(before: $0)) } ?? rest.endIndex
  }

  private func backslashes(before index: Int) -> Int {
    text[..<index].suffix(8).reversed().prefix { $0 == UInt8(ascii: "\\") }.count
  }

  /// The value at `start`: the text in quotes, or everything up to a character that ends a value.
  static func value(in text: ArraySlice<UInt8>, from start: Int) -> Range<Int> {
    var start = start
    let limit = text.index(start, offsetBy: 16, limitedBy: text.endIndex) ?? text.endIndex
    while start < limit, ASCII.isBlank(text[start]) { start += 1 }
    guard start < text.endIndex else { return start..<start }
    // N'…' in SQL, b"…" in Python.
    if start + 1 < text.endIndex,
      text[start + 1] == UInt8(ascii: "'") || text[start + 1] == UInt8(ascii: "\""),
      ASCII.isLetter(text[start])
    {
      start += 1
    }
    if text[start] == UInt8(ascii: "\\"), start + 1 < text.endIndex, isQuote(text[start + 1]) {
      let rest = text[(start + 2)...].prefix(maximumValueBytes)
      return start + 2..<(rest.firstIndex { $0 == UInt8(ascii: "\\") || $0 == 0x0A } ?? rest.endIndex)
    }
    if isQuote(text[start]) {
      if let end = closing(text[start], in: text, from: start + 1) { return start + 1..<end }
      start += 1
      // The text is cut off within the quotes.
      let cut = text[start...].prefix(maximumValueBytes)
      if cut.endIndex == text.endIndex, !cut.contains(ASCII.lineFeed) { return start..<text.endIndex }
    }
    let rest = text[start...].prefix(maximumValueBytes)
    var end = rest.firstIndex(where: endsValue)
    while let mark = end, text[mark] == UInt8(ascii: "&"), !opensPair(rest[(mark + 1)...]) {
      end = rest[(mark + 1)...].firstIndex(where: endsValue)
    }
    return start..<(end ?? rest.endIndex)
  }

  /// Whether a pair follows an `&`, which then ends the value before it.
  private static func opensPair(_ rest: ArraySlice<UInt8>) -> Bool {
    let name = rest.prefix(maximumNameBytes).prefix(while: isName)
    let mark = name.endIndex < rest.endIndex ? rest[name.endIndex] : nil
    return !name.isEmpty && (mark == UInt8(ascii: "=") || mark == UInt8(ascii: ";"))
  }

  private static func closing(_ quote: UInt8, in text: ArraySlice<UInt8>, from start: Int) -> Int? {
    var index = start
    let limit = min(text.endIndex, start + maximumValueBytes)
    while index < limit {
      if text[index] == quote { return index }
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  private static func endsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case ...0x20, 0x7F, UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "\""),
      UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "("),
      UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"),
      UInt8(ascii: "|"), UInt8(ascii: "\\"):
      true
    default: false
    }
  }

  // MARK: URLs

  /// Reads the user information of a URL (RFC 3986 §3.2.1). The user name is no secret if a password follows.
  private mutating func readAuthority() {
    let start = index + 3
    index = start
    let authority = text[start...].prefix(Self.maximumAuthorityBytes).prefix {
      !Self.endsAuthority($0)
    }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return }
    let userStart = Placeholder.end(in: text, at: start) ?? start
    let user = authority[..<(authority[userStart..<at].firstIndex(of: UInt8(ascii: ":")) ?? at)]
    let password = user.endIndex < at ? authority[(user.endIndex + 1)..<at] : authority[at..<at]
    let isNamed = !password.isEmpty && !Self.isFiller(password)
    if SecretValue.isSecret(user, under: isNamed ? .maybe : .likely) { addPart(user, "the user of a URL") }
    if isNamed { addPart(password, "the password of a URL") }
    index = at
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    switch byte {
    case ...0x20, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): true
    default: byte != UInt8(ascii: "&") && byte != 0x7F && endsValue(byte)
    }
  }

  private mutating func addPart(_ part: ArraySlice<UInt8>, _ looksLike: String) {
    let decoded = DecodedText(part, .path).bytes
    guard !SecretValue.isWorthless(decoded) else { return }
    finds.add(search.find(part.startIndex..<part.endIndex, decoded, looksLike))
  }

  /// Whether a password is a filler because the token is the user name.
  private static func isFiller(_ password: ArraySlice<UInt8>) -> Bool {
    password.elementsEqual("x-oauth-basic".utf8) || password.elementsEqual("x".utf8)
  }
}
