import TapedeckHTTP

/// Scalars: their escapes, and how their lines are folded (YAML 1.2 §7.3, §8.1).
extension YAMLReader {
  // MARK: Plain

  /// Text without quotes, which goes on over lines that stand further right than `parent`.
  mutating func plainScalar(parent: Int, inFlow: Bool) throws(YAMLError) -> [UInt8] {
    guard let first = next, !"%@`,[]{}&*!|>#\"'".utf8.contains(first) else {
      throw failure("a plain text cannot begin so")
    }
    if "-?:".utf8.contains(first), isBlankOrEnd(index + 1) { throw failure("a value is expected here") }
    var out = takePlainLine(inFlow: inFlow)
    while true {
      let end = index
      guard let lineEnds = takeFoldedLineEnds(), goesOn(parent: parent, inFlow: inFlow) else {
        index = end
        return out
      }
      out += lineEnds
      out += takePlainLine(inFlow: inFlow)
    }
  }

  /// Whether this line belongs to the scalar before it.
  private func goesOn(parent: Int, inFlow: Bool) -> Bool {
    guard let byte = next, column > parent, byte != UInt8(ascii: "#") else { return false }
    if inFlow { return !",[]{}".utf8.contains(byte) && !isColon }
    return !isMarker("---") && !isMarker("...")
  }

  /// One line of a plain scalar, without the blanks around it.
  private mutating func takePlainLine(inFlow: Bool) -> [UInt8] {
    let start = index
    var end = index
    while let byte = next, !isAtLineEnd {
      if byte == UInt8(ascii: ":"), isBlankOrEnd(index + 1) { break }
      if inFlow, ",[]{}".utf8.contains(byte) { break }
      if inFlow, byte == UInt8(ascii: ":"), index + 1 < bytes.count, ",[]{}".utf8.contains(bytes[index + 1]) {
        break
      }
      if byte == UInt8(ascii: "#"), index > start, ASCII.isBlank(bytes[index - 1]) { break }
      index += 1
      if byte > 0x20 { end = index }
    }
    index = end
    return Array(bytes[start..<end])
  }

  // MARK: Quoted

  mutating func singleQuoted() throws(YAMLError) -> [UInt8] {
    let start = index
    index += 1
    var out: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "'"):
        index += 1
        guard next == UInt8(ascii: "'") else { return out }
        out.append(byte)
        index += 1
      default: takeQuoted(byte, into: &out, keeping: 0)
      }
    }
    index = start
    throw failure("this quote is not closed")
  }

  mutating func doubleQuoted() throws(YAMLError) -> [UInt8] {
    let start = index
    index += 1
    var out: [UInt8] = []
    // What escapes made is not taken away with the blanks at the end of a line.
    var fixed = 0
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        return out
      case UInt8(ascii: "\\"):
        try escape(into: &out)
        fixed = out.count
      default: takeQuoted(byte, into: &out, keeping: fixed)
      }
    }
    index = start
    throw failure("this quote is not closed")
  }

  /// A character in quotes, or a line end with the blanks around it, which do not count.
  private mutating func takeQuoted(_ byte: UInt8, into out: inout [UInt8], keeping fixed: Int) {
    guard isAtLineEnd, let lineEnds = takeFoldedLineEnds() else {
      out.append(byte)
      index += 1
      return
    }
    while out.count > fixed, let last = out.last, ASCII.isBlank(last) { out.removeLast() }
    out += lineEnds
  }

  private mutating func escape(into out: inout [UInt8]) throws(YAMLError) {
    guard index + 1 < bytes.count else { throw failure("this quote is not closed") }
    let letter = bytes[index + 1]
    if lineEndLength(at: index + 1) > 0 {
      // The line goes on with the next one's first character that is no blank; empty lines between are line ends.
      index += 1
      _ = takeLineEnd()
      skipBlanks()
      while isAtLineEnd {
        out += takeLineEnd()
        skipBlanks()
      }
      return
    }
    if let digits = Self.digits(letter) { return try escapedScalar(digits, into: &out) }
    guard let text = Self.escapes[letter] else { throw failure("unknown escape in a text") }
    out += Array(text.utf8)
    index += 2
  }

  private static func digits(_ letter: UInt8) -> Int? {
    switch letter {
    case UInt8(ascii: "x"): 2
    case UInt8(ascii: "u"): 4
    case UInt8(ascii: "U"): 8
    default: nil
    }
  }

  private static let escapes: [UInt8: String] = [
    UInt8(ascii: "0"): "\0", UInt8(ascii: "a"): "\u{7}", UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "t"): "\t",
    0x09: "\t", UInt8(ascii: "n"): "\n", UInt8(ascii: "v"): "\u{B}", UInt8(ascii: "f"): "\u{C}",
    UInt8(ascii: "r"): "\r", UInt8(ascii: "e"): "\u{1B}", 0x20: " ", UInt8(ascii: "\""): "\"",
    UInt8(ascii: "/"): "/", UInt8(ascii: "\\"): "\\", UInt8(ascii: "N"): "\u{85}",
    UInt8(ascii: "_"): "\u{A0}",
    UInt8(ascii: "L"): "\u{2028}", UInt8(ascii: "P"): "\u{2029}",
  ]

  private mutating func escapedScalar(_ digits: Int, into out: inout [UInt8]) throws(YAMLError) {
    guard var value = hexadecimal(at: index + 2, digits) else { throw failure("unknown escape in a text") }
    index += 2 + digits
    // JSON writes what lies beyond 16 bits as two escapes (RFC 8259 §7).
    if (0xD800...0xDBFF).contains(value), startsWith("\\u"), let low = hexadecimal(at: index + 2, 4),
      (0xDC00...0xDFFF).contains(low)
    {
      value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
      index += 6
    }
    guard let scalar = Unicode.Scalar(value) else { throw failure("the escape before this is no character") }
    out += Array(String(scalar).utf8)
  }

  private func hexadecimal(at start: Int, _ digits: Int) -> UInt32? {
    guard start + digits <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[start..<(start + digits)] {
      guard let digit = ASCII.hexValue(byte) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}
