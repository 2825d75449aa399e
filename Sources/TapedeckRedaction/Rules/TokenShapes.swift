import TapedeckHTTP

/// Recognizes secrets by their shape: the keys of the providers in `shapes.json`, JSON Web Tokens, private keys
/// in PEM. Each shape defines exactly what may follow its prefix, so that ordinary words do not match.
enum TokenShapes {
  struct Found {
    /// Where the secret starts when the prefix is not part of it, as in the address of a webhook.
    var start: Int
    var end: Int
    var kind: String
    /// The description for people: `a GitHub token`.
    var looksLike: String
    /// The number of bytes after the prefix, or after the opening line of a PEM key.
    var bodyCount: Int
  }

  /// The shapes of `shapes.json`, for quick search.
  private struct Table {
    var shapes: [SecretShape]
    /// For each first byte, the second bytes, as a bit for the low five bits of each.
    var seconds = [UInt32](repeating: 0, count: 256)
    /// The shapes for each of these beginnings, which have 13 bits.
    var buckets = [[Candidate]](repeating: [], count: 256 << 5)
    var anchors: [Anchor] = []

    /// Longer prefixes are tried first: `sk-ant-` before `sk-`.
    init(_ rows: [SecretShape]) {
      let order = rows.indices.sorted { (rows[$1].prefix.count, $0) < (rows[$0].prefix.count, $1) }
      shapes = order.map { rows[$0] }
      for index in shapes.indices {
        if let anchor = shapes[index].anchor {
          anchors.append(Anchor(offset: anchor.offset, byte: anchor.byte, shape: index))
        } else {
          add(index)
        }
      }
    }

    private mutating func add(_ index: Int) {
      let beginning = shapes[index].beginning
      let bits = beginning.second.lowBits
      let candidate = Candidate(shapes[index], index: index)
      for first in beginning.first.elements.map(Int.init) {
        seconds[first] |= bits
        for bit in 0..<32 where bits >> UInt32(bit) & 1 == 1 { buckets[first << 5 | bit].append(candidate) }
      }
    }
  }

  /// A shape that may be at a place, told by the first eight bytes.
  private struct Candidate {
    /// The beginning of the prefix, and the bits of an integer in which it is.
    private var head: UInt64 = 0
    private var mask: UInt64 = 0
    /// The class behind the prefix, and where its bytes must be.
    private var lead: ByteSet
    private var leadBits: Range<UInt64>
    var index: Int

    init(_ shape: SecretShape, index: Int) {
      self.index = index
      for (place, byte) in shape.prefix.prefix(8).enumerated() {
        head |= UInt64(byte) << UInt64(place * 8)
        mask |= 0xFF << UInt64(place * 8)
      }
      lead = shape.lead.bytes
      let start = min(8, shape.prefix.count)
      leadBits = UInt64(start * 8)..<UInt64(min(8, start + shape.lead.count) * 8)
    }

    func fits(_ bytes: UInt64) -> Bool {
      guard bytes & mask == head else { return false }
      var bit = leadBits.lowerBound
      while bit < leadBits.upperBound, lead.contains(UInt8(truncatingIfNeeded: bytes >> bit)) { bit += 8 }
      return bit >= leadBits.upperBound
    }
  }

  /// The first byte that a shape without a prefix has in every match.
  private struct Anchor {
    var offset: Int
    var byte: UInt8
    var shape: Int
  }

  private static let table = Table(rows.compactMap(shape))
  private static let shapes = table.shapes
  private static let seconds = table.seconds
  private static let buckets = table.buckets
  private static let anchors = table.anchors

  /// The rows of `shapes.json`. Each has the kind (for placeholders and `--keep`), the description for people,
  /// the pattern, its source, an example that must be found, and one that must not.
  static var rows: [JSONValue] {
    (try? JSONValue(parsing: PackageResources.shapes_json))?.array ?? []
  }

  static func shape(_ row: JSONValue) -> SecretShape? {
    guard let kind = row["kind"]?.text, let looksLike = row["is"]?.text, let pattern = row["pattern"]?.text
    else { return nil }
    return SecretShape(kind: kind, looksLike: looksLike, pattern: pattern)
  }

  /// The secret that begins at `start`, which must be the beginning of a word.
  static func match(_ text: ArraySlice<UInt8>, at start: Int) -> Found? {
    let first = text[start]
    if first == UInt8(ascii: "e"), let token = webToken(text, at: start) { return token }
    if first == UInt8(ascii: "-") { return privateKey(text, at: start) }
    if let found = text.withUnsafeBufferPointer({ row($0, at: start - text.startIndex, text.startIndex) }) {
      return found
    }
    return first &- UInt8(ascii: "M") < 3 ? discordBot(text, at: start) : nil
  }

  private static func row(_ text: UnsafeBufferPointer<UInt8>, at start: Int, _ base: Int) -> Found? {
    guard start + 1 < text.count else { return nil }
    let (first, second) = (Int(text[start]), Int(text[start + 1] & 0x1F))
    if seconds[first] >> UInt32(second) & 1 == 1 {
      let bytes = bytes(of: text, at: start)
      for candidate in buckets[first << 5 | second] where candidate.fits(bytes) {
        if let found = found(shapes[candidate.index], in: text, at: start, base) { return found }
      }
    }
    guard mayHaveAnchor(text, at: start) else { return nil }
    for anchor in anchors {
      let place = start + anchor.offset
      guard place < text.count, text[place] == anchor.byte else { continue }
      if let found = found(shapes[anchor.shape], in: text, at: start, base) { return found }
    }
    return nil
  }

  /// The next eight bytes, with zeros behind the end.
  private static func bytes(of text: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt64 {
    guard start + 8 > text.count else {
      let raw = UnsafeRawBufferPointer(text)
      return UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: start, as: UInt64.self))
    }
    return text[start...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Whether the next bytes are those of a shape without a prefix, unlike words with spaces or quotes behind.
  private static func mayHaveAnchor(_ text: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    guard start + SecretShape.minimumAnchoredBytes <= text.count else { return false }
    return !hasByteBelowAnchored(bytes(of: text, at: start))
      && !hasByteBelowAnchored(bytes(of: text, at: start + 8))
  }

  /// Whether one of eight bytes is below the least of anchored shapes: then its subtraction borrows.
  private static func hasByteBelowAnchored(_ bytes: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    return (bytes &- ones &* UInt64(SecretShape.minimumAnchoredByte)) & ~bytes & (ones << 7) != 0
  }

  private static func found(
    _ shape: SecretShape, in text: UnsafeBufferPointer<UInt8>, at start: Int, _ base: Int
  ) -> Found? {
    guard let (secret, end) = shape.match(in: text, at: start) else { return nil }
    return Found(
      start: base + secret.lowerBound, end: base + secret.upperBound, kind: shape.kind,
      looksLike: shape.looksLike, bodyCount: end - start - shape.prefix.count)
  }

  /// A bot's number in base64, which begins with `M`, `N` or `O`, then two more parts.
  private static func discordBot(_ text: ArraySlice<UInt8>, at start: Int) -> Found? {
    let number = text[start...].prefix(32).prefix(while: ASCII.isWord)
    guard (22...28).contains(number.count), let time = part(text, behind: number.endIndex), time.count == 6,
      let sum = part(text, behind: time.endIndex), (27...45).contains(sum.count),
      let digits = Base64.decodeText(number), digits.allSatisfy(ASCII.isDigit)
    else { return nil }
    return Found(
      start: start, end: sum.endIndex, kind: "discord", looksLike: "a Discord bot token",
      bodyCount: sum.endIndex - start)
  }

  // MARK: JSON Web Tokens

  /// Three parts of base64url, the last possibly empty (RFC 7519 §6.1), or the five of an encrypted token
  /// (RFC 7516 §3.1). The header is JSON, so it begins with `{"`.
  private static func webToken(_ text: ArraySlice<UInt8>, at start: Int) -> Found? {
    // Tests only the beginning of a word, so that a run of words is read once.
    if start > text.startIndex, ASCII.isWord(text[start - 1]) { return nil }
    guard text[start...].starts(with: "eyJ".utf8) else { return nil }
    let header = text[start...].prefix(while: ASCII.isWord)
    guard header.count >= 12, let payload = part(text, behind: header.endIndex), payload.count >= 2,
      var last = part(text, behind: payload.endIndex)
    else { return nil }
    guard last.count > 0 || payload.starts(with: "ey".utf8) else { return nil }
    var looksLike = "a JSON Web Token"
    for _ in 0..<2 where last.count > 0 {
      guard let next = part(text, behind: last.endIndex), next.count >= 8 else { break }
      last = next
      looksLike = "an encrypted JSON Web Token"
    }
    return Found(
      start: start, end: last.endIndex, kind: "jwt", looksLike: looksLike, bodyCount: last.endIndex - start)
  }

  private static func part(_ text: ArraySlice<UInt8>, behind dot: Int) -> ArraySlice<UInt8>? {
    guard dot < text.endIndex, text[dot] == UInt8(ascii: ".") else { return nil }
    return text[(dot + 1)...].prefix(while: ASCII.isWord)
  }

  // MARK: PEM

  private static let pemOpening = Array("-----BEGIN ".utf8)
  private static let maximumLabelBytes = 64
  /// Far above the largest key, so that text full of PEM openings is still read quickly.
  private static let maximumPEMBytes = 64 * 1024

  /// A private key (RFC 7468 §10 and similar). A truncated key ends with its last base64 character.
  private static func privateKey(_ text: ArraySlice<UInt8>, at start: Int) -> Found? {
    guard text[start...].starts(with: pemOpening) else { return nil }
    let label = text[(start + pemOpening.count)...].prefix(maximumLabelBytes).prefix {
      $0 == UInt8(ascii: " ") || ASCII.isAlphanumeric($0)
    }
    guard ByteSearch.first(Array("PRIVATE KEY".utf8), in: label) != nil,
      text[label.endIndex...].starts(with: "-----".utf8)
    else { return nil }
    let closing = Array("-----END ".utf8) + label + Array("-----".utf8)
    let body = text[(label.endIndex + 5)...]
    let bodyEnd = ByteSearch.first(closing, in: body.prefix(maximumPEMBytes))
    let cutEnd = bodyEnd == nil ? body.firstIndex { !isInKey($0) } ?? text.endIndex : text.endIndex
    return Found(
      start: start, end: bodyEnd.map { $0 + closing.count } ?? cutEnd, kind: "pem",
      looksLike: "a private key", bodyCount: (bodyEnd ?? cutEnd) - body.startIndex)
  }

  private static func isInKey(_ byte: UInt8) -> Bool {
    ASCII.isSpace(byte) || ASCII.isAlphanumeric(byte) || "+/=\\:,-".utf8.contains(byte)
  }
}
