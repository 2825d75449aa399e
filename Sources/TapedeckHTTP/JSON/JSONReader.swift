/// Reads RFC 8259 JSON, strictly, in one pass over bytes.
///
/// Containers under construction share two stacks and are copied out once, at their right size; strings and numbers
/// are slices of the source. Recursion is bounded by `maximumDepth`. Lacks on purpose: any leniency, and any
/// interpretation of numbers and strings. Whoever wants to know only where a value ends steps over it, by the same
/// grammar, and nothing is made of it.
package struct JSONReader {
  let source: [UInt8]
  package let bytes: UnsafeRawBufferPointer
  let maximumDepth: Int
  package var index = 0
  /// Whether some string so far had a `\u` escape, in which halves of surrogates may hide.
  package var hasMetCodeUnits = false
  private var values: [JSONValue] = []
  private var members: [JSONMember] = []

  /// - Parameter bytes: the contents of `source`.
  init(source: [UInt8], bytes: UnsafeRawBufferPointer, maximumDepth: Int) {
    self.source = source
    self.bytes = bytes
    self.maximumDepth = maximumDepth
  }

  /// To step over values in `bytes`, which stay as they are for as long as it is used.
  package init(stepping bytes: UnsafeRawBufferPointer, maximumDepth: Int) {
    self.init(source: [], bytes: bytes, maximumDepth: maximumDepth)
  }

  mutating func document() throws(JSONError) -> JSONValue {
    guard bytes.count < UInt32.max else { throw failure(.tooLarge) }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw failure(.byteOrderMark) }
    skipBlanks()
    let result = try value(depth: 0)
    skipBlanks()
    guard index == bytes.count else { throw failure(.trailingBytes) }
    return result
  }

  func failure(_ reason: JSONError.Reason) -> JSONError { JSONError(reason, at: index, in: bytes) }

  /// What is wrong with the next byte, when there is one.
  func unexpected() -> JSONError {
    guard index < bytes.count else { return failure(.unexpectedEnd) }
    return failure(.unexpectedByte(bytes[index]))
  }

  var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  mutating func skipBlanks() {
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x0A, 0x0D, 0x09: index += 1
      default: return
      }
    }
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    guard let first = next else { throw unexpected() }
    switch first {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
      try skipWord(first)
      return first == UInt8(ascii: "n") ? .null : .bool(first == UInt8(ascii: "t"))
    case UInt8(ascii: "-"), 0x30...0x39: return .number(try number())
    default: throw unexpected()
    }
  }

  private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
    guard depth <= maximumDepth else { throw failure(.tooDeep(limit: maximumDepth)) }
    index += 1
    skipBlanks()
    if next == UInt8(ascii: "]") {
      index += 1
      return []
    }
    let mark = values.count
    while true {
      values.append(try value(depth: depth))
      skipBlanks()
      if try endsContainer(with: UInt8(ascii: "]")) { break }
      skipBlanks()
    }
    defer { values.removeLast(values.count - mark) }
    return Array(values[mark...])
  }

  private mutating func object(depth: Int) throws(JSONError) -> [JSONMember] {
    guard depth <= maximumDepth else { throw failure(.tooDeep(limit: maximumDepth)) }
    index += 1
    skipBlanks()
    if next == UInt8(ascii: "}") {
      index += 1
      return []
    }
    let mark = members.count
    while true {
      members.append(try member(depth: depth))
      skipBlanks()
      if try endsContainer(with: UInt8(ascii: "}")) { break }
      skipBlanks()
    }
    defer { members.removeLast(members.count - mark) }
    return Array(members[mark...])
  }

  private mutating func member(depth: Int) throws(JSONError) -> JSONMember {
    try expectName()
    let name = try string()
    try skipColon()
    return JSONMember(name, try value(depth: depth))
  }

  func expectName() throws(JSONError) {
    guard next == UInt8(ascii: "\"") else { throw next == nil ? unexpected() : failure(.expectedMemberName) }
  }

  /// Steps over the colon behind a name, up to the value.
  mutating func skipColon() throws(JSONError) {
    skipBlanks()
    guard next == ASCII.colon else { throw unexpected() }
    index += 1
    skipBlanks()
  }

  /// Steps over `close`, or over a comma.
  mutating func endsContainer(with close: UInt8) throws(JSONError) -> Bool {
    guard let byte = next, byte == close || byte == ASCII.comma else { throw unexpected() }
    index += 1
    return byte == close
  }
}
