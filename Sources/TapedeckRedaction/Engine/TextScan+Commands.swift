import TapedeckHTTP

/// Secrets in SQL, command lines and calls, where a value follows its name without a mark.
extension TextScan {
  static let maximumCommandBytes = 200

  // MARK: Quotes

  /// Reads `PASSWORD '…'`, `setPassword("…")`, `define('DB_PASSWORD', '…')`, from the opening quote.
  mutating func readQuote() {
    let quote = index
    index += 1
    guard quote > text.startIndex else { return }
    var end = quote
    while end > text.startIndex, quote - end < 16, ASCII.isBlank(text[end - 1]) { end -= 1 }
    guard end > text.startIndex else { return }
    switch text[end - 1] {
    case UInt8(ascii: ","): readArgument(at: quote, behind: end - 1)
    case UInt8(ascii: "("): readCall(at: quote, behind: end - 1)
    case let last where ASCII.isLetter(last) && end < quote: readPhrase(at: quote, behind: end)
    default: break
    }
  }

  /// The text between a quote and the next one of its kind on the same line.
  private func quoted(at quote: Int) -> Range<Int>? {
    let range = Self.value(in: text, from: quote)
    return range.lowerBound == quote + 1 && byte(at: range.upperBound) == text[quote] ? range : nil
  }

  private static let setters = ["set", "with", "use", "put", "add", "store", "define", "append"]

  /// `define('DB_PASSWORD', '…')`, `headers.set("Authorization", "Bearer …")`. Lists of names have no values.
  private mutating func readArgument(at quote: Int, behind comma: Int) {
    guard let name = nameBefore(comma), name.isQuoted, name.range.lowerBound > text.startIndex,
      let value = quoted(at: quote)
    else { return }
    var verdict = search.policy.verdict(on: text[name.range], in: .member)
    let before = text[..<(name.range.lowerBound - 1)].suffix(4).reversed().drop(while: ASCII.isBlank)
    let isCall = before.first == UInt8(ascii: "(")
    let opening = before.startIndex.base - 1
    let isSetter = isCall && (wordBefore(opening).map(isSetter) ?? false)
    if FieldKind(text[name.range]) != .other {
      if isCall { addField(value, named: name.range) }
      return
    }
    if !isSetter { verdict = verdict.weaker }
    addQuoted(value, named: name.range, verdict)
  }

  /// `setPassword("…")`, `PASSWORD('…')`.
  private mutating func readCall(at quote: Int, behind bracket: Int) {
    guard let name = wordBefore(bracket), mayJudge(text[name]), let value = quoted(at: quote) else { return }
    let verdict = search.policy.verdict(on: text[name], in: .member)
    let words = SecretNames.words(of: text[name])
    guard
      Self.setters.contains(words.first ?? "") || words.count == 1 && SecretNames.strong.contains(words[0])
    else { return }
    addQuoted(value, named: name, verdict)
  }

  /// `PASSWORD '…'`, `IDENTIFIED BY '…'`, `ConvertTo-SecureString "…"`.
  private mutating func readPhrase(at quote: Int, behind end: Int) {
    guard let name = wordBefore(end) else { return }
    if ASCII.equal(text[name], lowercase: "by") || ASCII.equal(text[name], lowercase: "as") {
      let before = text[..<name.lowerBound].suffix(64)
      guard Self.contains("identified", in: before), let value = quoted(at: quote) else { return }
      return addQuoted(value, named: name, .strong)
    }
    let isPowerShell = text[name].count == 22 && ASCII.equal(text[name], lowercase: "convertto-securestring")
    guard isPowerShell || mayJudge(text[name]), let value = quoted(at: quote) else { return }
    if isPowerShell { return addQuoted(value, named: name, .strong) }
    let verdict = search.policy.verdict(on: text[name], in: .member)
    let isDirective =
      text[name].allSatisfy { !($0 &- 0x61 < 26) } || isAtLineStart(name.lowerBound)
      || text[name].first == UInt8(ascii: "-")
    addQuoted(value, named: name, isDirective ? verdict : verdict.weaker)
  }

  private mutating func addQuoted(
    _ value: Range<Int>, named name: Range<Int>, _ verdict: SecretNames.Strength
  ) {
    guard !isOrdinary(text[value]) else { return }
    _ = addValue(value, named: name, verdict, in: .json)
  }

  private static func contains(_ word: String, in text: ArraySlice<UInt8>) -> Bool {
    ByteSearch.first(Array(word.utf8), in: text.map(ASCII.lowercased)[...]) != nil
  }

  private func isSetter(_ name: Range<Int>) -> Bool {
    Self.setters.contains(SecretNames.words(of: text[name]).first ?? "")
  }

  /// The word that ends before a place, with hyphens and underscores.
  private func wordBefore(_ end: Int) -> Range<Int>? {
    let word = text[..<end].suffix(Self.maximumNameBytes).reversed().prefix(while: ASCII.isWord)
    return word.isEmpty ? nil : end - word.count..<end
  }

  private func isAtLineStart(_ start: Int) -> Bool {
    text[..<start].suffix(16).reversed().drop(while: ASCII.isBlank).first.map { $0 == ASCII.lineFeed } ?? true
  }

  // MARK: Options

  private struct Option {
    var name: String
    var commands: [String]
    /// Whether the value may follow the option without a blank, and whether with one.
    var isJoined = false
    var isSpaced = true
    /// Whether the value is a user and a password.
    var hasUser = false

    /// Whether one of the commands is in a list of arguments, which has no blanks between them.
    func isOption(of list: ArraySlice<UInt8>) -> Bool {
      let list = list.suffix(maximumCommandBytes)
      return commands.contains {
        ByteSearch.first(Array($0.utf8.filter { $0 != ASCII.space }), in: list) != nil
      }
    }

    func password(in value: Range<Int>, of text: ArraySlice<UInt8>) -> Range<Int>? {
      guard hasUser else { return value }
      return text[value].firstIndex(of: UInt8(ascii: ":")).map { $0 + 1..<value.upperBound }
    }
  }

  private static let options = [
    Option(name: "-p", commands: ["mysql", "mariadb"], isJoined: true, isSpaced: false),
    Option(name: "-p", commands: ["sshpass"], isJoined: true),
    Option(name: "-p", commands: [" login", "mongo"]),
    Option(name: "-a", commands: ["redis-cli"]),
    Option(name: "-P", commands: ["sqlcmd", "bcp "], isJoined: true),
    Option(name: "-w", commands: ["ldap"]),
    Option(name: "-u", commands: ["curl", "wget", "http"], isJoined: true, hasUser: true),
    Option(name: "-U", commands: ["curl", "smbclient"], hasUser: true),
    Option(name: "--user", commands: ["curl"], hasUser: true),
    Option(name: "--proxy-user", commands: ["curl"], hasUser: true),
  ]

  /// Reads `--password PW`, `-pPW`, `-u user:PW` at the hyphen that begins an option.
  mutating func readOption() -> Bool {
    guard index == text.startIndex || text[index - 1] <= 0x20 || Self.isQuote(text[index - 1]),
      let next = byte(at: index + 1), ASCII.isLetter(next) || next == UInt8(ascii: "-")
    else { return false }
    let word = text[index...].prefix(Self.maximumNameBytes).prefix(while: ASCII.isWord)
    if next == UInt8(ascii: "-"), readLongOption(word) { return true }
    guard word.starts(with: "--".utf8) || "paPwuU".utf8.contains(next) else { return false }
    let line = text[..<index].suffix(Self.maximumCommandBytes).reversed().prefix {
      $0 >= 0x20 || $0 == ASCII.tab
    }
    let command = Array(line.reversed())[...]
    for option in Self.options where word.starts(with: option.name.utf8) {
      guard option.commands.contains(where: { ByteSearch.first(Array($0.utf8), in: command) != nil }),
        let value = value(of: option, word)
      else { continue }
      return readValue(value, of: option, named: index..<index + option.name.utf8.count)
    }
    return false
  }

  /// The password in an argument that a list has behind an option: `["redis-cli", "-a", "…"]`.
  /// - Parameter command: what stands before the option.
  static func password(
    _ argument: Range<Int>, in text: ArraySlice<UInt8>, of option: ArraySlice<UInt8>,
    behind command: ArraySlice<UInt8>
  ) -> Range<Int>? {
    guard let first = text[argument].first, first != UInt8(ascii: "-") else { return nil }
    if option.starts(with: "--".utf8), SecretNames.strength(of: option, in: .member) == .strong {
      return argument
    }
    let known = options.first {
      $0.isSpaced && option.elementsEqual($0.name.utf8) && $0.isOption(of: command)
    }
    return known.flatMap { $0.password(in: argument, of: text) }
  }

  /// The password in an item of a list that is an option too: `["mysql", "-p…"]`.
  static func password(
    in item: Range<Int>, of text: ArraySlice<UInt8>, behind command: ArraySlice<UInt8>
  ) -> Range<Int>? {
    guard item.count > 3 else { return nil }
    let known = options.first {
      $0.isJoined && text[item].starts(with: $0.name.utf8) && $0.isOption(of: command)
    }
    return known.flatMap { $0.password(in: item.lowerBound + $0.name.utf8.count..<item.upperBound, of: text) }
  }

  private func value(of option: Option, _ word: ArraySlice<UInt8>) -> Range<Int>? {
    let end = index + option.name.utf8.count
    guard let next = byte(at: end) else { return nil }
    let isSpaced = next == ASCII.space || next == UInt8(ascii: "=")
    guard isSpaced ? option.isSpaced : option.isJoined && !option.name.starts(with: "--") else { return nil }
    return argument(from: isSpaced ? end + 1 : end)
  }

  /// The argument of a command at a place; `nil` when another option or nothing begins there.
  private func argument(from start: Int) -> Range<Int>? {
    guard let first = byte(at: start), first > 0x20, first != UInt8(ascii: "-"), first != UInt8(ascii: "<")
    else {
      return nil
    }
    if Self.isQuote(first) { return quoted(at: start) }
    let rest = text[start...].prefix(Self.maximumValueBytes)
    let end = rest.firstIndex { $0 <= 0x20 || "\"'`<>|;&\\".utf8.contains($0) } ?? rest.endIndex
    return start..<end
  }

  private mutating func readValue(_ value: Range<Int>, of option: Option, named name: Range<Int>) -> Bool {
    guard option.hasUser else {
      guard !isOrdinary(text[value]) else { return false }
      return addValue(value, named: name, .strong)
    }
    guard let colon = text[value].firstIndex(of: UInt8(ascii: ":")), colon > value.lowerBound else {
      return false
    }
    let password = colon + 1..<value.upperBound
    // The user and group of a container are numbers.
    guard !text[value].allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: ":") }),
      !isOrdinary(text[password])
    else { return false }
    return addValue(password, named: name, .strong)
  }

  /// `--password PW`, `--api-key "…"`. In a manual, words or `<value>` follow.
  private mutating func readLongOption(_ word: ArraySlice<UInt8>) -> Bool {
    guard mayJudge(word), let next = byte(at: word.endIndex), next == ASCII.space || next == ASCII.lineFeed,
      let value = argument(from: next == ASCII.space ? word.endIndex + 1 : nextItem(behind: word.endIndex))
    else { return false }
    let verdict = search.policy.verdict(on: word, in: .member)
    let content = text[value]
    guard verdict > .none, !isOrdinary(content) else { return false }
    let isQuoted = Self.isQuote(text[value.lowerBound - 1])
    if !isQuoted, OrdinaryText.isFiller(content) || OrdinaryText.continues(text[value.upperBound...]) {
      return false
    }
    return addValue(value, named: word.startIndex..<word.endIndex, verdict)
  }

  // MARK: Words

  /// Reads the value behind a word that names it, and a blank: `ENV DB_PASSWORD x`, `login bob password x`.
  /// - Parameter end: the end of the name.
  mutating func readBlank(behind end: Int) {
    guard let name = nameBefore(end), !name.isQuoted, !readLogin(name.range),
      let value = argument(from: end + 1)
    else { return }
    var verb = value
    if Self.adjectives.contains(where: { ASCII.equal(text[value], lowercase: $0) }),
      let next = argument(from: value.upperBound + 1)
    {
      verb = next
    }
    if Self.isVerb(text[verb]) { return readSentence(name.range, behind: verb.upperBound) }
    let content = text[value]
    let verdict = search.policy.verdict(on: text[name.range], in: .member)
    guard verdict > .none, !isOrdinary(content) else { return }
    if isDirective(name.range) {
      _ = addValue(value, named: name.range, verdict)
    } else {
      // `rejected: Bearer 4f1…`, `with API key 9b2…`.
      let value = bare(value)
      guard SecretValue.isRandom(text[value]), !Placeholder.isMentioned(in: text[value]) else { return }
      _ = addValue(value, named: name.range, min(verdict, .likely))
    }
  }

  private static let adjectives: [StaticString] = [
    "temporary", "temporal", "temporaire", "provisoire", "provisional", "new",
  ]

  /// A value in a sentence, without the quotation marks around it and the marks behind it.
  private func bare(_ value: Range<Int>) -> Range<Int> {
    var value = value
    while let last = text[value].last, !ASCII.isAlphanumeric(last),
      last >= 0x80 || ".,;:)]}".utf8.contains(last)
    {
      value = value.lowerBound..<value.upperBound - 1
    }
    while let first = text[value].first, first >= 0x80 { value = value.lowerBound + 1..<value.upperBound }
    return value
  }

  /// Reads `password is …`, where a value of letters and digits follows.
  private mutating func readSentence(_ name: Range<Int>, behind verb: Int) {
    guard byte(at: verb) == ASCII.space, let value = argument(from: verb + 1).map(bare),
      OrdinaryText.isMade(text[value]), !isOrdinary(text[value])
    else { return }
    let verdict = search.policy.verdict(on: text[name], in: .member)
    _ = addValue(value, named: name, min(verdict, .likely))
  }

  /// The item of a YAML list behind the end of a line; that end where there is none.
  private func nextItem(behind end: Int) -> Int {
    let line = text[end...].prefix(Self.maximumNameBytes).drop(while: ASCII.isSpace)
    return line.starts(with: "- ".utf8) ? line.startIndex + 2 : end
  }

  /// Whether a name stands where a file names a value: in a Dockerfile, a netrc file, a Redis configuration.
  private func isDirective(_ name: Range<Int>) -> Bool {
    let before = text[..<name.lowerBound].suffix(Self.maximumCommandBytes)
    if before.suffix(4).elementsEqual("ENV ".utf8) || before.suffix(4).elementsEqual("ARG ".utf8) {
      return isAtLineStart(name.lowerBound - 4)
    }
    if isAtLineStart(name.lowerBound),
      text[name].elementsEqual("requirepass".utf8)
        || text[name].elementsEqual("masterauth".utf8)
    {
      return true
    }
    guard text[name].elementsEqual("password".utf8) else { return false }
    return ByteSearch.first(Array("login ".utf8), in: before) != nil
      && ByteSearch.first(Array("machine ".utf8), in: before) != nil
  }

  private static let codeNames = [
    "one-time", "verification", "security", "login", "confirmation", "otp", "sms",
  ]

  /// Hides the digits in `Your verification code is 123456`; returns whether there were any.
  mutating func readCode(to end: Int) -> Bool {
    guard (4...8).contains(end - index), text[..<index].suffix(9).elementsEqual(" code is ".utf8),
      text[index..<end].allSatisfy(ASCII.isDigit)
    else { return false }
    let name = max(text.startIndex, index - 32)..<index - 4
    guard Self.codeNames.contains(where: { Self.contains($0, in: text[name]) }) else { return false }
    return addValue(index..<end, named: index - 8..<index - 4, .code)
  }

  /// Whether a word of this length may be the end of a name that `readBlank` knows.
  func mayName(_ word: ArraySlice<UInt8>) -> Bool {
    switch word.count {
    case 3, 4, 5, 6, 8, 10, 11: break
    default: return false
    }
    return SecretNames.mayBeSecret(word) || word.count == 10 && word.elementsEqual("masterauth".utf8)
  }

  /// Reads `name`, a tab and a value, as in a browser's file of cookies.
  mutating func readTab() {
    let mark = index
    index += 1
    guard let name = nameBefore(mark), name.range.upperBound == mark, let value = argument(from: mark + 1),
      OrdinaryText.isMade(text[value]), !isOrdinary(text[value])
    else { return }
    _ = addValue(value, named: name.range, search.policy.verdict(on: text[name.range], in: .pair))
  }
}
