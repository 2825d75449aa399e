extension JSONReader {
  mutating func string() throws(JSONError) -> JSONString {
    let start = index + 1
    try skipString()
    return JSONString(slice: JSONSlice(source: source, start: start, end: index - 1))
  }

  mutating func skipString() throws(JSONError) {
    index += 1
    while true {
      index = JSONString.endOfPlainWords(bytes, from: index)
      guard index < bytes.count else { throw failure(.unexpectedEnd) }
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index += 1
        return
      case UInt8(ascii: "\\"): try skipEscape()
      case ..<0x20: throw failure(.controlCharacter(bytes[index]))
      case ..<0x80: index += 1
      default:
        let length = UTF8Scan.multibyteLength(bytes, at: index)
        guard length > 0 else { throw failure(.invalidUTF8) }
        index += length
      }
    }
  }

  private mutating func skipEscape() throws(JSONError) {
    guard index + 1 < bytes.count else {
      index = bytes.count
      throw failure(.unexpectedEnd)
    }
    switch bytes[index + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      index += 2
    case UInt8(ascii: "u"):
      for offset in 2..<6 {
        guard index + offset < bytes.count else {
          index = bytes.count
          throw failure(.unexpectedEnd)
        }
        guard ASCII.hexValue(bytes[index + offset]) != nil else { throw failure(.invalidEscape) }
      }
      hasMetCodeUnits = true
      index += 6
    default: throw failure(.invalidEscape)
    }
  }

  mutating func number() throws(JSONError) -> JSONNumber {
    let start = index
    try skipNumber()
    return JSONNumber(slice: JSONSlice(source: source, start: start, end: index))
  }

  /// `-`? (`0` | 1–9 digits) fraction? exponent? (RFC 8259 §6).
  mutating func skipNumber() throws(JSONError) {
    if bytes[index] == UInt8(ascii: "-") { index += 1 }
    if index < bytes.count, bytes[index] == UInt8(ascii: "0") { index += 1 } else { try skipDigits() }
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      index += 1
      try skipDigits()
    }
    if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
        index += 1
      }
      try skipDigits()
    }
    if index < bytes.count, ASCII.isDigit(bytes[index]) { throw failure(.invalidNumber) }
  }

  private mutating func skipDigits() throws(JSONError) {
    let start = index
    while index < bytes.count, ASCII.isDigit(bytes[index]) { index += 1 }
    guard index > start else { throw failure(index < bytes.count ? .invalidNumber : .unexpectedEnd) }
  }
}
