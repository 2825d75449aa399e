/// Literal and folded block scalars (YAML 1.2 §8.1).
extension YAMLReader {
  /// What becomes of the line ends at the end.
  private enum Chomping { case strip, clip, keep }

  /// Takes a block, line by line. What stands further left than its indentation ends it; empty lines need none.
  mutating func blockScalar(parent: Int) throws(YAMLError) -> [UInt8] {
    let isFolded = next == UInt8(ascii: ">")
    index += 1
    let (chomping, digit) = try header()
    let least = max(parent + 1, 1)
    let indent = digit.map { least + $0 - 1 } ?? max(least, indentationAhead())
    var out: [UInt8] = []
    var lineEnd: [UInt8] = []
    var empty = takeEmptyLines(indent)
    var wasPlain = false
    while column == indent, index < bytes.count {
      let isPlain = !isBlankOrEnd(index)
      if isFolded, lineEnd == [0x0A], isPlain, wasPlain {
        if empty.isEmpty { out.append(0x20) }
      } else {
        out += lineEnd
      }
      out += empty
      let start = index
      skipLine()
      out += bytes[start..<index]
      wasPlain = isPlain
      lineEnd = isAtLineEnd ? takeLineEnd() : []
      empty = takeEmptyLines(indent)
    }
    if chomping != .strip { out += lineEnd }
    return chomping == .keep ? out + empty : out
  }

  private mutating func header() throws(YAMLError) -> (Chomping, indent: Int?) {
    var chomping = Chomping.clip
    var indent: Int?
    while let byte = next, !isBlankOrEnd(index) {
      switch byte {
      case UInt8(ascii: "-"): chomping = .strip
      case UInt8(ascii: "+"): chomping = .keep
      case 0x31...0x39: indent = Int(byte - 0x30)
      default: throw failure("a block begins with | or >, perhaps a digit, perhaps + or -")
      }
      index += 1
    }
    skipBlanks()
    if next == UInt8(ascii: "#") { skipLine() }
    guard next == nil || isAtLineEnd else { throw failure("a block begins on the next line") }
    _ = takeLineEnd()
    return (chomping, indent)
  }

  /// How far the first line with anything on it is indented; or a blank one before it, if that is further.
  private func indentationAhead() -> Int {
    var ahead = self
    var most = 0
    while true {
      while ahead.next == 0x20 { ahead.index += 1 }
      most = max(most, ahead.column)
      guard ahead.isAtLineEnd else { return most }
      _ = ahead.takeLineEnd()
    }
  }

  /// Steps over lines that hold nothing to the right of the indentation, and over the indentation of the next.
  private mutating func takeEmptyLines(_ indent: Int) -> [UInt8] {
    var out: [UInt8] = []
    while true {
      while column < indent, next == 0x20 { index += 1 }
      guard isAtLineEnd else { return out }
      out += takeLineEnd()
    }
  }
}
