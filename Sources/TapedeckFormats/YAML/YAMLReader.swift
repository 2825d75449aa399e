import TapedeckHTTP

/// Reads the YAML that PyYAML, Ruby's Psych and Go's yaml write: one document of block and flow collections, plain,
/// quoted and block scalars, `!!binary`, and anchors with the aliases that repeat them.
///
/// Whatever it does not know is refused by line and column: other tags, complex and merged keys, several documents.
/// Recursion is bounded by `maximumDepth`, what aliases repeat by `repeatedNodes`.
struct YAMLReader {
  static let maximumDepth = 100
  /// How many more values there may be than bytes: only aliases make so many.
  static let repeatedNodes = 100_000

  let bytes: [UInt8]
  var index = 0
  private var anchors: [[UInt8]: (value: YAMLValue, nodes: Int)] = [:]
  private var nodes = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func parse(_ bytes: [UInt8]) throws(YAMLError) -> YAMLValue {
    var reader = YAMLReader(bytes)
    guard UTF8Scan.isValid(bytes[...]) else { throw reader.failure("the bytes are not UTF-8") }
    return try reader.document()
  }

  // MARK: Document

  private mutating func document() throws(YAMLError) -> YAMLValue {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    try skipToToken()
    if isAtLineStart, startsWith("%YAML 1.") {
      skipLine()
      try skipToToken()
    }
    if isAtLineStart, next == UInt8(ascii: "%") { throw failure("directives are not read") }
    if isMarker("---") { index += 3 }
    let value = try node(parent: -1, depth: 0, mayBeCollection: true)
    try skipToToken()
    if isMarker("...") {
      index += 3
      try skipToToken()
    }
    guard index == bytes.count else {
      throw failure(
        isMarker("---") ? "a second document is not read" : "something stands behind the document")
    }
    return value
  }

  // MARK: Nodes

  /// A node that begins here or on a later line.
  /// - Parameters:
  ///   - parent: the column of the collection it belongs to; what it goes on with stands further right.
  ///   - mayBeCollection: whether a block collection may begin on this very line.
  ///   - mayAlign: whether it may be a list in the column of its parent, as the value of a member.
  mutating func node(
    parent: Int, depth: Int, mayBeCollection: Bool, mayAlign: Bool = false
  ) throws(YAMLError) -> YAMLValue {
    guard depth <= Self.maximumDepth else {
      throw failure("more than \(Self.maximumDepth) levels of nesting")
    }
    return try propertied { reader, properties throws(YAMLError) in
      try reader.content(
        parent: parent, depth: depth, mayBeCollection: mayBeCollection, mayAlign: mayAlign, properties)
    }
  }

  /// A node with what stands before it.
  mutating func propertied(
    _ content: (inout YAMLReader, YAMLProperties) throws(YAMLError) -> YAMLValue
  ) throws(YAMLError) -> YAMLValue {
    let before = nodes
    try count(1)
    let properties = try properties()
    let value = try properties.applied(to: try content(&self, properties), self)
    if let anchor = properties.anchor { anchors[anchor] = (value, nodes - before) }
    return value
  }

  private mutating func content(
    parent: Int, depth: Int, mayBeCollection: Bool, mayAlign: Bool, _ properties: YAMLProperties
  ) throws(YAMLError) -> YAMLValue {
    let isNewLine = try skipToToken()
    let column = column
    let isAligned = mayAlign && column == parent && isNewLine && isDash
    guard let first = next, column > parent || isAligned, !isMarker("---"), !isMarker("...") else {
      // Nothing stands further right, so the node is empty and the place is the next one's.
      return .null
    }
    if first == UInt8(ascii: "*") { return try alias(properties) }
    if isNewLine || mayBeCollection {
      if isDash { return try blockList(column: column, depth: depth) }
      if try isKeyAhead() { return try blockMap(column: column, depth: depth) }
    }
    switch first {
    case UInt8(ascii: "|"), UInt8(ascii: ">"): return .text(try blockScalar(parent: parent))
    case UInt8(ascii: "["): return try flowList(depth: depth)
    case UInt8(ascii: "{"): return try flowMap(depth: depth)
    case UInt8(ascii: "\""): return .text(try doubleQuoted())
    case UInt8(ascii: "'"): return .text(try singleQuoted())
    default: return plain(try plainScalar(parent: parent, inFlow: false))
    }
  }

  mutating func alias(_ properties: YAMLProperties) throws(YAMLError) -> YAMLValue {
    guard properties.isEmpty else { throw failure("an alias has neither anchor nor tag of its own") }
    let start = index
    index += 1
    let name = takeName()
    guard let (value, nodes) = anchors[name] else {
      index = start
      throw failure("there is no anchor of this name before it")
    }
    try count(nodes)
    return value
  }

  private mutating func count(_ added: Int) throws(YAMLError) {
    nodes += added
    guard nodes <= bytes.count + Self.repeatedNodes else { throw failure("aliases repeat too many values") }
  }

  func plain(_ text: [UInt8]) -> YAMLValue {
    ["", "~", "null", "Null", "NULL"].contains { text.elementsEqual($0.utf8) } ? .null : .plain(text)
  }

  // MARK: Block collections

  private mutating func blockList(column: Int, depth: Int) throws(YAMLError) -> YAMLValue {
    var items: [YAMLValue] = []
    while true {
      index += 1
      items.append(try node(parent: column, depth: depth + 1, mayBeCollection: true))
      guard try goesOn(at: column), isDash else { return .list(items) }
    }
  }

  private mutating func blockMap(column: Int, depth: Int) throws(YAMLError) -> YAMLValue {
    var members: [YAMLMember] = []
    var names: Set<[UInt8]> = []
    while true {
      let start = index
      let name = try key()
      guard names.insert(name).inserted else {
        index = start
        throw failure("this member stands here twice")
      }
      let value = try node(parent: column, depth: depth + 1, mayBeCollection: false, mayAlign: true)
      members.append(YAMLMember(name: name, value: value))
      guard try goesOn(at: column), !isDash else { return .map(members) }
      guard try isKeyAhead() else { throw failure("a member `name: value` is expected here") }
    }
  }

  /// Whether a collection has more in its column; what stands to its right belongs to nothing.
  private mutating func goesOn(at column: Int) throws(YAMLError) -> Bool {
    let isNewLine = try skipToToken()
    guard index < bytes.count, !isMarker("---"), !isMarker("...") else { return false }
    guard isNewLine, self.column <= column else { throw failure("this belongs to nothing before it") }
    return self.column == column
  }

  /// A member's name, up to and with its colon.
  private mutating func key() throws(YAMLError) -> [UInt8] {
    let name: [UInt8]
    switch next {
    case UInt8(ascii: "\""): name = try doubleQuoted()
    case UInt8(ascii: "'"): name = try singleQuoted()
    default:
      let end = endOfPlainKey() ?? index
      name = Array(bytes[index..<end])
      index = end
    }
    try checkKey(name)
    skipBlanks()
    index += 1
    return name
  }

  func checkKey(_ name: [UInt8]) throws(YAMLError) {
    if name.elementsEqual("<<".utf8) { throw failure("merged keys are not read") }
  }

  /// Whether a name and its colon stand on this line.
  private mutating func isKeyAhead() throws(YAMLError) -> Bool {
    switch next {
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      let start = index
      defer { index = start }
      _ = next == UInt8(ascii: "\"") ? try doubleQuoted() : try singleQuoted()
      let isOneLine = !bytes[start..<index].contains(0x0A)
      skipBlanks()
      return isOneLine && isColon
    case UInt8(ascii: "?") where isBlankOrEnd(index + 1): throw failure("complex keys are not read")
    case UInt8(ascii: "|"), UInt8(ascii: ">"), UInt8(ascii: "["), UInt8(ascii: "{"): return false
    default: return endOfPlainKey() != nil
    }
  }

  /// Where a plain name ends that a colon follows on this line.
  private func endOfPlainKey() -> Int? {
    var end = index
    var cursor = index
    while cursor < bytes.count, bytes[cursor] != 0x0A {
      let byte = bytes[cursor]
      if byte == UInt8(ascii: ":"), isBlankOrEnd(cursor + 1) { return end }
      if byte == UInt8(ascii: "#"), cursor > index, ASCII.isBlank(bytes[cursor - 1]) { return nil }
      cursor += 1
      if !ASCII.isBlank(byte) { end = cursor }
    }
    return nil
  }
}
