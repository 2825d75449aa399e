import TapedeckHTTP

/// Finds the secrets in JSON (one document or several in a row) without building a tree.
///
/// A member is judged by its name, by the names above it, and `{"name": "password", "value": "…"}` by the name
/// it holds. Numbers are secrets only as codes and passwords, `true`, `false` and `null` never.
struct JSONWalk {
  private struct Level {
    var isObject: Bool
    /// The decoded name of the next value, and the verdict on it.
    var name: ArraySlice<UInt8> = []
    var verdict = SecretNames.Strength.none
    var expectsName: Bool
    /// The strength of the names above, for members that only wrap a value and for all others.
    var wrapped = SecretNames.Strength.none
    var inherited = SecretNames.Strength.none
    /// Whether a name above describes: what stands below `errors` are messages.
    var isDescription = false
    /// Whether only objects in it describe: `{"properties": {"password": {"type": "string"}}}` of a schema.
    var hasDescriptions = false
    /// The place of this container and of its next value, for the user's rules that select places.
    var place = JSONPathCursor([])
    var next = JSONPathCursor([])
    var count = 0
    /// The name in `{"name": …, "value": …}` or `["name", "value"]`.
    var heldName: ArraySlice<UInt8>?
    var heldValue: Range<Int>?
    var heldPlace = ""
    /// The private parts of a JSON Web Key (RFC 7518 §6.2.2, §6.3.2, §6.4.1), and whether it is one.
    var keyParts: [Range<Int>] = []
    var isKey = false
    /// The containers that hold secrets if the object turns out to, and how strongly.
    var parts: [Part] = []
    var partStrength = SecretNames.Strength.none
    var start = 0
    /// The item before the next one of a list.
    var previous: Range<Int>?
    /// The values that are judged when all members are known, and what these are.
    var deferred: [Deferred] = []
    var siblings = Siblings()
    /// Whether a member is certainly a secret, unlike a label.
    var hasSecret = false

    mutating func nextVerdict() -> SecretNames.Strength {
      if !isObject {
        if !place.isLost { next = place.element(count, of: .max) }
        count += 1
      }
      return next.isSelected ? .hide : verdict
    }
  }

  private struct Part {
    var range: Range<Int>
    /// Whether its values are in base64.
    var isEncoded: Bool
  }

  private struct Deferred {
    var range: Range<Int>
    var name: ArraySlice<UInt8>
    var verdict: SecretNames.Strength
    var place: String
    var condition: Condition
  }

  private static let maximumDepth = 10_000

  private let search: SecretSearch
  private let text: ArraySlice<UInt8>
  private let depth: Int
  private let strength: SecretNames.Strength
  private let name: ArraySlice<UInt8>
  private let isEncoded: Bool
  private var levels: [Level] = []
  private(set) var finds = Finds()
  private var index: Int
  /// Whether the text ends inside a document and is valid JSON up to there.
  private(set) var isCut = false

  /// - Parameters:
  ///   - name: the name of the string that holds the document.
  ///   - strength: the strength of this name.
  ///   - isEncoded: whether the secrets are in base64.
  init(
    _ text: ArraySlice<UInt8>, _ search: SecretSearch, depth: Int, named name: ArraySlice<UInt8> = [],
    under strength: SecretNames.Strength = .none, isEncoded: Bool = false
  ) {
    self.name = name
    self.isEncoded = isEncoded
    self.text = text
    self.search = search
    self.depth = depth
    self.strength = strength
    index = text.startIndex
  }

  /// The finds; `nil` when the text is not JSON.
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
    // Array items have the array's name. A user's rule applies to everything below its place.
    if let outer = levels.indices.last {
      let verdict = levels[outer].nextVerdict()
      level.verdict = isObject && !verdict.isRule ? .none : verdict
      level.isDescription = levels[outer].isDescription || levels[outer].hasDescriptions
      if isObject {
        level.wrapped = verdict.isRule ? .none : verdict
        level.hasDescriptions = ASCII.equal(levels[outer].name, lowercase: "properties")
        level.isDescription =
          level.isDescription || verdict == .none && SecretNames.mayDescribe(levels[outer].name)
      } else {
        level.name = levels[outer].name
      }
      level.place = levels[outer].next
    } else {
      if isObject { level.wrapped = strength } else { level.verdict = strength }
      if depth == 0, !search.policy.paths.isEmpty { level.place = JSONPathCursor(search.policy.paths) }
    }
    level.inherited = level.wrapped.inherited
    level.start = index
    levels.append(level)
  }

  private mutating func close() {
    judgeDeferred()
    if let last = levels.last, last.isKey {
      for part in last.keyParts { replaceFinds(within: part, by: found(in: part, named: [], .strong)) }
    }
    closeParts()
    if let last = levels.indices.last, let value = levels[last].heldValue, let name = levels[last].heldName,
      levels[last].isObject || levels[last].count == 2
    {
      readPair(name, value, at: levels[last].heldPlace)
    }
    levels.removeLast()
  }

  // MARK: Objects that are secrets

  /// Judges what an object's kind makes secret, and tells the object around about a container.
  private mutating func closeParts() {
    guard let level = levels.last, !isCut else { return }
    if level.partStrength != .none {
      for part in level.parts {
        var walk = JSONWalk(
          text[part.range], search, depth: depth + 1, under: level.partStrength, isEncoded: part.isEncoded)
        if let found = walk.run() {
          replaceFinds(within: part.range, by: found.placed(at: path(levels[...])))
        }
      }
    }
    guard let outer = levels.indices.dropLast().last, levels[outer].isObject,
      depth < SecretSearch.maximumDepth
    else {
      return
    }
    let name = levels[outer].name
    if Self.partNames.contains(where: { ASCII.equal(name, lowercase: $0) }) {
      // Kubernetes has what is not in base64 in `stringData`.
      let isEncoded = ASCII.equal(name, lowercase: "data") || ASCII.equal(name, lowercase: "payload")
      levels[outer].parts.append(Part(range: level.start..<index + 1, isEncoded: isEncoded))
    } else if ASCII.equal(name, lowercase: "loc"), let last = level.previous {
      // {"loc": ["body", "password"], "input": "…"}
      levels[outer].heldName = text[last]
    } else if ASCII.equal(name, lowercase: "keys_base64") {
      levels[outer].parts.append(Part(range: level.start..<index + 1, isEncoded: true))
      levels[outer].partStrength = .strong
    }
  }

  /// What a string says about the object it stands in: the kind of a Kubernetes object, the method of a call.
  private mutating func readKind(_ value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>, at last: Int) {
    func isNamed(_ expected: StaticString) -> Bool { ASCII.equal(name, lowercase: expected) }
    if isNamed("kind") && ASCII.equal(value, lowercase: "secret")
      || isNamed("type") && value.withUnsafeBufferPointer({ Self.isSecretType($0) })
      || isNamed("name") && ByteSearch.first(Array("/secrets/".utf8), in: value) != nil
    {
      levels[last].partStrength = .strong
    } else if isNamed("method") {
      let isLogin = Self.logins.contains { ASCII.equal(value, lowercase: $0) }
      let isAboutPassword = SecretNames.strength(of: value, in: .member) == .strong
      levels[last].partStrength = isAboutPassword ? .strong : isLogin ? .likely : .none
    }
  }

  // MARK: Values

  /// The end of the string at `index`: the end of the text if it is truncated, `nil` if malformed.
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
    guard let last = levels.indices.last else { return judge(range, named: [], strength) }
    if levels[last].expectsName { return readName(range, at: last) }
    let verdict = levels[last].nextVerdict()
    hold(range, at: last)
    // `["Authorization", "Bearer …"]`, also in a longer list of fields.
    if !levels[last].isObject, let name = levels[last].previous, FieldKind(text[name]) != .other {
      levels[last].previous = nil
      let own = search.policy.verdict(on: text[name], in: .header)
      return judge(range, named: text[name], own.isRule ? own : verdict)
    }
    if !levels[last].isObject, let option = levels[last].previous, text[option].first == UInt8(ascii: "-"),
      judge(range, behind: option, in: text[levels[last].start..<option.lowerBound])
    {
      levels[last].previous = nil
      return
    }
    if !levels[last].isObject, text[range].first == UInt8(ascii: "-"),
      let password = TextScan.password(
        in: range, of: text, behind: text[levels[last].start..<range.lowerBound])
    {
      return judge(password, named: text[range.lowerBound..<password.lowerBound], .strong)
    }
    levels[last].previous = range
    // Items of several words are messages: {"password": ["is too short"]}.
    if !levels[last].isObject, verdict == .strong, Self.isMessage(text[range]) {
      return judge(range, named: levels[last].name, .likely)
    }
    if levels[last].isObject, !verdict.isRule, mayDefer(range, verdict, at: last) { return }
    judge(range, named: levels[last].name, verdict)
  }

  /// Judges the argument of an option: `["redis-server", "--requirepass", "…"]`; returns whether it is one.
  private mutating func judge(_ range: Range<Int>, behind option: Range<Int>, in command: ArraySlice<UInt8>)
    -> Bool
  {
    guard let password = TextScan.password(range, in: text, of: text[option], behind: command) else {
      return false
    }
    judge(password, named: text[option], .strong)
    return true
  }

  private static func isMessage(_ value: ArraySlice<UInt8>) -> Bool {
    value.count { $0 == ASCII.space } > 1
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
    levels[last].siblings.insert(Siblings(named: name.bytes))
    let outer = last > 0 ? levels[last - 1].verdict : .none
    levels[last].verdict = outer.isRule ? outer : verdict(on: name.bytes, in: levels[last])
    if !levels[last].place.isLost { levels[last].next = levels[last].place.member(Array(name.bytes)) }
  }

  /// The verdict on a member: its own, or that of the names above it.
  private func verdict(on name: ArraySlice<UInt8>, in level: Level) -> SecretNames.Strength {
    let own = search.policy.verdict(on: name, in: .member)
    if own.isRule { return own }
    let outer = levels.count > 1 ? levels[levels.count - 2].name : self.name
    if own == .none, ASCII.equal(name, lowercase: "answer"), SecretNames.isRecoveryQuestion(outer) {
      return .strong
    }
    if own == .likely, ASCII.equal(name, lowercase: "token"), SecretNames.isCursor(outer) { return .none }
    if own == .likely, Self.signsReasoning(name, in: outer) { return .none }
    if level.isDescription { return own.weaker }
    if level.wrapped == .none { return own }
    if SecretNames.wraps(name) { return max(own, level.wrapped) }
    // Kubernetes: {"secret": {"items": [{"key": "tls.key", …}]}}.
    if own == .none, SecretNames.describes(name) || ASCII.equal(name, lowercase: "key") { return .none }
    return max(own, level.inherited)
  }

  private mutating func judge(
    _ range: Range<Int>, named name: ArraySlice<UInt8>, _ verdict: SecretNames.Strength
  ) {
    finds.add(found(in: range, named: name, verdict).placed(at: path(levels[...]), named: name))
  }

  private func found(
    in range: Range<Int>, named name: ArraySlice<UInt8>, _ verdict: SecretNames.Strength
  ) -> Finds {
    guard !range.isEmpty else { return Finds() }
    let value = DecodedText(text[range], .json)
    if isEncoded || Self.isEncodedName(name),
      let find = search.find(encoded: value.bytes, named: name, under: verdict)
    {
      return value.encoded(Finds(find))
    }
    return value.encoded(search.finds(in: value.bytes, named: name, verdict: verdict, depth: depth + 1))
  }

  /// The shortest number that is a password. Shorter ones count words in a vocabulary.
  private static let minimumNumberBytes = 6

  /// Whether a text is a number or a word of JSON, or one that Python writes, unlike the words of a line that only
  /// begins as JSON does: `[debug] started`.
  static func isLiteral(_ text: some Collection<UInt8>) -> Bool {
    text.allSatisfy {
      ASCII.isDigit($0) || $0 | 0x20 == UInt8(ascii: "e") || 0x2B...0x2E ~= $0 && $0 != UInt8(ascii: ",")
    }
      || literals.contains {
        text.elementsEqual(UnsafeBufferPointer(start: $0.utf8Start, count: $0.utf8CodeUnitCount))
      }
  }

  private static let literals: [StaticString] = ["true", "false", "null", "NaN", "Infinity", "-Infinity"]

  static func isScalar(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: ".")
  }

  /// Reads a number, `true`, `false` or `null`; returns whether there was one.
  private mutating func readScalar() -> Bool {
    let scalar = text[index...].prefix(while: Self.isScalar)
    guard !scalar.isEmpty, Self.isLiteral(scalar) else { return false }
    index = scalar.endIndex
    guard let last = levels.indices.last, !levels[last].expectsName else { return true }
    let verdict = levels[last].nextVerdict()
    guard verdict >= .code, let first = scalar.first, ASCII.isDigit(first) || first == UInt8(ascii: "-")
    else {
      return true
    }
    if verdict == .hide {
      guard let placeholder = search.placeholder(for: scalar) else { return true }
      finds.add(
        scalar.startIndex..<scalar.endIndex, [UInt8(ascii: "\"")] + placeholder + [UInt8(ascii: "\"")])
    } else if SecretValue.isCode(scalar), verdict == .code || scalar.count >= Self.minimumNumberBytes {
      let find = search.find(scalar, named: levels[last].name)
      finds.add(Finds(find).placed(at: path(levels[...]), named: levels[last].name))
    }
    return true
  }

  /// The place of the current value: ` $.items[3].name`. A name that is itself a secret is left out.
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

  // MARK: Members that tell about each other

  /// Keeps a value until all members are known, if they decide about it; returns whether they do.
  private mutating func mayDefer(_ range: Range<Int>, _ verdict: SecretNames.Strength, at last: Int) -> Bool {
    let name = levels[last].name
    let value = text[range]
    if Self.isRecipient(name, value) { levels[last].siblings.insert(.recipient) }
    if Self.tellsReasoning(name, value) { levels[last].siblings.insert(.reasoning) }
    guard let condition = Self.condition(for: value, named: name, verdict) else {
      if verdict == .strong, search.isSecret(value, under: verdict) { levels[last].hasSecret = true }
      return false
    }
    levels[last].deferred.append(
      Deferred(
        range: range, name: name, verdict: condition == .sentCode ? .code : verdict,
        place: search.reports ? path(levels[...]) : "", condition: condition))
    return true
  }

  private mutating func judgeDeferred() {
    guard let level = levels.last, !level.deferred.isEmpty else { return }
    let labels = level.deferred.filter { $0.condition == .label }.map {
      DecodedText(text[$0.range], .json).bytes
    }
    let isCatalogue = !level.hasSecret && Self.isCatalogue(labels)
    for value in level.deferred {
      let isSecret =
        switch value.condition {
        case .label: !isCatalogue
        case .sentCode: level.siblings.contains(.recipient)
        case .unlessBeside(let siblings): level.siblings.isDisjoint(with: siblings)
        }
      guard isSecret else { continue }
      finds.add(
        found(in: value.range, named: value.name, value.verdict).placed(at: value.place, named: value.name))
    }
  }

  // MARK: Names and values side by side

  private mutating func hold(_ range: Range<Int>, at last: Int) {
    if levels[last].isObject {
      let name = levels[last].name
      if let held = Self.heldName(name, text[range]) { levels[last].heldName = held }
      readKind(text[range], named: name, at: last)
      if name.withUnsafeBufferPointer({ Self.isValueName($0) }) {
        levels[last].heldValue = range
        if search.reports { levels[last].heldPlace = path(levels[...]) }
      }
      if name.count < 3 {
        if Self.keyParts.contains(where: { ASCII.equal(name, lowercase: $0) }) {
          levels[last].keyParts.append(range)
        }
      } else if name.withUnsafeBufferPointer({ Self.isKeyType($0) }) {
        levels[last].isKey = true
      }
    } else {
      if levels[last].count == 1, Self.mayName(text[range]) {
        levels[last].heldName = DecodedText(text[range], .json).bytes
      }
      guard levels[last].count == 2, let name = levels[last].heldName else { return }
      levels[last].heldValue = range
      if search.reports { levels[last].heldPlace = path(levels.dropLast()) + SecretSearch.label(name) }
    }
  }

  /// Judges the value of a pair by its name, at the end of their container.
  private mutating func readPair(_ name: ArraySlice<UInt8>, _ value: Range<Int>, at place: String) {
    let isMember = levels.last?.isObject == true
    var verdict = search.policy.verdict(on: name, in: isMember ? .member : .header)
    // Two items may be two names: ["password", "email"].
    if !isMember, !verdict.isRule { verdict = min(verdict, .likely) }
    if levels.last?.isDescription == true { verdict = verdict.weaker }
    let isCookie = isMember && isInCookieList
    if verdict == .none, FieldKind(name) == .other, !isCookie { return }
    let found = isCookie ? cookie(value, named: name) : found(in: value, named: name, verdict)
    replaceFinds(within: value, by: found.placed(at: place, named: name))
  }

  /// The first reading did not know the name; its finds count only where the second has none.
  private mutating func replaceFinds(within value: Range<Int>, by found: Finds) {
    guard !found.isEmpty else { return }
    finds.remove(within: value)
    finds.add(found)
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
