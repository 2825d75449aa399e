import TapedeckHTTP

/// Secrets whose place in a statement or a document tells what they are.
extension TextScan {
  /// Reads the rows, network or key behind a word that tells of them; returns whether it is one.
  mutating func readStatement(_ word: Range<Int>) -> Bool {
    switch word.count {
    case 4 where text[word].elementsEqual("WIFI".utf8): readNetwork(behind: word)
    case 5 where text[word].elementsEqual("Lines".utf8): readKey(behind: word)
    case 5 where ASCII.equal(text[word], lowercase: "stdin"): readCopy(behind: word)
    case 6 where ASCII.equal(text[word], lowercase: "values"): readRows(behind: word)
    case 7 where ASCII.equal(text[word], lowercase: "setuser"): readUser(behind: word)
    default: return false
    }
    return true
  }

  // MARK: SQL

  private static let maximumColumnBytes = 4096

  /// `INSERT INTO users (name, password) VALUES ('bob', '…'), ('eve', '…')`, from the word `VALUES`.
  private mutating func readRows(behind word: Range<Int>) {
    guard let columns = columns(before: word.lowerBound) else { return }
    var start = word.upperBound
    addRows(of: columns) {
      guard let row = $0.row(from: start) else { return nil }
      start =
        $0.text[row.end...].prefix(16).drop { ASCII.isSpace($0) || $0 == UInt8(ascii: ",") }.startIndex
      return row.cells
    }
  }

  /// `COPY users (id, password) FROM stdin;` and lines with tabs, as `pg_dump` writes them.
  private mutating func readCopy(behind word: Range<Int>) {
    let from = text[..<word.lowerBound].suffix(6)
    guard ASCII.equal(from.drop(while: ASCII.isSpace), lowercase: "from "),
      let columns = columns(before: from.endIndex - 5)
    else { return }
    var rest = text[word.upperBound...].drop { $0 != ASCII.lineFeed }.dropFirst()
    addRows(of: columns) { _ in
      guard !rest.isEmpty else { return nil }
      let line = rest.prefix { $0 != ASCII.lineFeed }
      rest = rest[line.endIndex...].dropFirst()
      return line.split(separator: ASCII.tab, omittingEmptySubsequences: false).map {
        $0.startIndex..<$0.endIndex
      }
    }
  }

  /// Adds the secrets in rows, up to one that has not as many cells as there are columns.
  private mutating func addRows(of columns: [Range<Int>], _ next: (TextScan) -> [Range<Int>]?) {
    let verdicts = columns.map { search.policy.verdict(on: text[$0], in: .member) }
    guard index >= rowsEnd, verdicts.contains(where: { $0 > .none }) else { return }
    var rows: [Find] = []
    while let cells = next(self), cells.count == columns.count {
      rowsEnd = cells.last?.upperBound ?? rowsEnd
      for (cell, column) in zip(cells, columns.indices)
      where verdicts[column] > .none && !isOrdinary(text[cell]) {
        guard search.isSecret(text[cell], under: verdicts[column]),
          let find = search.find(cell, text[cell], SecretSearch.named, named: text[columns[column]])
        else { continue }
        rows.append(find)
      }
    }
    add(rows)
  }

  /// The names in the parentheses that end before a place.
  private func columns(before end: Int) -> [Range<Int>]? {
    let before = text[..<end].suffix(Self.maximumColumnBytes)
    guard let close = before.lastIndex(where: { !ASCII.isSpace($0) }), text[close] == UInt8(ascii: ")"),
      let open = before[..<close].lastIndex(of: UInt8(ascii: "(")),
      SecretNames.mayBeSecret(text[open..<close])
    else { return nil }
    return text[(open + 1)..<close].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map
    {
      let marks = { (byte: UInt8) in ASCII.isSpace(byte) || "`\"'[]\\".utf8.contains(byte) }
      let name = $0.drop(while: marks)
      return name.startIndex..<((name.lastIndex { !marks($0) } ?? name.startIndex - 1) + 1)
    }
  }

  /// The cells of the row in parentheses that begins at a place, without their quotes.
  private func row(from start: Int) -> (cells: [Range<Int>], end: Int)? {
    var index = text[start...].prefix(16).drop(while: ASCII.isSpace).startIndex
    guard byte(at: index) == UInt8(ascii: "(") else { return nil }
    var cells: [Range<Int>] = []
    let limit = min(text.endIndex, start + Self.maximumValueBytes)
    repeat {
      index += 1
      while index < limit, ASCII.isSpace(text[index]) { index += 1 }
      // N'…' is a string of national characters.
      if byte(at: index) == UInt8(ascii: "N"), byte(at: index + 1) == UInt8(ascii: "'") { index += 1 }
      guard index < limit else { return nil }
      let cell = Self.isQuote(text[index]) ? quotedCell(at: index, limit) : bareCell(at: index, limit)
      guard let cell else { return nil }
      cells.append(cell.range)
      index = cell.end
      while index < limit, ASCII.isSpace(text[index]) { index += 1 }
    } while index < limit && text[index] == UInt8(ascii: ",")
    return byte(at: index) == UInt8(ascii: ")") ? (cells, index + 1) : nil
  }

  /// A string, in which a quote is doubled or escaped.
  private func quotedCell(at quote: Int, _ limit: Int) -> (range: Range<Int>, end: Int)? {
    var index = quote + 1
    while index < limit {
      if text[index] == text[quote] {
        guard byte(at: index + 1) == text[quote] else { return (quote + 1..<index, index + 1) }
        index += 1
      } else if text[index] == UInt8(ascii: "\\") {
        index += 1
      }
      index += 1
    }
    return nil
  }

  private func bareCell(at start: Int, _ limit: Int) -> (range: Range<Int>, end: Int)? {
    let cell = text[start..<limit].prefix { ASCII.isWord($0) || ".+:?$@%".utf8.contains($0) }
    return cell.isEmpty ? nil : (cell.startIndex..<cell.endIndex, cell.endIndex)
  }

  // MARK: Keys

  /// `Private-Lines: 2` and so many lines, in a PuTTY key.
  private mutating func readKey(behind word: Range<Int>) {
    guard text[..<word.lowerBound].suffix(8).elementsEqual("Private-".utf8),
      byte(at: word.upperBound) == UInt8(ascii: ":")
    else { return }
    let digits = text[(word.upperBound + 1)...].drop(while: ASCII.isBlank).prefix(4).prefix(
      while: ASCII.isDigit)
    let count = Int(String(decoding: digits, as: UTF8.self)) ?? 0
    let body = text[digits.endIndex...].prefix(Self.maximumValueBytes).drop(while: ASCII.isSpace)
    let lines = body.split(
      maxSplits: count, whereSeparator: { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn }
    )
    .prefix(count)
    guard let end = lines.last?.endIndex, let start = lines.first?.startIndex,
      !search.isRedacted(text[start..<end]),
      Placeholder.end(in: text, at: start) == nil
    else { return }
    finds.add(search.find(start..<end, text[start..<end], "a private key"))
    index = max(index, end)
  }

  // MARK: Wi-Fi

  /// `WIFI:T:WPA;S:home;P:…;;`, what a code on a wall says.
  private mutating func readNetwork(behind word: Range<Int>) {
    guard byte(at: word.upperBound) == UInt8(ascii: ":") else { return }
    var start = word.upperBound + 1
    let limit = min(text.endIndex, start + Self.maximumCommandBytes)
    while start < limit, text[start] >= ASCII.space, text[start] != UInt8(ascii: ";") {
      var end = start
      while end < limit, text[end] >= ASCII.space, text[end] != UInt8(ascii: ";") {
        end += text[end] == UInt8(ascii: "\\") ? 2 : 1
      }
      end = min(end, limit)
      if text[start..<end].starts(with: "P:".utf8) {
        _ = addValue(start + 2..<end, named: word, .strong)
        return
      }
      start = end + 1
    }
  }

  // MARK: Logins

  /// `AUTH default …` in Redis and mail, `USER bob` and `PASS …` in files and mail; returns whether it was read.
  mutating func readLogin(_ name: Range<Int>) -> Bool {
    let isPass = text[name].elementsEqual("PASS".utf8)
    guard isPass || text[name].elementsEqual("AUTH".utf8) else { return false }
    let before = text[..<name.lowerBound].suffix(Self.maximumCommandBytes)
    let isPrompt = before.suffix(2).elementsEqual("> ".utf8) || before.suffix(3).elementsEqual(" 3 ".utf8)
    guard isPrompt || before.last.map({ $0 == ASCII.lineFeed }) ?? true else { return false }
    if isPass {
      let line = before.split(whereSeparator: { $0 < ASCII.space }).last
      guard line?.starts(with: "USER ".utf8) == true else { return false }
    }
    let words = words(behind: name.upperBound)
    guard let password = words.last, words.count <= (isPass ? 1 : 2), !OrdinaryText.isFiller(words[0]),
      !isOrdinary(password)
    else { return false }
    // `AUTH LOGIN`, `AUTH TLS` only say how.
    if words.count == 1, password.allSatisfy({ $0 &- 0x41 < 26 || $0 == UInt8(ascii: "-") }) { return false }
    return addValue(password.startIndex..<password.endIndex, named: name, .strong)
  }

  /// The words on the line behind a place.
  private func words(behind end: Int) -> [ArraySlice<UInt8>] {
    text[end...].prefix(Self.maximumCommandBytes).prefix { $0 >= ASCII.space }.split(separator: ASCII.space)
  }

  /// `ACL SETUSER bob on >… ~*` in Redis.
  private mutating func readUser(behind word: Range<Int>) {
    for rule in words(behind: word.upperBound) where rule.first == UInt8(ascii: ">") && rule.count > 1 {
      _ = addValue(rule.startIndex + 1..<rule.endIndex, named: word, .strong)
    }
  }

  // MARK: Kubernetes

  /// The secrets in manifests of Kubernetes in YAML, whose names tell nothing.
  func manifestFinds() -> [Find] {
    guard text.count > Self.minimumManifestBytes, Self.has(ASCII.lineFeed, in: text),
      ByteSearch.first(Self.secretKind, in: text) != nil
    else { return [] }
    var finds: [Find] = []
    var lines: [ArraySlice<UInt8>] = []
    for line in text.split(separator: ASCII.lineFeed) {
      if line.starts(with: "---".utf8) {
        finds += self.finds(inManifest: lines)
        lines = []
      } else {
        lines.append(line)
      }
    }
    return finds + self.finds(inManifest: lines)
  }

  private static let secretKind = Array("kind: Secret".utf8)
  private static let minimumManifestBytes = 24

  private func finds(inManifest lines: [ArraySlice<UInt8>]) -> [Find] {
    var kinds: Set<Int> = []
    for line in lines {
      let content = Self.content(line)
      if content.elementsEqual(Self.secretKind) { kinds.insert(content.startIndex - line.startIndex) }
    }
    guard !kinds.isEmpty else { return [] }
    var finds: [Find] = []
    // The column of `data`, and of the name of a block of lines within it.
    var (data, block): (Int?, (column: Int, name: ArraySlice<UInt8>, range: Range<Int>?)?) = (nil, nil)
    func endBlock() {
      if let last = block, let range = last.range { addMember(range, named: last.name, to: &finds) }
      block = nil
    }
    for line in lines {
      let content = Self.content(line)
      let column = content.startIndex - line.startIndex
      if content.isEmpty || content.first == UInt8(ascii: "#") { continue }
      if let open = block, column > open.column {
        block?.range = (open.range?.lowerBound ?? content.startIndex)..<content.endIndex
        continue
      }
      endBlock()
      if let start = data, column <= start { data = nil }
      guard data != nil else {
        let isData = ["data:", "stringData:"].contains { content.elementsEqual($0.utf8) }
        if isData, kinds.contains(column) { data = column }
        continue
      }
      guard let colon = content.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let value = Self.content(content[(colon + 1)...])
      if let first = value.first, first == UInt8(ascii: "|") || first == UInt8(ascii: ">") {
        block = (column, content[..<colon], nil)
      } else {
        let isQuoted = value.count > 1 && Self.isQuote(value[value.startIndex]) && value.first == value.last
        let inner = isQuoted ? value.dropFirst().dropLast() : value
        addMember(inner.startIndex..<inner.endIndex, named: content[..<colon], to: &finds)
      }
    }
    endBlock()
    return finds
  }

  private func addMember(_ range: Range<Int>, named name: ArraySlice<UInt8>, to finds: inout [Find]) {
    let value = text[range]
    guard search.isSecret(value, under: .strong) else { return }
    let find =
      search.find(encoded: value, named: name, under: .strong)
      ?? search.find(range, value, SecretSearch.named, named: name)
    if let find { finds.append(find) }
  }

  /// A line's content, without blanks around it and the hyphen of a list.
  private static func content(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line.drop(while: ASCII.isSpace)
    if line.starts(with: "- ".utf8) { line = line.dropFirst(2).drop(while: ASCII.isSpace) }
    while let last = line.last, ASCII.isSpace(last) { line = line.dropLast() }
    return line
  }
}
