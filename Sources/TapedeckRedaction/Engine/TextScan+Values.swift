import TapedeckHTTP

/// Names with values behind them, and the user information of URLs.
extension TextScan {
  /// `name=value`, with or without quotes and blanks.
  mutating func readAssignment() {
    let next = byte(at: index + 1)
    guard next != UInt8(ascii: "="), next != UInt8(ascii: ">"), let name = nameBefore(index) else {
      index += 1
      return
    }
    let isParameter = byte(at: name.range.lowerBound - 1).map {
      $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&")
    }
    readValue(named: name.range, in: .pair, isSure: true, isParameter: isParameter ?? false)
  }

  /// `"name": "value"`, `name: value`, or the `://` of a URL.
  mutating func readColon() {
    if byte(at: index + 1) == UInt8(ascii: "/"), byte(at: index + 2) == UInt8(ascii: "/") {
      return readAuthority()
    }
    guard let name = nameBefore(index) else {
      index += 1
      return
    }
    readValue(named: name.range, in: .member, isSure: name.isQuoted)
  }

  /// The name that ends before a mark, if there may be a verdict on it.
  private func nameBefore(_ mark: Int) -> (range: Range<Int>, isQuoted: Bool)? {
    var end = mark
    while end > text.startIndex, mark - end < 4, ASCII.isBlank(text[end - 1]) { end -= 1 }
    var isQuoted = false
    if end > text.startIndex, Self.isQuote(text[end - 1]) {
      isQuoted = true
      end -= 1
      if end > text.startIndex, text[end - 1] == UInt8(ascii: "\\") { end -= 1 }
    }
    var start = end
    while start > text.startIndex, end - start < Self.maximumNameBytes, Self.isName(text[start - 1]) {
      start -= 1
    }
    let range = start..<end
    guard !range.isEmpty, mayJudge(text[range]) else { return nil }
    return (range, isQuoted)
  }

  /// Whether there may be a verdict on a name, or its values have a form of their own.
  func mayJudge(_ name: ArraySlice<UInt8>) -> Bool {
    search.policy.hasNameRules || SecretNames.mayBeSecret(name) || FieldKind(name) != .other
  }

  private static func isName(_ byte: UInt8) -> Bool {
    ASCII.isWord(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
      || byte == UInt8(ascii: "$")
  }

  /// Whether a value has letters and digits, unlike words of a sentence.
  private static func isMade(_ value: ArraySlice<UInt8>) -> Bool {
    value.count >= SecretValue.minimumLikelyBytes && value.contains(where: ASCII.isDigit)
      && value.contains(where: ASCII.isLetter)
  }

  private static func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`")
  }

  /// Judges the value behind the mark at `index`.
  /// - Parameters:
  ///   - isSure: whether what stands before the mark cannot be a word of a sentence.
  ///   - isParameter: whether it is a parameter of a URL, whose value ends where the fragment begins.
  private mutating func readValue(
    named name: Range<Int>, in place: SecretNames.Place, isSure: Bool, isParameter: Bool = false
  ) {
    let mark = index
    index += 1
    if FieldKind(text[name]) != .other { return readField(named: name) }
    var verdict = search.policy.verdict(on: text[name], in: place)
    let start = valueStart(behind: mark)
    var range = Self.value(in: text, from: start)
    // The quote before a value that is cut off.
    if search.thresholds.readsLooseTexts, range.isEmpty, let quote = byte(at: range.lowerBound),
      Self.isQuote(quote)
    {
      range = Self.value(in: text, from: range.lowerBound + 1)
    }
    if isParameter, let end = text[range].firstIndex(of: UInt8(ascii: "#")) { range = range.lowerBound..<end }
    let isQuoted = range.lowerBound > start && Self.isQuote(text[range.lowerBound - 1])
    if case .judge(let strength) = verdict, !isQuoted {
      verdict = .judge(unquoted(strength, of: range, behind: mark, isSure: isSure))
    }
    if verdict == .keep {
      index = max(index, range.upperBound)
      return
    }
    let isEscaped = text[range].contains(UInt8(ascii: "\\"))
    let decoded = DecodedText(text[range], isQuoted || isEscaped ? .json : place == .pair ? .path : .plain)
    guard search.isSecret(decoded.bytes, under: verdict),
      let find = search.find(range, decoded.bytes, SecretSearch.named, named: text[name])
    else { return }
    finds.add(find)
    index = range.upperBound
  }

  /// How sure a name makes of a value without quotes, which may be a word of a sentence or of a program.
  private func unquoted(
    _ strength: SecretNames.Strength, of value: Range<Int>, behind mark: Int, isSure: Bool
  ) -> SecretNames.Strength {
    if search.thresholds.sparesCode, text[mark] == UInt8(ascii: "="), isCode(value, behind: mark) {
      return min(strength, .doubtful)
    }
    if isSure || Self.isMade(text[value]) { return strength }
    return search.thresholds.reports ? max(strength.weaker, min(strength, .doubtful)) : strength.weaker
  }

  /// Whether a value is rather a name in a program: it has blanks before it, or a bracket behind it, or it is made of
  /// words with full stops between them.
  private func isCode(_ range: Range<Int>, behind mark: Int) -> Bool {
    if range.lowerBound > mark + 1 || byte(at: mark - 1) == UInt8(ascii: " ") { return true }
    if let next = byte(at: range.upperBound), "([{".utf8.contains(next) { return true }
    let value = text[range]
    return value.split(separator: UInt8(ascii: ".")).count > 1 && !value.contains(where: ASCII.isDigit)
  }

  private static let schemes = ["Bearer ", "Basic ", "Token ", "bearer ", "basic "]

  /// Where the value behind a mark may begin. The scanner also looks behind a scheme.
  private func valueStart(behind mark: Int) -> Int {
    guard search.thresholds.readsLooseTexts else { return mark + 1 }
    let start = itemStart(behind: mark)
    let rest = text[start...].prefix(Self.maximumSkippedBytes).drop {
      ASCII.isBlank($0) || Self.isQuote($0) || $0 == UInt8(ascii: "\\")
    }
    let scheme = Self.schemes.first { rest.starts(with: $0.utf8) }
    return scheme.map { rest.startIndex + $0.utf8.count } ?? start
  }

  /// Behind the first hyphen of a YAML list, in which other recorders write the values of a field; else behind the mark.
  private func itemStart(behind mark: Int) -> Int {
    guard search.thresholds.readsLooseTexts else { return mark + 1 }
    let rest = text[(mark + 1)...].prefix(Self.maximumSkippedBytes).drop(while: ASCII.isBlank)
    guard rest.first == ASCII.lineFeed || rest.first == ASCII.carriageReturn else { return mark + 1 }
    let item = rest.drop(while: ASCII.isSpace)
    return item.starts(with: "- ".utf8) ? item.startIndex + 2 : mark + 1
  }

  private static let maximumSkippedBytes = 256

  /// A header line within a text: `Authorization: Bearer …`.
  private mutating func readField(named name: Range<Int>) {
    let rest = text[itemStart(behind: index - 1)...]
    let blank = rest.prefix(16).firstIndex { !ASCII.isBlank($0) && $0 != UInt8(ascii: "\\") }
    guard let blank else { return }
    // `"Authorization": "…"` and `"Authorization: …"` end with a quote like the one they begin with.
    let isQuoted = Self.isQuote(text[blank])
    let opening = isQuoted ? blank : name.lowerBound - 1
    let start = isQuoted ? blank + 1 : blank
    let value = text[start..<fieldEnd(from: start, openedAt: opening)]
    let decoded = DecodedText(value, .json)
    finds.add(
      decoded.encoded(
        search.finds(in: decoded.bytes, named: text[name], in: .header, depth: Self.maximumDepth)))
    index = max(index, value.endIndex)
  }

  /// The end of a value that a quote opens: the next quote with no more backslashes before it, or the end of the line.
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

  /// The value that begins at `start`: what stands in quotes, or everything up to a character that ends a value.
  static func value(in text: ArraySlice<UInt8>, from start: Int) -> Range<Int> {
    var start = start
    let limit = text.index(start, offsetBy: 16, limitedBy: text.endIndex) ?? text.endIndex
    while start < limit, ASCII.isBlank(text[start]) { start += 1 }
    guard start < text.endIndex else { return start..<start }
    if text[start] == UInt8(ascii: "\\"), start + 1 < text.endIndex, isQuote(text[start + 1]) {
      let rest = text[(start + 2)...].prefix(maximumValueBytes)
      return start + 2..<(rest.firstIndex { $0 == UInt8(ascii: "\\") || $0 == 0x0A } ?? rest.endIndex)
    }
    if isQuote(text[start]), let end = closing(text[start], in: text, from: start + 1) {
      return start + 1..<end
    }
    let rest = text[start...].prefix(maximumValueBytes)
    var end = rest.firstIndex(where: endsValue)
    while let mark = end, text[mark] == UInt8(ascii: "&"), !opensPair(rest[(mark + 1)...]) {
      end = rest[(mark + 1)...].firstIndex(where: endsValue)
    }
    return start..<(end ?? rest.endIndex)
  }

  /// Whether a pair follows an `&`, which then ends the value before; otherwise the `&` belongs to the value.
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

  /// The user information of a URL (RFC 3986 §3.2.1). The user's name is no secret where a password follows.
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

  /// What stands for a password where the user's name is the token.
  private static func isFiller(_ password: ArraySlice<UInt8>) -> Bool {
    password.elementsEqual("x-oauth-basic".utf8) || password.elementsEqual("x".utf8)
  }
}
