import TapedeckHTTP

/// Finds the secrets in JSON, one document or several in a row, without parsing it into a tree: every byte outside of a
/// find stays as it is.
///
/// A member is judged by its name, and `{"name": "password", "value": "…"}` by the name it holds. Numbers, `true`,
/// `false` and `null` are secrets only where the user's rules say so.
struct JSONWalk {
  private struct Level {
    var isObject: Bool
    /// The name that the next value stands under, decoded, and the verdict on it.
    var name: ArraySlice<UInt8> = []
    var verdict = RedactionPolicy.Verdict.judge(.none)
    var expectsName: Bool
    /// The place of this container and of its next value, for the user's rules that select places.
    var place = JSONPathCursor([])
    var next = JSONPathCursor([])
    /// How many items of an array have begun.
    var count = 0
    /// Of `{"name": …, "value": …}` and `["name", "value"]`.
    var heldName: ArraySlice<UInt8>?
    var heldValue: Range<Int>?
    /// The place of the held value, where finds are reported.
    var heldPlace = ""

    /// The verdict on the value that comes next.
    mutating func nextVerdict() -> RedactionPolicy.Verdict {
      if !isObject {
        if !place.isLost { next = place.element(count, of: .max) }
        count += 1
      }
      return next.isSelected ? .hide : verdict
    }
  }

  private static let maximumDepth = 10_000

  private let search: SecretSearch
  private let text: ArraySlice<UInt8>
  private let depth: Int
  private var levels: [Level] = []
  private(set) var finds = Finds()
  private var index: Int
  /// Whether the text ends inside a document, and is JSON as far as it goes.
  private(set) var isCut = false

  init(_ text: ArraySlice<UInt8>, _ search: SecretSearch, depth: Int) {
    self.text = text
    self.search = search
    self.depth = depth
    index = text.startIndex
  }

  /// The finds; `nil` when the text is no JSON.
  mutating func run() -> Finds? {
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
        guard levels.last?.isObject == (text[index] == UInt8(ascii: "}")) else { return nil }
        close()
        index += 1
      case UInt8(ascii: ","):
        if let last = levels.indices.last, levels[last].isObject { levels[last].expectsName = true }
        index += 1
      case UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: guard readScalar() else { return nil }
      }
    }
    return levels.isEmpty ? finds : cut()
  }

  private mutating func cut() -> Finds? {
    isCut = true
    while !levels.isEmpty { close() }
    return nil
  }

  // MARK: Levels

  private mutating func open(isObject: Bool) {
    var level = Level(isObject: isObject, expectsName: isObject)
    // An array's items stand under the array's name. A rule of the user's holds for everything below.
    if let outer = levels.indices.last {
      let verdict = levels[outer].nextVerdict()
      level.verdict = isObject ? Self.inherited(verdict) : verdict
      if !isObject { level.name = levels[outer].name }
      level.place = levels[outer].next
    } else if depth == 0, !search.policy.paths.isEmpty {
      level.place = JSONPathCursor(search.policy.paths)
    }
    levels.append(level)
  }

  private static func inherited(_ verdict: RedactionPolicy.Verdict) -> RedactionPolicy.Verdict {
    if case .judge = verdict { .judge(.none) } else { verdict }
  }

  private mutating func close() {
    if let last = levels.indices.last, let value = levels[last].heldValue, let name = levels[last].heldName,
      levels[last].isObject || levels[last].count == 2
    {
      readPair(name, value, at: levels[last].heldPlace)
    }
    levels.removeLast()
  }

  // MARK: Values

  /// Where the string at `index` ends: the end of the text where it is cut; `nil` when it is malformed.
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
    guard let last = levels.indices.last else { return judge(range, named: [], .judge(.none)) }
    if levels[last].expectsName { return readName(range, at: last) }
    let verdict = levels[last].nextVerdict()
    hold(range, at: last)
    judge(range, named: levels[last].name, verdict)
  }

  private mutating func readName(_ range: Range<Int>, at last: Int) {
    let name = DecodedText(text[range], .json)
    levels[last].expectsName = false
    // A name can be a secret too, as in a table of tokens.
    if range.count >= SecretValue.minimumRandomBytes {
      let found = name.encoded(search.text(name.bytes, depth: depth))
      finds.add(found.placed(at: path(levels.dropLast()) + " (a name)"))
    }
    levels[last].name = name.bytes
    let outer = last > 0 ? levels[last - 1].verdict : .judge(.none)
    if case .judge = outer {
      levels[last].verdict = search.policy.verdict(on: name.bytes, in: .member)
    } else {
      levels[last].verdict = outer
    }
    if !levels[last].place.isLost { levels[last].next = levels[last].place.member(Array(name.bytes)) }
  }

  private mutating func judge(
    _ range: Range<Int>, named name: ArraySlice<UInt8>, _ verdict: RedactionPolicy.Verdict
  ) {
    finds.add(found(in: range, named: name, verdict).placed(at: path(levels[...]), named: name))
  }

  private func found(
    in range: Range<Int>, named name: ArraySlice<UInt8>, _ verdict: RedactionPolicy.Verdict
  ) -> Finds {
    guard !range.isEmpty else { return Finds() }
    let value = DecodedText(text[range], .json)
    return value.encoded(search.finds(in: value.bytes, named: name, verdict: verdict, depth: depth + 1))
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
      let first = scalar.first, ASCII.isDigit(first) || first == UInt8(ascii: "-"),
      let placeholder = search.placeholder(for: scalar)
    else { return true }
    finds.add(scalar.startIndex..<scalar.endIndex, [UInt8(ascii: "\"")] + placeholder + [UInt8(ascii: "\"")])
    return true
  }

  /// Where the current value stands: ` $.items[3].name`. A name that is a secret itself is left out.
  private func path(_ levels: ArraySlice<Level>) -> String {
    levels.reduce(into: " $") { path, level in
      if !level.isObject {
        path += "[\(level.count - 1)]"
      } else if search.text(level.name, depth: depth).isEmpty {
        path += JSONPath.text(ofMember: Array(level.name))
      } else {
        path += ".…"
      }
    }
  }

  // MARK: Names and values side by side

  private static let nameNames: [StaticString] = ["name", "key", "header", "field", "parameterkey"]
  private static let valueNames: [StaticString] = ["value", "parametervalue"]

  /// Keeps a string that may be the name or the value of a pair.
  private mutating func hold(_ range: Range<Int>, at last: Int) {
    let reports = search.thresholds.reports
    if levels[last].isObject {
      let name = levels[last].name
      if Self.nameNames.contains(where: { ASCII.equal(name, lowercase: $0) }) {
        levels[last].heldName = DecodedText(text[range], .json).bytes
      }
      if name.withUnsafeBufferPointer({ Self.isValueName($0) }) {
        levels[last].heldValue = range
        if reports { levels[last].heldPlace = path(levels[...]) }
      }
    } else if search.thresholds.readsArrayPairs {
      if levels[last].count == 1 { levels[last].heldName = DecodedText(text[range], .json).bytes }
      guard levels[last].count == 2, let name = levels[last].heldName else { return }
      levels[last].heldValue = range
      if reports { levels[last].heldPlace = path(levels.dropLast()) + SecretSearch.label(name) }
    }
  }

  static func isValueName(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    valueNames.contains { ASCII.equal(name, lowercase: $0) }
  }

  /// Judges the value of a pair by the name beside it, in the container that ends here.
  private mutating func readPair(_ name: ArraySlice<UInt8>, _ value: Range<Int>, at place: String) {
    let isMember = levels.last?.isObject == true
    let verdict = search.policy.verdict(on: name, in: isMember ? .member : .header)
    let isCookie = isMember && search.thresholds.readsCookieLists && isInCookieList
    if case .judge(.none) = verdict, FieldKind(name) == .other, !isCookie,
      !isMember || !SecretNames.mayBeSecret(name)
    {
      return
    }
    // The finds of the first reading, before the name was known, hold only where the second has none.
    let first = finds
    finds.remove(within: value)
    let rest = finds.count
    let found = isCookie ? cookie(value, named: name) : found(in: value, named: name, verdict)
    finds.add(found.placed(at: place, named: name))
    if finds.count == rest { finds = first }
  }

  /// Whether the object that ends here is an item of `"cookies": […]`.
  private var isInCookieList: Bool {
    guard let list = levels.dropLast().last else { return false }
    return !list.isObject && ASCII.equal(list.name, lowercase: "cookies")
  }

  private func cookie(_ range: Range<Int>, named name: ArraySlice<UInt8>) -> Finds {
    let value = DecodedText(text[range], .json)
    return value.encoded(Finds(search.cookie(value.bytes, named: name)))
  }
}
