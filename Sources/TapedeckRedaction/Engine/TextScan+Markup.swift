import TapedeckHTTP

/// XML and HTML within a text.
extension TextScan {
  private static let maximumTagBytes = 2048

  /// A name whose value stands in the next element: `<key>password</key><string>…</string>`.
  struct HeldName {
    var name: Range<Int>
    var verdict: SecretNames.Strength
  }

  /// Reads `<Password>…</Password>`, and elements whose `name` or `key` is the name of a secret.
  mutating func readTag() {
    let start = index + 1
    index = start
    guard let first = byte(at: start), ASCII.isLetter(first) else { return }
    let name = text[start...].prefix(Self.maximumNameBytes).prefix {
      ASCII.isWord($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
    }
    let tag = text[name.endIndex...].prefix(Self.maximumTagBytes).prefix {
      $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "<")
    }
    guard byte(at: tag.endIndex) == UInt8(ascii: ">") else { return readAttributes(tag) }
    readAttributes(tag)
    // Attributes are values too: <user password="…">.
    while index < tag.endIndex { step() }
    guard index == tag.endIndex, tag.last != UInt8(ascii: "/") else { return }
    index += 1
    let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    readContent(of: local, tag)
  }

  private mutating func readContent(of name: ArraySlice<UInt8>, _ tag: ArraySlice<UInt8>) {
    let held = heldName
    let content = contentHere()
    guard let content else {
      hold(name, tag, nil)
      return countParameter(name)
    }
    if ASCII.equal(name, lowercase: "methodname") { holdPassword(of: content) }
    heldName = nil
    if Self.nameElements.contains(where: { ASCII.equal(name, lowercase: $0) }) { hold(content) }
    let (label, verdict) = judged(name, tag, held)
    guard let label else { return }
    if verdict == .keep {
      index = content.endIndex
      return
    }
    let found = search.finds(in: content, named: label, verdict: verdict, depth: Self.maximumDepth)
    finds.add(found)
    if !found.isEmpty { index = max(index, content.endIndex) }
  }

  /// The name and verdict for the text of an element: its own, that of an attribute, or the name before it.
  private func judged(
    _ name: ArraySlice<UInt8>, _ tag: ArraySlice<UInt8>, _ held: HeldName?
  ) -> (ArraySlice<UInt8>?, SecretNames.Strength) {
    if let held, SecretNames.wraps(name) || Self.isItem(name) { return (text[held.name], held.verdict) }
    if mayJudge(name) { return (name, search.policy.verdict(on: name, in: .member)) }
    guard let attribute = Self.attribute(["name", "key", "id"], in: tag), mayJudge(text[attribute]) else {
      return (nil, .none)
    }
    let verdict = search.policy.verdict(on: text[attribute], in: .member)
    // Elsewhere it may be a label: <string name="password">Kennwort</string>.
    let holdsValue = Self.valueElements.contains { ASCII.equal(name, lowercase: $0) }
    return (text[attribute], holdsValue ? verdict : min(verdict, max(verdict.weaker, .none)))
  }

  /// The position of the password among the parameters of XML-RPC methods of one kind.
  private static let passwordPositions: [(method: String, position: Int)] = [
    ("wp.getUsersBlogs", 1), ("wp.", 2), ("metaWeblog.", 2), ("mt.", 2), ("blogger.getUser", 2),
    ("blogger.", 3),
    ("execute", 2), ("authenticate", 2), ("login", 1), ("auth.login", 1), ("logon", 1),
  ]

  /// Begins to count the parameters of a call.
  private mutating func holdPassword(of method: ArraySlice<UInt8>) {
    parametersLeft = Self.passwordPositions.first { method.starts(with: $0.method.utf8) }?.position
  }

  /// Counts a parameter; the value in the one that is the password is held for.
  private mutating func countParameter(_ name: ArraySlice<UInt8>) {
    guard let left = parametersLeft, ASCII.equal(name, lowercase: "param") else { return }
    parametersLeft = left > 0 ? left - 1 : nil
    if left == 0 { heldName = HeldName(name: name.startIndex..<name.endIndex, verdict: .strong) }
  }

  private static let nameElements: [StaticString] = ["key", "name", "header", "field", "parameterkey"]

  private static let valueElements: [StaticString] = [
    "entry", "property", "prop", "param", "parameter", "setting", "arg", "argument", "option", "var",
    "variable",
    "env", "field", "item", "attribute", "header", "config", "init-param", "user", "secret", "credential",
  ]

  private static func isItem(_ name: ArraySlice<UInt8>) -> Bool {
    ASCII.equal(name, lowercase: "item") || ASCII.equal(name, lowercase: "member")
  }

  /// Holds the name that an element's text is.
  private mutating func hold(_ content: ArraySlice<UInt8>) {
    guard content.count <= Self.maximumNameBytes, mayJudge(content) else { return }
    let verdict = search.policy.verdict(on: content, in: .member)
    guard verdict > .none || FieldKind(content) != .other else { return }
    heldName = HeldName(name: content.startIndex..<content.endIndex, verdict: verdict)
  }

  /// Holds the name of an element that wraps the next one.
  private mutating func hold(_ name: ArraySlice<UInt8>, _ tag: ArraySlice<UInt8>, _ held: HeldName?) {
    let (label, verdict) = judged(name, tag, nil)
    if let label, verdict > .none {
      heldName = HeldName(name: label.startIndex..<label.endIndex, verdict: verdict)
    } else if !SecretNames.wraps(name) {
      heldName = nil
    }
  }

  /// The text of the element that begins here, if it has no other elements. The text of one that is cut off
  /// is a single word.
  private func contentHere() -> ArraySlice<UInt8>? {
    var content = text[index...].prefix(Self.maximumValueBytes)
    let cdata = Array("<![CDATA[".utf8)
    let spaces = content.prefix(64).prefix(while: ASCII.isSpace).count
    if content.dropFirst(spaces).starts(with: cdata) {
      content = content.dropFirst(spaces + cdata.count).prefix { $0 != UInt8(ascii: "]") }
    } else {
      content = content.prefix { $0 != UInt8(ascii: "<") }
      let isCut = content.endIndex == text.endIndex
      if isCut ? content.contains(where: ASCII.isSpace) : byte(at: content.endIndex + 1) != UInt8(ascii: "/")
      {
        return nil
      }
    }
    while let first = content.first, ASCII.isSpace(first) { content = content.dropFirst() }
    while let last = content.last, ASCII.isSpace(last) { content = content.dropLast() }
    return content
  }

  private mutating func readAttributes(_ tag: ArraySlice<UInt8>) {
    guard let value = Self.attribute(["value", "content"], in: tag), !value.isEmpty else { return }
    if let type = Self.attribute(["type"], in: tag), ASCII.equal(text[type], lowercase: "password") {
      _ = addValue(value, named: type, .strong, in: .plain)
      return
    }
    guard let name = Self.attribute(["name", "id", "key"], in: tag), !name.isEmpty, mayJudge(text[name])
    else {
      return
    }
    let found = search.finds(in: text[value], named: text[name], in: .member, depth: Self.maximumDepth)
    finds.add(found)
    if !found.isEmpty { index = value.upperBound }
  }

  /// The value of the first of these attributes that the tag has.
  private static func attribute(_ names: [String], in tag: ArraySlice<UInt8>) -> Range<Int>? {
    for name in names {
      for range in ByteSearch.all(Array("\(name)=".utf8), in: tag)
      where range.lowerBound > tag.startIndex && ASCII.isSpace(tag[range.lowerBound - 1]) {
        return value(in: tag, from: range.upperBound)
      }
    }
    return nil
  }
}
