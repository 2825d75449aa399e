import TapedeckHTTP

/// What secrets of one kind look like: a row of `shapes.json`.
///
/// A pattern is a small part of a regular expression, and means what it means there:
/// - A byte stands for itself, also behind `\`.
/// - `[A-Za-z0-9_-]` is one of these bytes.
/// - `{8}` or `{8,12}` after a class is the number of bytes of it. In the class with the highest least number,
///   one must be a digit or a capital, because words joined by hyphens have neither.
/// - `(…)` encloses the secret, if it is not the whole.
///
/// The word must end with the match: a class at the end takes all bytes it can, and more than its count is no
/// match; a full stop at the end of a class ends a sentence; no letter or digit follows a literal at the end.
struct SecretShape: Sendable {
  var kind: String
  /// The description for people: `a GitHub token`.
  var looksLike: String
  /// The bytes with which every match begins.
  private(set) var prefix: [UInt8] = []
  private var elements: [Element] = []
  /// The elements before which the secret starts and ends.
  private var secret = 0..<0
  /// The element that must have a digit or a capital.
  private var longest = 0

  private struct Element {
    var bytes: ByteSet
    var count: ClosedRange<Int> = 1...1
    var isCounted = false
  }

  /// The most attempts to match one element, against patterns and texts that are slow together.
  private static let maximumAttempts = 2000

  /// Fails for a pattern that is not in the language, or not for two bytes or more.
  init?(kind: String, looksLike: String, pattern: String) {
    (self.kind, self.looksLike) = (kind, looksLike)
    var parser = PatternParser(bytes: Array(pattern.utf8)[...])
    var (opening, closing): (Int?, Int?)
    while let byte = parser.bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "("): opening = elements.count
      case UInt8(ascii: ")"): closing = elements.count
      case UInt8(ascii: "["):
        guard let set = parser.set() else { return nil }
        let isCounted = parser.bytes.first == UInt8(ascii: "{")
        let count = parser.count()
        guard isCounted == (count != nil) else { return nil }
        elements.append(Element(bytes: set, count: count ?? 1...1, isCounted: count != nil))
      case UInt8(ascii: "\\"):
        guard let byte = parser.bytes.popFirst() else { return nil }
        add(byte)
      case UInt8(ascii: "{"): return nil
      default: add(byte)
      }
    }
    let counted = elements.indices.filter { elements[$0].isCounted }
    longest = counted.max { elements[$0].count.lowerBound < elements[$1].count.lowerBound } ?? 0
    secret = (opening ?? 0)..<(closing ?? elements.count)
    guard elements.first?.count.lowerBound ?? 0 > 0, elements.count > 1 else { return nil }
  }

  private mutating func add(_ byte: UInt8) {
    if prefix.count == elements.count { prefix.append(byte) }
    elements.append(Element(bytes: ByteSet(byte)))
  }

  // MARK: Dispatch

  /// The first and the second bytes of all matches.
  var beginning: (first: ByteSet, second: ByteSet) {
    let first = elements[0]
    if first.count.lowerBound > 1 { return (first.bytes, first.bytes) }
    let rest = elements[1].bytes
    return (first.bytes, first.count.upperBound > 1 ? first.bytes.union(rest) : rest)
  }

  /// The class behind the prefix, and its least number of bytes.
  var lead: (bytes: ByteSet, count: Int) {
    guard prefix.count < elements.count else { return (ByteSet(), 0) }
    return (elements[prefix.count].bytes, elements[prefix.count].count.lowerBound)
  }

  /// Every match of a shape with an anchor has so many bytes, and only bytes from this one on.
  static let minimumAnchoredBytes = 16
  static let minimumAnchoredByte = UInt8(ascii: "+")

  /// The first byte that all matches share, and its offset, for patterns that begin with a class.
  var anchor: (offset: Int, byte: UInt8)? {
    guard prefix.isEmpty, elements.reduce(0, { $0 + $1.count.lowerBound }) >= Self.minimumAnchoredBytes,
      elements.allSatisfy({ $0.bytes.elements.allSatisfy { $0 >= Self.minimumAnchoredByte } })
    else { return nil }
    var offset = 0
    for element in elements {
      if let byte = element.bytes.only { return (offset, byte) }
      guard element.count.lowerBound == element.count.upperBound else { return nil }
      offset += element.count.lowerBound
    }
    return nil
  }

  // MARK: Matching

  private struct Match {
    var text: UnsafeBufferPointer<UInt8>
    var attempts = SecretShape.maximumAttempts
    var secret: (start: Int, end: Int)
    var end: Int
    var isMixed = false
  }

  /// The secret in the match that begins at `start`, and the end of the match.
  func match(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> (secret: Range<Int>, end: Int)? {
    guard text.count - start > prefix.count else { return nil }
    for index in prefix.indices where text[start + index] != prefix[index] { return nil }
    let body = start + prefix.count
    var match = Match(text: text, secret: (start, start), end: start)
    guard matches(prefix.count, at: body, &match), match.isMixed else { return nil }
    if secret.lowerBound < prefix.count { match.secret.start = start + secret.lowerBound }
    return (match.secret.start..<match.secret.end, match.end)
  }

  private func matches(_ index: Int, at start: Int, _ match: inout Match) -> Bool {
    match.attempts -= 1
    guard match.attempts > 0 else { return false }
    guard index < elements.count else { return ends(at: start, &match) }
    let element = elements[index]
    let isLast = index == elements.count - 1
    var end = run(of: element, at: start, in: match.text, isLast: isLast)
    guard end - start <= element.count.upperBound else { return false }
    while end - start >= element.count.lowerBound {
      if matches(index + 1, at: end, &match) {
        if index == longest { match.isMixed = isMixed(match.text[start..<end]) }
        if index == secret.lowerBound { match.secret.start = start }
        if index == secret.upperBound { match.secret.end = start }
        return true
      }
      guard !isLast else { return false }
      end -= 1
    }
    return false
  }

  /// The end of the bytes of a class: of its count at most, or one more for the last class.
  private func run(
    of element: Element, at start: Int, in text: UnsafeBufferPointer<UInt8>, isLast: Bool
  ) -> Int {
    let isOpen = isLast && element.isCounted
    let limit = min(text.count, start + element.count.upperBound + (isOpen ? 1 : 0))
    var end = start
    while end < limit, element.bytes.contains(text[end]) { end += 1 }
    if isOpen, end > start, text[end - 1] == UInt8(ascii: ".") { end -= 1 }
    return end
  }

  private func ends(at end: Int, _ match: inout Match) -> Bool {
    if elements.last?.isCounted == false, end < match.text.count, ASCII.isAlphanumeric(match.text[end]) {
      return false
    }
    match.end = end
    if secret.upperBound == elements.count { match.secret.end = end }
    return true
  }

  private func isMixed(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    bytes.contains { ASCII.isDigit($0) || $0 &- 0x41 < 26 }
  }
}

/// A set of bytes.
struct ByteSet: Sendable {
  private var bits = SIMD4<UInt64>()

  init() {}

  init(_ byte: UInt8) { insert(byte) }

  mutating func insert(_ byte: UInt8) { bits[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

  func contains(_ byte: UInt8) -> Bool { bits[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1 }

  func union(_ other: ByteSet) -> ByteSet {
    var union = self
    union.bits |= other.bits
    return union
  }

  var elements: [UInt8] { (0...UInt8.max).filter(contains) }

  /// The low five bits of all bytes, as bits.
  var lowBits: UInt32 {
    let all = bits[0] | bits[1] | bits[2] | bits[3]
    return UInt32(truncatingIfNeeded: all | all >> 32)
  }

  /// The byte, if there is only one.
  var only: UInt8? {
    guard bits.indices.reduce(0, { $0 + bits[$1].nonzeroBitCount }) == 1 else { return nil }
    return elements.first
  }
}

/// Reads the classes and the counts of a pattern.
private struct PatternParser {
  var bytes: ArraySlice<UInt8>

  /// The bytes up to `]`.
  mutating func set() -> ByteSet? {
    var set = ByteSet()
    while let first = bytes.popFirst(), first != UInt8(ascii: "]") {
      guard let low = first == UInt8(ascii: "\\") ? bytes.popFirst() : first else { return nil }
      var high = low
      if bytes.first == UInt8(ascii: "-"), let end = bytes.dropFirst().first, end != UInt8(ascii: "]") {
        bytes = bytes.dropFirst(2)
        high = end
      }
      guard low <= high else { return nil }
      for byte in low...high { set.insert(byte) }
    }
    return set
  }

  /// The count in braces, if there is one.
  mutating func count() -> ClosedRange<Int>? {
    guard bytes.first == UInt8(ascii: "{"), let end = bytes.firstIndex(of: UInt8(ascii: "}")) else {
      return nil
    }
    let parts = bytes[..<end].dropFirst().split(separator: UInt8(ascii: ","))
    let numbers = parts.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    bytes = bytes[(end + 1)...]
    guard let least = numbers.first, let most = numbers.last, least <= most else { return nil }
    return least...most
  }
}
