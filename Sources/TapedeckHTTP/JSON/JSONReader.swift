/// Reads RFC 8259 JSON, strictly, in one pass over bytes.
///
/// Unfinished containers share two stacks and are copied once, at their final size; strings and numbers are
/// slices of the source. Deliberately neither lenient nor interpreting them.
package struct JSONReader {
  let source: [UInt8]
  package let bytes: UnsafeRawBufferPointer
  let maximumDepth: Int
  package var index = 0
  /// Whether some string so far had a `\u` escape, which may be half a surrogate pair.
  package var hasMetCodeUnits = false
  private var values: [JSONValue] = []
  private var members: [JSONMember] = []

  /// - Parameter bytes: the contents of `source`.
  init(source: [UInt8], bytes: UnsafeRawBufferPointer, maximumDepth: Int) {
    self.source = source
    self.bytes = bytes
    self.maximumDepth = maximumDepth
  }

  /// For stepping over `bytes`, which must stay unchanged while the reader is in use.
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
    let mark = values.count
    try items(closedBy: UInt8(ascii: "]"), depth: depth) { reader throws(JSONError) in
      reader.values.append(try reader.value(depth: depth))
    }
    defer { values.removeLast(values.count - mark) }
    return Array(values[mark...])
  }

  private mutating func object(depth: Int) throws(JSONError) -> [JSONMember] {
    let mark = members.count
    try items(closedBy: UInt8(ascii: "}"), depth: depth) { reader throws(JSONError) in
      reader.members.append(try reader.member(depth: depth))
    }
    defer { members.removeLast(members.count - mark) }
    return Array(members[mark...])
  }

  @inline(__always) mutating func items(
    closedBy close: UInt8, depth: Int, _ item: (inout JSONReader) throws(JSONError) -> Void
  ) throws(JSONError) {
    guard depth <= maximumDepth else { throw failure(.tooDeep(limit: maximumDepth)) }
    index += 1
    skipBlanks()
    if next == close {
      index += 1
      return
    }
    while true {
      try item(&self)
      skipBlanks()
      if try endsContainer(with: close) { return }
      skipBlanks()
    }
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

  mutating func skipColon() throws(JSONError) {
    skipBlanks()
    guard next == ASCII.colon else { throw unexpected() }
    index += 1
    skipBlanks()
  }

  mutating func endsContainer(with close: UInt8) throws(JSONError) -> Bool {
    guard let byte = next, byte == close || byte == ASCII.comma else { throw unexpected() }
    index += 1
    return byte == close
  }
}
