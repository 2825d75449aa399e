internal import TapedeckHTTP

/// Finds the secrets in a text of any kind, in one pass forward.
///
/// Known by their looks, by what is written before them (`password=…`, `"token": "…"`, `<Password>…`), as part of a URL,
/// or inside base64. How far it looks ahead or back from any one place is bounded, so no text takes more than its share
/// of time.
struct TextScan {
  static let maximumNameBytes = 80
  static let maximumValueBytes = 16 * 1024
  private static let maximumAuthorityBytes = 16 * 1024
  /// The shortest base64 that is looked into; it holds 18 bytes.
  private static let minimumEncodedBytes = 24
  static let maximumDepth = 2
  /// The shortest run of letters, digits, `_` and `-` in any secret that is known by its looks: PEM's `-----BEGIN`.
  private static let minimumWordBytes = 10

  let pass: RedactionPass
  let text: ArraySlice<UInt8>
  private let depth: Int
  var edits = TextEdits()
  var index: Int
  /// Behind the last run of base64 that was looked into.
  private var encodedEnd: Int
  /// Behind the last run of percent-encoded text that was looked into, and the last secret.
  private var percentEnd: Int

  init(_ text: ArraySlice<UInt8>, _ pass: RedactionPass, depth: Int) {
    self.text = text
    self.pass = pass
    self.depth = depth
    index = text.startIndex
    encodedEnd = text.startIndex
    percentEnd = text.startIndex
  }

  /// Whether a text can hold anything: a long word, or a mark that a value may follow.
  static func mayHide(_ text: ArraySlice<UInt8>) -> Bool {
    text.withUnsafeBufferPointer { mayHide($0) }
  }

  static func mayHide(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.count >= 4
      && (TextQuickCheck.hasMark(in: text) || TextQuickCheck.hasWord(of: minimumWordBytes, in: text))
  }

  mutating func run() -> TextEdits {
    while index < text.endIndex {
      let byte = text[index]
      if ASCII.isAlphanumeric(byte) {
        readWord()
      } else {
        readMark(byte)
      }
    }
    return edits
  }

  private mutating func readMark(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "="): readAssignment()
    case UInt8(ascii: ":"): readColon()
    case UInt8(ascii: "<"): readTag()
    case UInt8(ascii: "-"): readHyphen()
    case UInt8(ascii: "%"): readPercent()
    default: index += 1
    }
  }

  private mutating func hide(_ range: Range<Int>, _ secret: ArraySlice<UInt8>) {
    if let placeholder = pass.placeholder(for: secret) { edits.add(range, placeholder) }
    index = max(index, range.upperBound)
  }

  func byte(at index: Int) -> UInt8? { text.indices.contains(index) ? text[index] : nil }

  // MARK: Looks

  /// Steps over a run of letters and digits, or over the secret that begins with it.
  private mutating func readWord() {
    if let end = Placeholder.end(in: text, at: index) {
      index = end
    } else if let found = TokenShapes.match(text, at: index) {
      hide(found.start..<found.end, text[found.start..<found.end])
    } else {
      let end = wordEnd
      if index >= encodedEnd, mayBeEncoded(to: end), readEncoded() { return }
      index = end
      // A placeholder behind `%3D`, which looks like the end of a word.
      let start = index - 8
      if start >= text.startIndex, let end = Placeholder.end(in: text, at: start) { index = end }
    }
  }

  /// Where the run of letters and digits ends that `index` stands in.
  private var wordEnd: Int {
    text.withUnsafeBufferPointer { bytes in
      var end = index - text.startIndex
      while end < bytes.count, ASCII.isAlphanumeric(bytes[end]) { end += 1 }
      return end + text.startIndex
    }
  }

  /// Whether a word that ends at `end` is long enough for base64, or goes on as only base64 does.
  private func mayBeEncoded(to end: Int) -> Bool {
    end - index >= Self.minimumEncodedBytes || end < text.endIndex && Self.isEncoded(text[end])
  }

  private static func isEncoded(_ byte: UInt8) -> Bool {
    ASCII.isWord(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
  }

  /// The opening of PEM; behind the hyphens otherwise.
  private mutating func readHyphen() {
    if let found = TokenShapes.match(text, at: index) {
      hide(found.start..<found.end, text[found.start..<found.end])
    } else {
      index += 1
    }
  }

  // MARK: Percent

  /// Looks into the percent-encoded text around a `%`: a URL within a URL, a form in a log.
  private mutating func readPercent() {
    let earliest = max(percentEnd, edits.list.last?.range.upperBound ?? text.startIndex)
    let mark = index
    index += 1
    guard mark >= earliest, depth < Self.maximumDepth else { return }
    let start = text[earliest..<mark].lastIndex { !Self.isPercentEncoded($0) }.map { $0 + 1 } ?? earliest
    let run = text[start...].prefix(while: Self.isPercentEncoded)
    percentEnd = run.endIndex
    let decoded = DecodedText(run, .path)
    let inner = decoded.encoded(pass.value(decoded.bytes, depth: depth + 1))
    guard decoded.bytes.count < run.count else { return }
    edits.add(inner)
    index = run.endIndex
  }

  private static func isPercentEncoded(_ byte: UInt8) -> Bool {
    ASCII.isWord(byte) || "%.~+*!:".utf8.contains(byte)
  }

  // MARK: Base 64

  /// Looks into the run of base64 that begins here; whether anything was hidden in it.
  private mutating func readEncoded() -> Bool {
    let run = text[index...].prefix(while: Self.isEncoded)
    encodedEnd = run.endIndex
    guard run.count >= Self.minimumEncodedBytes, depth < Self.maximumDepth else { return false }
    let padding = text[run.endIndex...].prefix(2).prefix { $0 == UInt8(ascii: "=") }
    guard let decoded = LooseBase64.decodedText(run) else { return false }
    let inner = pass.value(decoded[...], depth: depth + 1)
    guard !inner.isEmpty else { return false }
    let range = index..<padding.endIndex
    edits.add(range, LooseBase64.encode(inner.applied(to: decoded[...]), like: text[range]))
    index = padding.endIndex
    return true
  }

  // MARK: Names and values

  /// `name=value`, with or without quotes and blanks.
  private mutating func readAssignment() {
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
  private mutating func readColon() {
    if byte(at: index + 1) == UInt8(ascii: "/"), byte(at: index + 2) == UInt8(ascii: "/") {
      return readAuthority()
    }
    guard let name = nameBefore(index) else {
      index += 1
      return
    }
    readValue(named: name.range, in: .member, isSure: name.isQuoted)
  }

  /// The name that ends before a mark, if it is worth asking about.
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
    guard !range.isEmpty,
      pass.policy.hasNameRules || SecretNames.mayBeSecret(text[range]) || isField(text[range])
    else {
      return nil
    }
    return (range, isQuoted)
  }

  /// Whether this is a field whose values have a form of their own.
  func isField(_ name: ArraySlice<UInt8>) -> Bool {
    if case .other = FieldKind(name) { return false }
    return true
  }

  private static func isName(_ byte: UInt8) -> Bool {
    ASCII.isWord(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]")
      || byte == UInt8(ascii: "$")
  }

  /// Whether a value has letters and digits, as words of a sentence have not.
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
  ///   - isParameter: whether it is one of a URL, which ends where the fragment begins.
  private mutating func readValue(
    named name: Range<Int>, in place: SecretNames.Place, isSure: Bool, isParameter: Bool = false
  ) {
    let mark = index
    index += 1
    var verdict = pass.policy.verdict(on: text[name], in: place)
    if isField(text[name]) { return readField(named: name) }
    var range = Self.value(in: text, from: mark + 1)
    if isParameter, let end = text[range].firstIndex(of: UInt8(ascii: "#")) { range = range.lowerBound..<end }
    let isQuoted = range.lowerBound > mark + 1 && Self.isQuote(text[range.lowerBound - 1])
    if case .judge(let strength) = verdict, !isSure, !isQuoted, !Self.isMade(text[range]) {
      verdict = .judge(strength.weaker)
    }
    if verdict == .keep {
      index = max(index, range.upperBound)
      return
    }
    let isEscaped = text[range].contains(UInt8(ascii: "\\"))
    let decoded = DecodedText(text[range], isQuoted || isEscaped ? .json : place == .pair ? .path : .plain)
    guard let placeholder = pass.replacement(of: decoded.bytes, under: verdict) else { return }
    edits.add(range, placeholder)
    index = range.upperBound
  }

  /// A header line within a text: `Authorization: Bearer …`.
  private mutating func readField(named name: Range<Int>) {
    let blank = text[index...].prefix(16).firstIndex { !ASCII.isBlank($0) && $0 != UInt8(ascii: "\\") }
    guard let blank else { return }
    // `"Authorization": "…"` and `"Authorization: …"` end with a quote like the one they begin with.
    let isQuoted = Self.isQuote(text[blank])
    let opening = isQuoted ? blank : name.lowerBound - 1
    let start = isQuoted ? blank + 1 : blank
    let value = text[start..<fieldEnd(from: start, openedAt: opening)]
    let decoded = DecodedText(value, .json)
    edits.add(
      decoded.encoded(
        pass.edits(of: decoded.bytes, named: text[name], in: .header, depth: Self.maximumDepth)))
    index = max(index, value.endIndex)
  }

  /// The end of a value that a quote opens: the next quote that is behind no more backslashes than that one. Without
  /// one, the end of the line.
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

  /// The value that begins at `start`: what stands in quotes, or all up to a character that ends one.
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

  /// Whether a pair follows an `&`, which then ends the value before; in a password it is a character like others.
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

  /// Hides the user information of a URL (RFC 3986 §3.2.1), of which the user's name stays where a password follows.
  private mutating func readAuthority() {
    let start = index + 3
    index = start
    let authority = text[start...].prefix(Self.maximumAuthorityBytes).prefix {
      !Self.endsAuthority($0)
    }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return }
    let hidden = Placeholder.end(in: text, at: start) ?? start
    let user = authority[..<(authority[hidden..<at].firstIndex(of: UInt8(ascii: ":")) ?? at)]
    let password = user.endIndex < at ? authority[(user.endIndex + 1)..<at] : authority[at..<at]
    let isNamed = !password.isEmpty && !Self.isFiller(password)
    if SecretValue.isSecret(user, under: isNamed ? .maybe : .likely) { hidePart(user) }
    if isNamed { hidePart(password) }
    index = at
  }

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    switch byte {
    case ...0x20, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): true
    default: byte != UInt8(ascii: "&") && byte != 0x7F && endsValue(byte)
    }
  }

  private mutating func hidePart(_ part: ArraySlice<UInt8>) {
    let decoded = DecodedText(part, .path).bytes
    guard !SecretValue.isWorthless(decoded) else { return }
    hide(part.startIndex..<part.endIndex, decoded)
  }

  /// What stands for a password where the user's name is the token.
  private static func isFiller(_ password: ArraySlice<UInt8>) -> Bool {
    password.elementsEqual("x-oauth-basic".utf8) || password.elementsEqual("x".utf8)
  }
}
