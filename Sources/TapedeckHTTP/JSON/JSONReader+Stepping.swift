extension JSONReader {
  /// Steps over a value.
  /// - Parameter depth: how many containers it stands in.
  package mutating func skipValue(depth: Int = 0) throws(JSONError) {
    guard let first = next else { throw unexpected() }
    switch first {
    case UInt8(ascii: "\""): try skipString()
    case UInt8(ascii: "{"): try skipContainer(closedBy: UInt8(ascii: "}"), depth: depth + 1)
    case UInt8(ascii: "["): try skipContainer(closedBy: UInt8(ascii: "]"), depth: depth + 1)
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): try skipWord(first)
    case UInt8(ascii: "-"), 0x30...0x39: try skipNumber()
    default: throw unexpected()
    }
  }

  private mutating func skipContainer(closedBy close: UInt8, depth: Int) throws(JSONError) {
    guard depth <= maximumDepth else { throw failure(.tooDeep(limit: maximumDepth)) }
    index += 1
    skipBlanks()
    if next == close {
      index += 1
      return
    }
    while true {
      if close == UInt8(ascii: "}") {
        try expectName()
        try skipString()
        try skipColon()
      }
      try skipValue(depth: depth)
      skipBlanks()
      if try endsContainer(with: close) { return }
      skipBlanks()
    }
  }

  /// Steps over `true`, `false` or `null`.
  mutating func skipWord(_ first: UInt8) throws(JSONError) {
    let word: StaticString =
      first == UInt8(ascii: "t") ? "true" : first == UInt8(ascii: "f") ? "false" : "null"
    for offset in 0..<word.utf8CodeUnitCount {
      guard next == word.utf8Start[offset] else { throw unexpected() }
      index += 1
    }
  }

  /// Steps over a string; false, and nothing is stepped over, where none begins or it is not well formed.
  package mutating func takeString() -> Bool {
    take { reader throws(JSONError) in
      guard reader.next == UInt8(ascii: "\"") else { throw reader.unexpected() }
      try reader.skipString()
    }
  }

  /// Steps over a value; false, and nothing is stepped over, where it is not well formed.
  package mutating func takeValue() -> Bool { take { reader throws(JSONError) in try reader.skipValue() } }

  /// Steps over `text`; false, and nothing is stepped over, where something else stands.
  package mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count - index >= count else { return false }
    let expected = UnsafeRawBufferPointer(start: text.utf8Start, count: count)
    var offset = 0
    while offset + 8 <= count {
      guard
        bytes.loadUnaligned(fromByteOffset: index + offset, as: UInt64.self)
          == expected.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      else { return false }
      offset += 8
    }
    while offset < count {
      guard bytes[index + offset] == expected[offset] else { return false }
      offset += 1
    }
    index += count
    return true
  }

  private mutating func take(_ step: (inout JSONReader) throws(JSONError) -> Void) -> Bool {
    let start = index
    do throws(JSONError) { try step(&self) } catch {
      index = start
      return false
    }
    return true
  }
}
