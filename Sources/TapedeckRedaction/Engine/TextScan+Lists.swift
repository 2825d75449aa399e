import TapedeckHTTP

/// Values that stand below their name, or several of them beside it.
extension TextScan {
  private static let maximumLines = 1000
  private static let maximumColumns = 100

  // MARK: Lines below a name

  /// Reads the value of a YAML member that is not on its line, or is a list; returns whether there was one.
  mutating func readBelow(_ name: Range<Int>, behind mark: Int, _ verdict: SecretNames.Strength) -> Bool {
    let rest = text[(mark + 1)...].prefix(Self.maximumValueBytes)
    let start = rest.drop(while: ASCII.isBlank)
    guard let first = start.first else { return false }
    switch first {
    case UInt8(ascii: "|"), UInt8(ascii: ">"): return readBlock(start, named: name, verdict)
    case ASCII.lineFeed, ASCII.carriageReturn: return readItems(start, named: name, verdict)
    case UInt8(ascii: "["): return readFlow(start.dropFirst(), named: name, verdict)
    default: return false
    }
  }

  /// A block scalar (YAML 1.2.2 §8.1): `|` or `>`, then lines that are indented deeper than the name.
  private mutating func readBlock(
    _ text: ArraySlice<UInt8>, named name: Range<Int>, _ verdict: SecretNames.Strength
  ) -> Bool {
    let header = text.prefix { $0 != ASCII.lineFeed && $0 != ASCII.carriageReturn }
    guard header.dropFirst().allSatisfy({ "+-0123456789 ".utf8.contains($0) }), header.count < 8 else {
      return false
    }
    let column = column(of: name.lowerBound)
    var lines: [ArraySlice<UInt8>] = []
    var rest = Self.withoutLine(text)
    while lines.count < Self.maximumLines, !rest.isEmpty {
      let line = rest.prefix { $0 != ASCII.lineFeed }
      let content = Self.trimmed(line)
      guard content.isEmpty || line.prefix(while: ASCII.isBlank).count > column else { break }
      if !content.isEmpty { lines.append(content) }
      rest = Self.withoutLine(rest)
    }
    guard let start = lines.first?.startIndex, let end = lines.last?.endIndex else { return false }
    if lines.count > 1, verdict < .code || self.text[start...].starts(with: "-----BEGIN".utf8) {
      return false
    }
    return addValue(start..<end, named: name, verdict)
  }

  /// `- one`, `- two` on the lines below; under the name of codes also lines of digits.
  private mutating func readItems(
    _ text: ArraySlice<UInt8>, named name: Range<Int>, _ verdict: SecretNames.Strength
  ) -> Bool {
    let column = column(of: name.lowerBound)
    var isFound = false
    var rest = Self.withoutLine(text)
    while !rest.isEmpty {
      let line = rest.prefix { $0 != ASCII.lineFeed }
      rest = Self.withoutLine(rest)
      var item = Self.trimmed(line)
      if item.isEmpty { break }
      let hasHyphen = item.starts(with: "- ".utf8)
      guard hasHyphen || verdict == .code, line.prefix(while: ASCII.isBlank).count >= column else { break }
      if hasHyphen { item = Self.trimmed(item.dropFirst(2)) }
      let isQuoted = item.count > 1 && Self.isQuote(item[item.startIndex]) && item.first == item.last
      if isQuoted { item = item.dropFirst().dropLast() }
      // `- name: x` is an object.
      if !isQuoted, Self.isObject(item) { break }
      let verdict = verdict == .strong && item.count { $0 == ASCII.space } > 1 ? .likely : verdict
      if isOrdinary(item) { continue }
      if addValue(item.startIndex..<item.endIndex, named: name, verdict) { isFound = true }
    }
    return isFound
  }

  private static func isObject(_ item: ArraySlice<UInt8>) -> Bool {
    guard let colon = item.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let next = colon + 1
    return next == item.endIndex || item[next] == ASCII.space
  }

  /// `["one", "two"]`, up to the bracket.
  private mutating func readFlow(
    _ text: ArraySlice<UInt8>, named name: Range<Int>, _ verdict: SecretNames.Strength
  ) -> Bool {
    guard let end = text.firstIndex(where: { "]{[".utf8.contains($0) }), text[end] == UInt8(ascii: "]") else {
      return false
    }
    var isFound = false
    for part in text[..<end].split(separator: UInt8(ascii: ",")) {
      var item = Self.trimmed(part)
      guard item.count > 2, Self.isQuote(item[item.startIndex]), item.first == item.last else { continue }
      item = item.dropFirst().dropLast()
      let verdict = verdict == .strong && item.count { $0 == ASCII.space } > 1 ? .likely : verdict
      if isOrdinary(item) { continue }
      if addValue(item.startIndex..<item.endIndex, named: name, verdict) { isFound = true }
    }
    return isFound
  }

  private static func withoutLine(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text.firstIndex(of: ASCII.lineFeed).map { text[($0 + 1)...] } ?? text[text.endIndex...]
  }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line.drop(while: ASCII.isSpace)
    while let last = line.last, ASCII.isSpace(last) { line = line.dropLast() }
    return line
  }

  /// How far a place is from the beginning of its line.
  private func column(of start: Int) -> Int {
    let line = text[..<start].suffix(Self.maximumNameBytes)
    let begin = line.lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? line.startIndex
    return text[begin..<start].prefix { ASCII.isBlank($0) || $0 == UInt8(ascii: "-") }.count
  }

  // MARK: Several words

  /// Reads the words of a wallet's phrase, or codes in a row; returns whether there were any.
  mutating func readWords(_ name: Range<Int>, behind mark: Int, _ verdict: SecretNames.Strength) -> Bool {
    let rest = text[(mark + 1)...].prefix(400).drop { ASCII.isBlank($0) || Self.isQuote($0) }
    if verdict == .code { return readCodes(rest, named: name) }
    guard verdict == .strong else { return false }
    var end = rest.startIndex
    var count = 0
    for word in rest.prefix(while: { $0 == ASCII.space || $0 &- 0x61 < 26 }).split(separator: ASCII.space) {
      guard (3...8).contains(word.count), count < 24 else { break }
      end = word.endIndex
      count += 1
    }
    return count >= 12 && addValue(rest.startIndex..<end, named: name, verdict)
  }

  private mutating func readCodes(_ rest: ArraySlice<UInt8>, named name: Range<Int>) -> Bool {
    var isFound = false
    let line = rest.prefix { ASCII.isDigit($0) || "-, ".utf8.contains($0) }
    for code in line.split(whereSeparator: { ", ".utf8.contains($0) }) {
      if addValue(code.startIndex..<code.endIndex, named: name, .code) { isFound = true }
    }
    return isFound
  }

  // MARK: Tables

  /// The secrets in a table whose first line names its columns, as in CSV (RFC 4180 §2); `nil` for other texts.
  func tableFinds() -> [Find]? {
    let head = text.prefix(4096).prefix { $0 != ASCII.lineFeed && $0 != ASCII.carriageReturn }
    guard head.endIndex < text.endIndex, SecretNames.mayBeSecret(head),
      let separator = ",;\t:".utf8.first(where: { Self.has($0, in: head) })
    else { return nil }
    let names = Self.cells(Self.trimmed(head), separator)
    guard (2...Self.maximumColumns).contains(names.count), separator != UInt8(ascii: ":") || names.count > 3,
      names.allSatisfy({ !$0.isEmpty && Self.isColumn(text[$0]) })
    else { return nil }
    let verdicts = names.map { search.policy.verdict(on: text[$0], in: .member) }
    guard verdicts.contains(where: { $0 > .none }) else { return nil }
    var finds: [Find] = []
    var start = head.endIndex
    while start < text.endIndex {
      let line = text[start...].prefix { $0 != ASCII.lineFeed }
      start = line.endIndex + 1
      let cells = Self.cells(Self.trimmed(line), separator)
      guard cells.count == names.count else { continue }
      for (cell, column) in zip(cells, names.indices)
      where verdicts[column] > .none && !isOrdinary(text[cell]) {
        guard search.isSecret(text[cell], under: verdicts[column]) else { continue }
        let find = search.find(cell, text[cell], SecretSearch.named, named: text[names[column]])
        if let find { finds.append(find) }
      }
    }
    return finds
  }

  private static func isColumn(_ name: ArraySlice<UInt8>) -> Bool {
    name.count <= maximumNameBytes && name.count { $0 == ASCII.space } < 4
      && name.allSatisfy { ASCII.isWord($0) || $0 == ASCII.space || $0 == UInt8(ascii: "#") || $0 >= 0x80 }
  }

  /// The cells of a line, without their quotes.
  private static func cells(_ line: ArraySlice<UInt8>, _ separator: UInt8) -> [Range<Int>] {
    var cells: [Range<Int>] = []
    var start = line.startIndex
    while start <= line.endIndex, cells.count <= maximumColumns {
      let rest = line[start...]
      if rest.first == UInt8(ascii: "\""),
        let close = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")),
        close + 1 == line.endIndex || line[close + 1] == separator
      {
        cells.append(start + 1..<close)
        start = close + 2
      } else {
        let end = rest.firstIndex(of: separator) ?? line.endIndex
        cells.append(start..<end)
        start = end + 1
      }
    }
    return cells
  }
}
