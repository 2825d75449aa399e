import TapedeckHTTP

/// Finds the secrets in JSON, one document or several in a row, without taking it apart: what is not hidden keeps its
/// every byte.
///
/// A member is judged by its name; `{"name": "password", "value": "…"}` by the name it holds. Numbers, `true`, `false`
/// and `null` are no secrets unless the user's rules say so. Strings may hold JSON of their own.
struct JSONWalk {
  private struct Level {
    var isObject: Bool
    /// The name that the next value stands under, decoded, and what is to be done with it.
    var name: ArraySlice<UInt8> = []
    var verdict = RedactionPolicy.Verdict.judge(.none)
    var expectsName: Bool
    /// Where in the document it stands, as far as the user's rules ask for places.
    var place = JSONPathCursor([])
    var next = JSONPathCursor([])
    var count = 0
    /// Of `{"name": …, "value": …}`.
    var heldName: ArraySlice<UInt8>?
    var heldValue: Range<Int>?

    /// What is to be done with the value that comes next, and its place, when it stands in an array.
    mutating func nextVerdict() -> RedactionPolicy.Verdict {
      if !isObject, !place.isLost {
        next = place.element(count, of: .max)
        count += 1
      }
      return next.isSelected ? .hide : verdict
    }
  }

  private static let maximumDepth = 10_000

  private let pass: RedactionPass
  private let text: ArraySlice<UInt8>
  private let depth: Int
  private var levels: [Level] = []
  private(set) var edits = TextEdits()
  private var index: Int
  /// Whether the text ends inside a document, which is JSON as far as it goes.
  private(set) var isCut = false

  init(_ text: ArraySlice<UInt8>, _ pass: RedactionPass, depth: Int) {
    self.text = text
    self.pass = pass
    self.depth = depth
    index = text.startIndex
  }

  /// The edits; nil when this is no JSON.
  mutating func run() -> TextEdits? {
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "\""):
        guard let end = stringEnd() else { return nil }
        guard end < text.endIndex else { return cut() }
        readString(index + 1..<end)
        index = end + 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard levels.count < Self.maximumDepth else { return nil }
        open(isObject: text[index] == UInt8(ascii: "{"))
        index += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard close(isObject: text[index] == UInt8(ascii: "}")) else { return nil }
        index += 1
      case UInt8(ascii: ","):
        if let last = levels.indices.last, levels[last].isObject { levels[last].expectsName = true }
        index += 1
      case UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: guard readScalar() else { return nil }
      }
    }
    return levels.isEmpty ? edits : cut()
  }

  private mutating func cut() -> TextEdits? {
    isCut = true
    while let level = levels.popLast() { readPair(of: level) }
    return nil
  }

  // MARK: Levels

  private mutating func open(isObject: Bool) {
    var level = Level(isObject: isObject, expectsName: isObject)
    // What stands in an array stands under the array's name; what the user's rules say holds for all below.
    if let outer = levels.indices.last {
      let verdict = levels[outer].nextVerdict()
      level.verdict = isObject ? Self.inherited(verdict) : verdict
      if !isObject { level.name = levels[outer].name }
      level.place = levels[outer].next
    } else if depth == 0, !pass.policy.paths.isEmpty {
      level.place = JSONPathCursor(pass.policy.paths)
    }
    levels.append(level)
  }

  private static func inherited(_ verdict: RedactionPolicy.Verdict) -> RedactionPolicy.Verdict {
    if case .judge = verdict { .judge(.none) } else { verdict }
  }

  private mutating func close(isObject: Bool) -> Bool {
    guard let level = levels.popLast(), level.isObject == isObject else { return false }
    readPair(of: level)
    return true
  }

  // MARK: Values

  /// Where the string ends that begins here: the end of the text where it is cut; nil when it is malformed.
  private func stringEnd() -> Int? {
    text.withUnsafeBytes { bytes in
      var index = index + 1 - text.startIndex
      while true {
        index = JSONString.endOfPlainWords(bytes, from: index)
        guard index < bytes.count else { return text.endIndex }
        switch bytes[index] {
        case UInt8(ascii: "\""): return index + text.startIndex
        case UInt8(ascii: "\\"): index += 2
        case ..<0x20: return nil
        default: index += 1
        }
      }
    }
  }

  private mutating func readString(_ range: Range<Int>) {
    guard let last = levels.indices.last else { return hide(in: range, named: [], .judge(.none)) }
    if levels[last].expectsName { return readName(range, at: last) }
    if levels[last].isObject { hold(range, at: last) }
    hide(in: range, named: levels[last].name, levels[last].nextVerdict())
  }

  private mutating func readName(_ range: Range<Int>, at last: Int) {
    let name = DecodedText(text[range], .json)
    levels[last].expectsName = false
    levels[last].name = name.bytes
    // A name can be a secret too: tokens as keys of a table.
    if range.count >= SecretValue.minimumRandomBytes {
      edits.add(name.encoded(pass.text(name.bytes, depth: depth)))
    }
    let outer = last > 0 ? levels[last - 1].verdict : .judge(.none)
    if case .judge = outer {
      levels[last].verdict = pass.policy.verdict(on: name.bytes, in: .member)
    } else {
      levels[last].verdict = outer
    }
    if !levels[last].place.isLost { levels[last].next = levels[last].place.member(Array(name.bytes)) }
  }

  private mutating func hide(
    in range: Range<Int>, named name: ArraySlice<UInt8>, _ verdict: RedactionPolicy.Verdict
  ) {
    guard !range.isEmpty else { return }
    let value = DecodedText(text[range], .json)
    edits.add(value.encoded(pass.edits(of: value.bytes, named: name, verdict: verdict, depth: depth + 1)))
  }

  /// A number, `true`, `false` or `null`; whether it was one.
  private mutating func readScalar() -> Bool {
    let scalar = text[index...].prefix {
      ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+")
        || $0 == UInt8(ascii: ".")
    }
    guard !scalar.isEmpty else { return false }
    index = scalar.endIndex
    guard let last = levels.indices.last, !levels[last].expectsName, levels[last].nextVerdict() == .hide,
      let first = scalar.first,
      ASCII.isDigit(first) || first == UInt8(ascii: "-"),
      let placeholder = pass.replacement(of: scalar, under: .hide)
    else { return true }
    edits.add(scalar.startIndex..<scalar.endIndex, [UInt8(ascii: "\"")] + placeholder + [UInt8(ascii: "\"")])
    return true
  }

  // MARK: Names and values side by side

  private static let nameNames: [StaticString] = ["name", "key", "header", "field", "parameterkey"]
  private static let valueNames: [StaticString] = ["value", "parametervalue"]

  private mutating func hold(_ range: Range<Int>, at last: Int) {
    let name = levels[last].name
    if Self.nameNames.contains(where: { ASCII.equal(name, lowercase: $0) }) {
      levels[last].heldName = DecodedText(text[range], .json).bytes
    }
    if name.withUnsafeBufferPointer({ Self.isValueName($0) }) { levels[last].heldValue = range }
  }

  static func isValueName(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    valueNames.contains { ASCII.equal(name, lowercase: $0) }
  }

  private mutating func readPair(of level: Level) {
    if let name = level.heldName, let value = level.heldValue { readPair(name, value) }
  }

  private mutating func readPair(_ name: ArraySlice<UInt8>, _ value: Range<Int>) {
    let verdict = pass.policy.verdict(on: name, in: .member)
    if case .judge(.none) = verdict, !SecretNames.mayBeSecret(name), case .other = FieldKind(name) { return }
    // What was hidden in it by its looks was hidden before its name was known.
    let parts = edits
    edits.remove(within: value)
    let rest = edits.count
    hide(in: value, named: name, verdict)
    if edits.count == rest { edits = parts }
  }
}
