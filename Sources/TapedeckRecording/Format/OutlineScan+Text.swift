import TapedeckHTTP

extension OutlineScan {
  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: json.bytes[range])
  }

  mutating func expect(_ text: StaticString) throws(Unfamiliar) {
    guard json.take(text) else { throw Unfamiliar() }
  }

  /// Visible ASCII and blanks up to a quote, which is stepped over; nothing escaped.
  mutating func plainText() throws(Unfamiliar) -> Range<Int> {
    let (range, isEscaped) = try text()
    guard !isEscaped else { throw Unfamiliar() }
    return range
  }

  /// The same, in which quotes and backslashes may stand escaped.
  mutating func text() throws(Unfamiliar) -> (range: Range<Int>, isEscaped: Bool) {
    let (start, end) = (json.index, json.bytes.count)
    var index = start
    var isEscaped = false
    while index < end {
      switch json.bytes[index] {
      case UInt8(ascii: "\""):
        json.index = index + 1
        return (start..<index, isEscaped)
      case UInt8(ascii: "\\"):
        index += 1
        guard index < end, json.bytes[index] == UInt8(ascii: "\"") || json.bytes[index] == UInt8(ascii: "\\")
        else { throw Unfamiliar() }
        isEscaped = true
      case 0x20...0x7E: break
      default: throw Unfamiliar()
      }
      index += 1
    }
    throw Unfamiliar()
  }

  /// A whole number as JSON has it, of at most so many digits.
  mutating func number(digits: Int) throws(Unfamiliar) -> Int {
    let start = json.index
    var value = 0
    while json.index < json.bytes.count, ASCII.isDigit(json.bytes[json.index]), json.index - start <= digits {
      value = 10 * value + Int(json.bytes[json.index] & 0x0F)
      json.index += 1
    }
    let count = json.index - start
    guard 1...digits ~= count, count == 1 || json.bytes[start] != UInt8(ascii: "0") else {
      throw Unfamiliar()
    }
    return value
  }
}
