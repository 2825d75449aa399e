import TapedeckHTTP

/// Where the reader is, and what stands there.
extension YAMLReader {
  var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  /// How many bytes stand before the next one on its line; indentation is blanks, so bytes are characters there.
  var column: Int {
    var start = index
    while !isLineStart(start) { start -= 1 }
    return index - start
  }

  var isAtLineStart: Bool { isLineStart(index) }

  private func isLineStart(_ index: Int) -> Bool {
    guard index > 0, bytes[index - 1] != 0x0A else { return true }
    switch bytes[index - 1] {
    case 0x85: return index > 1 && bytes[index - 2] == 0xC2
    case 0xA8, 0xA9: return index > 2 && bytes[index - 2] == 0x80 && bytes[index - 3] == 0xE2
    default: return false
    }
  }

  /// How many bytes the line end at an index has; 0 when there is none. To YAML 1.1, which these libraries follow, U+0085,
  /// U+2028 and U+2029 are line ends too.
  func lineEndLength(at index: Int) -> Int {
    guard index < bytes.count else { return 0 }
    switch bytes[index] {
    case 0x0A: return 1
    case 0x0D: return index + 1 < bytes.count && bytes[index + 1] == 0x0A ? 2 : 0
    case 0xC2: return index + 1 < bytes.count && bytes[index + 1] == 0x85 ? 2 : 0
    case 0xE2:
      let isSeparator =
        index + 2 < bytes.count && bytes[index + 1] == 0x80 && [0xA8, 0xA9].contains(bytes[index + 2])
      return isSeparator ? 3 : 0
    default: return 0
    }
  }

  var isAtLineEnd: Bool { lineEndLength(at: index) > 0 }

  /// Steps over a line end. U+2028 and U+2029 stand for themselves and are never folded; all others are line feeds.
  mutating func takeLineEnd() -> [UInt8] {
    let length = lineEndLength(at: index)
    defer { index += length }
    return length == 3 ? Array(bytes[index..<(index + 3)]) : [0x0A]
  }

  /// Steps over blanks and line ends; what the line ends come to where lines are folded, nil when there is none.
  mutating func takeFoldedLineEnds() -> [UInt8]? {
    var out: [UInt8] = []
    var lineEnds = 0
    var isFolded = false
    while true {
      skipBlanks()
      guard isAtLineEnd else { break }
      let lineEnd = takeLineEnd()
      if lineEnds == 0, lineEnd.count == 1 { isFolded = true } else { out += lineEnd }
      lineEnds += 1
    }
    guard lineEnds > 0 else { return nil }
    return isFolded && lineEnds == 1 ? [0x20] : out
  }

  func startsWith(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

  /// Whether `---` or `...` stands alone at the beginning of a line.
  func isMarker(_ marker: String) -> Bool {
    isAtLineStart && startsWith(marker) && isBlankOrEnd(index + 3)
  }

  func isBlankOrEnd(_ index: Int) -> Bool {
    guard index < bytes.count else { return true }
    return [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) || lineEndLength(at: index) > 0
  }

  /// Whether this is the dash of a list's item.
  var isDash: Bool { next == UInt8(ascii: "-") && isBlankOrEnd(index + 1) }

  var isColon: Bool { next == UInt8(ascii: ":") && isBlankOrEnd(index + 1) }

  mutating func skipBlanks() {
    while let byte = next, ASCII.isBlank(byte) { index += 1 }
  }

  mutating func skipLine() {
    while index < bytes.count, !isAtLineEnd { index += 1 }
  }

  /// Whether only blanks stand before this on its line.
  private var isFirstOnLine: Bool {
    var start = index
    while start > 0, bytes[start - 1] == 0x20 { start -= 1 }
    return isLineStart(start)
  }

  /// Steps over blanks, comments and line ends; whether what stands there is the first on its line.
  @discardableResult
  mutating func skipToToken() throws(YAMLError) -> Bool {
    var isNewLine = isFirstOnLine
    while let byte = next {
      switch byte {
      case 0x20: index += 1
      case 0x09:
        if isNewLine { throw failure("a tab cannot indent") }
        index += 1
      case UInt8(ascii: "#") where index == 0 || isBlankOrEnd(index - 1): skipLine()
      default:
        guard isAtLineEnd else { return isNewLine }
        isNewLine = true
        _ = takeLineEnd()
      }
    }
    return isNewLine
  }

  /// The name of an anchor, an alias or a tag.
  mutating func takeName() -> [UInt8] {
    let start = index
    while let byte = next, !isBlankOrEnd(index), !",[]{}".utf8.contains(byte) { index += 1 }
    return Array(bytes[start..<index])
  }

  func failure(_ problem: String) -> YAMLError {
    let before = bytes[..<min(index, bytes.count)]
    let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return YAMLError(
      problem: problem, line: 1 + before.count { $0 == 0x0A },
      column: 1 + before[lineStart...].count { $0 & 0xC0 != 0x80 })
  }
}
