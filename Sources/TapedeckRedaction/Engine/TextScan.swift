import TapedeckHTTP

/// Finds the secrets in any text, in one forward pass.
///
/// A secret is recognized by its shape, by the text before it (`password=…`, `"token": "…"`, `<Password>…`),
/// as part of a URL, or inside base64. The distance read ahead or back is bounded, so the time is linear.
struct TextScan {
  static let maximumNameBytes = 80
  static let maximumValueBytes = 16 * 1024
  static let maximumAuthorityBytes = 16 * 1024
  static let maximumDepth = 2
  /// The shortest base64 that is decoded; it holds 18 bytes.
  static let minimumEncodedBytes = 24
  /// The shortest run of letters, digits, `_` and `-` in a secret with a shape: PEM's `-----BEGIN`.
  static let minimumWordBytes = 10
  private static let minimumClosedKeyBytes = 8
  /// The shortest PEM private key without an end that is hidden; shorter ones appear in texts about keys.
  private static let minimumKeyBytes = 40

  let search: SecretSearch
  let text: ArraySlice<UInt8>
  private let depth: Int
  var finds = Finds()
  var index: Int
  /// The name whose value stands in the next XML element.
  var heldName: HeldName?
  /// How many parameters of an XML-RPC call come before its password.
  var parametersLeft: Int?
  /// The end of the rows of the last SQL statement; none begins in them.
  var rowsEnd: Int
  private var encodedEnd: Int
  private var percentEnd: Int

  init(_ text: ArraySlice<UInt8>, _ search: SecretSearch, depth: Int) {
    self.text = text
    self.search = search
    self.depth = depth
    index = text.startIndex
    rowsEnd = text.startIndex
    encodedEnd = text.startIndex
    percentEnd = text.startIndex
  }

  mutating func run() -> Finds {
    if depth == 0 { add(tableFinds() ?? manifestFinds()) }
    while index < text.endIndex { step() }
    return finds
  }

  /// Adds finds in order, and reads the text between them.
  mutating func add(_ list: [Find]) {
    for find in list {
      while index < find.range.lowerBound { step() }
      guard index == find.range.lowerBound else { continue }
      finds.add(find)
      index = find.range.upperBound
    }
  }

  /// Reads what begins at the index, and moves behind it.
  mutating func step() {
    let byte = text[index]
    if ASCII.isAlphanumeric(byte) {
      readWord()
    } else {
      readMark(byte)
    }
  }

  private mutating func readMark(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "="): readAssignment()
    case UInt8(ascii: ":"): readColon()
    case UInt8(ascii: "<"): readTag()
    case UInt8(ascii: "-"): readHyphen()
    case UInt8(ascii: "%"): readPercent()
    case UInt8(ascii: "\""), UInt8(ascii: "'"): readQuote()
    case UInt8(ascii: "$"): readDollar()
    case 0xEF: readWideColon()
    case ASCII.tab: readTab()
    default: index += 1
    }
  }

  func byte(at index: Int) -> UInt8? { text.indices.contains(index) ? text[index] : nil }

  // MARK: Shapes

  /// Skips a run of letters and digits, or the secret that begins with it.
  private mutating func readWord() {
    if let end = Placeholder.end(in: text, at: index) {
      index = end
    } else if let found = TokenShapes.match(text, at: index) {
      add(found)
    } else {
      let start = index
      let end = wordEnd
      if ASCII.isDigit(text[start]), readCode(to: end) { return }
      if index >= encodedEnd, mayBeEncoded(to: end), readEncoded() { return }
      index = end
      // A placeholder after `%3D` begins where that word seems to end.
      let last = index - 8
      if last >= text.startIndex, let end = Placeholder.end(in: text, at: last) { index = end }
      guard index == end else { return }
      if readStatement(start..<end) { return }
      if byte(at: end) == ASCII.space, mayName(text[start..<end]) { readBlank(behind: end) }
    }
  }

  /// Reads the hash of a password as crypt(3) writes it: `$6$…`.
  private mutating func readDollar() {
    if let found = TokenShapes.match(text, at: index) {
      add(found)
    } else {
      index += 1
    }
  }

  private mutating func add(_ found: TokenShapes.Found) {
    let range = found.start..<found.end
    finds.add(search.find(range, text[range], found.looksLike))
    index = max(index, found.end)
  }

  private var wordEnd: Int {
    text.withUnsafeBufferPointer { bytes in
      var end = index - text.startIndex
      while end < bytes.count, ASCII.isAlphanumeric(bytes[end]) { end += 1 }
      return end + text.startIndex
    }
  }

  /// Reads a PEM opening, the option of a command, or hyphens.
  private mutating func readHyphen() {
    if let found = TokenShapes.match(text, at: index), isKey(found) {
      add(found)
    } else if !readOption() {
      index += 1
    }
  }

  /// Whether a PEM opening begins a key, unlike one in a text about keys.
  private func isKey(_ found: TokenShapes.Found) -> Bool {
    let isClosed = text[..<found.end].suffix(5).elementsEqual("-----".utf8)
    return found.bodyCount >= (isClosed ? Self.minimumClosedKeyBytes : Self.minimumKeyBytes)
  }

  // MARK: Percent

  /// Decodes the percent-encoded text around a `%`, such as a URL in a URL or a form in a log.
  private mutating func readPercent() {
    let earliest = max(percentEnd, finds.list.last?.range.upperBound ?? text.startIndex)
    let mark = index
    index += 1
    guard mark >= earliest, depth < Self.maximumDepth else { return }
    let start = text[earliest..<mark].lastIndex { !Self.isPercentEncoded($0) }.map { $0 + 1 } ?? earliest
    let run = text[start...].prefix(while: Self.isPercentEncoded)
    percentEnd = run.endIndex
    let decoded = DecodedText(run, .path)
    let inner = decoded.encoded(search.value(decoded.bytes, depth: depth + 1))
    guard decoded.bytes.count < run.count else { return }
    finds.add(inner)
    index = run.endIndex
  }

  private static func isPercentEncoded(_ byte: UInt8) -> Bool {
    ASCII.isWord(byte) || "%.~+*!:".utf8.contains(byte)
  }

  // MARK: Base64

  /// Whether a word that ends at `end` is long enough for base64, or continues as only base64 does.
  private func mayBeEncoded(to end: Int) -> Bool {
    end - index >= Self.minimumEncodedBytes || end < text.endIndex && Self.isEncoded(text[end])
  }

  private static func isEncoded(_ byte: UInt8) -> Bool {
    ASCII.isWord(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
  }

  /// The gzipped text in a run of base64; `nil` for anything else.
  private static func unpackedText(_ run: ArraySlice<UInt8>) -> [UInt8]? {
    // The first bytes of every gzip file, encoded (RFC 1952 §2.3.1).
    guard run.starts(with: "H4sI".utf8) else { return nil }
    let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - run.count % 4) % 4)
    return Base64.decode(Array(run) + padding).flatMap { BodyCoding.gzip.decoded($0[...]) }
  }

  /// Decodes the run of base64 that begins here; returns whether it holds a secret.
  private mutating func readEncoded() -> Bool {
    let run = text[index...].prefix(while: Self.isEncoded)
    encodedEnd = run.endIndex
    guard run.count >= Self.minimumEncodedBytes, depth < Self.maximumDepth else { return false }
    var padding = text[run.endIndex...].prefix(2).prefix { $0 == UInt8(ascii: "=") }
    // Padding ends base64; without the mark, what follows would become part of it.
    if let next = byte(at: padding.endIndex), Self.isEncoded(next) { padding = padding.prefix(0) }
    let packed = Self.unpackedText(run)
    guard let decoded = packed ?? Base64.decodeText(run) else { return false }
    let inner = search.value(decoded[...], depth: depth + 1)
    guard !inner.isEmpty else { return false }
    let range = index..<padding.endIndex
    let redacted = inner.applied(to: decoded[...])
    let content = packed == nil ? redacted : BodyCoding.gzip.encoded(redacted) ?? redacted
    var find = Find(range: range, replacement: Base64.encode(content, like: text[range]))
    if let report = inner.ordered.lazy.compactMap(\.report).first {
      find.report = SecretFind("\(report.looksLike), in base64", report.secret, named: [])
      find.report?.run = Array(text[range])
      find.report?.redactedRun = find.replacement
    }
    finds.add(find)
    index = padding.endIndex
    return true
  }
}
