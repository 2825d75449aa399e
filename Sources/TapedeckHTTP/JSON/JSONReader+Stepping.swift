extension JSONReader {
  /// - Parameter depth: the number of containers around the value.
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
    try items(closedBy: close, depth: depth) { reader throws(JSONError) in
      if close == UInt8(ascii: "}") {
        try reader.expectName()
        try reader.skipString()
        try reader.skipColon()
      }
      try reader.skipValue(depth: depth)
    }
  }

  mutating func skipWord(_ first: UInt8) throws(JSONError) {
    let word: StaticString =
      first == UInt8(ascii: "t") ? "true" : first == UInt8(ascii: "f") ? "false" : "null"
    for offset in 0..<word.utf8CodeUnitCount {
      guard next == word.utf8Start[offset] else { throw unexpected() }
      index += 1
    }
  }

  /// Skips a well-formed string; otherwise returns false and skips nothing.
  package mutating func takeString() -> Bool {
    take { reader throws(JSONError) in
      guard reader.next == UInt8(ascii: "\"") else { throw reader.unexpected() }
      try reader.skipString()
    }
  }

  package mutating func takeValue() -> Bool { take { reader throws(JSONError) in try reader.skipValue() } }

  package mutating func take(_ text: StaticString) -> Bool {
    let expected = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard bytes.holds(expected, at: index) else { return false }
    index += expected.count
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
