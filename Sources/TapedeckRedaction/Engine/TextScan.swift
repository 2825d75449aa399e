import TapedeckHTTP

/// Finds the secrets in a text of any kind, in one pass forward.
///
/// A secret is known by its shape, by what is written before it (`password=…`, `"token": "…"`, `<Password>…`), as part of
/// a URL, or inside base64. How far the scan reads ahead or back from any one place is bounded, so the time grows with
/// the length of the text.
struct TextScan {
  static let maximumNameBytes = 80
  static let maximumValueBytes = 16 * 1024
  static let maximumAuthorityBytes = 16 * 1024
  static let maximumDepth = 2
  /// The shortest base64 that is decoded; it holds 18 bytes.
  private static let minimumEncodedBytes = 24
  /// The shortest run of letters, digits, `_` and `-` in any secret with a shape: PEM's `-----BEGIN`.
  private static let minimumWordBytes = 10

  let search: SecretSearch
  let text: ArraySlice<UInt8>
  private let depth: Int
  var finds = Finds()
  var index: Int
  /// The end of the last run of base64 that was read.
  private var encodedEnd: Int
  /// The end of the last percent-encoded run that was read.
  private var percentEnd: Int

  init(_ text: ArraySlice<UInt8>, _ search: SecretSearch, depth: Int) {
    self.text = text
    self.search = search
    self.depth = depth
    index = text.startIndex
    encodedEnd = text.startIndex
    percentEnd = text.startIndex
  }

  /// Whether a text can hold a secret: it has a long word, or a mark that a value may follow.
  static func mayHide(_ text: ArraySlice<UInt8>) -> Bool {
    text.withUnsafeBufferPointer { mayHide($0) }
  }

  static func mayHide(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.count >= 4
      && (TextQuickCheck.hasMark(in: text) || TextQuickCheck.hasWord(of: minimumWordBytes, in: text))
  }

  mutating func run() -> Finds {
    while index < text.endIndex {
      let byte = text[index]
      if ASCII.isAlphanumeric(byte) {
        readWord()
      } else {
        readMark(byte)
      }
    }
    return finds
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

  func byte(at index: Int) -> UInt8? { text.indices.contains(index) ? text[index] : nil }

  // MARK: Shapes

  /// Steps over a run of letters and digits, or over the secret that begins with it.
  private mutating func readWord() {
    if let end = Placeholder.end(in: text, at: index) {
      index = end
    } else if let found = TokenShapes.match(text, at: index) {
      add(found)
    } else {
      let end = wordEnd
      if index >= encodedEnd, mayBeEncoded(to: end), readEncoded() { return }
      index = end
      // A placeholder behind `%3D` begins where that word seems to end.
      let start = index - 8
      if start >= text.startIndex, let end = Placeholder.end(in: text, at: start) { index = end }
    }
  }

  private mutating func add(_ found: TokenShapes.Found) {
    let range = found.start..<found.end
    finds.add(search.find(range, text[range], found.looksLike))
    index = max(index, found.end)
  }

  /// The end of the run of letters and digits at `index`.
  private var wordEnd: Int {
    text.withUnsafeBufferPointer { bytes in
      var end = index - text.startIndex
      while end < bytes.count, ASCII.isAlphanumeric(bytes[end]) { end += 1 }
      return end + text.startIndex
    }
  }

  /// The opening of PEM, or hyphens.
  private mutating func readHyphen() {
    if let found = TokenShapes.match(text, at: index), found.bodyCount >= search.thresholds.minimumKeyBytes {
      add(found)
    } else {
      index += 1
    }
  }

  // MARK: Percent

  /// Decodes the percent-encoded text around a `%`: a URL within a URL, a form in a log.
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

  /// Whether a word that ends at `end` is long enough for base64, or goes on as only base64 does.
  private func mayBeEncoded(to end: Int) -> Bool {
    end - index >= Self.minimumEncodedBytes || end < text.endIndex && Self.isEncoded(text[end])
  }

  private static func isEncoded(_ byte: UInt8) -> Bool {
    ASCII.isWord(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
  }

  /// Decodes the run of base64 that begins here; whether it holds a secret.
  private mutating func readEncoded() -> Bool {
    let run = text[index...].prefix(while: Self.isEncoded)
    encodedEnd = run.endIndex
    guard run.count >= Self.minimumEncodedBytes, depth < Self.maximumDepth else { return false }
    let padding = text[run.endIndex...].prefix(2).prefix { $0 == UInt8(ascii: "=") }
    let packed = search.thresholds.opensPackedText ? LooseBase64.unpackedText(run) : nil
    guard let decoded = packed ?? LooseBase64.decodedText(run) else { return false }
    let inner = search.value(decoded[...], depth: depth + 1)
    guard !inner.isEmpty else { return false }
    let range = index..<padding.endIndex
    let redacted = inner.applied(to: decoded[...])
    let content = packed == nil ? redacted : BodyCoding.gzip.encoded(redacted) ?? redacted
    var find = Find(range: range, replacement: LooseBase64.encode(content, like: text[range]))
    if let evidence = inner.ordered.lazy.compactMap(\.evidence).first {
      find.evidence = Evidence("\(evidence.looksLike), in base64", evidence.secret, named: [])
      find.evidence?.run = (Array(text[range]), find.replacement)
    }
    finds.add(find)
    index = padding.endIndex
    return true
  }
}
