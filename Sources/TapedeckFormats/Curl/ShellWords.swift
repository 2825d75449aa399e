import TapedeckHTTP

/// Cuts a text of shell commands into words, as POSIX shells and `$'…'` have them. What a shell would have to work out
/// (variables, substitutions, redirections) is not done, and a command with it is refused.
struct ShellWords {
  struct Command {
    /// Where it begins, from 1.
    var line: Int
    var words: [[UInt8]]
    /// Why it cannot be taken as it stands.
    var problem: String?
  }

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  private var command = Command(line: 1, words: [])
  private var word: [UInt8]?

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The commands, each ended by a line end, `;`, `&` or the end of the text.
  static func commands(_ bytes: [UInt8]) -> [Command] {
    var reader = ShellWords(bytes)
    var commands: [Command] = []
    while reader.index < bytes.count { commands += reader.step() }
    return commands + reader.endCommand()
  }

  private mutating func step() -> [Command] {
    let byte = bytes[index]
    index += 1
    switch byte {
    case 0x20, 0x09, 0x0D: endWord()
    case 0x0A:
      let ended = endCommand()
      line += 1
      command.line = line
      return ended
    case UInt8(ascii: ";"), UInt8(ascii: "&"): return endCommand()
    case UInt8(ascii: "#") where word == nil: skipComment()
    case UInt8(ascii: "'"): singleQuoted()
    case UInt8(ascii: "\""): doubleQuoted()
    case UInt8(ascii: "\\"): escaped()
    case UInt8(ascii: "$") where index < bytes.count && bytes[index] == UInt8(ascii: "'"): dollarQuoted()
    case UInt8(ascii: "$"), UInt8(ascii: "`"): refuse("a shell would put something in place of $ or `")
    case UInt8(ascii: "|"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "("), UInt8(ascii: ")"):
      refuse("pipes and redirections are not followed")
    default: append(byte)
    }
    return []
  }

  private mutating func append(_ byte: UInt8) { word = (word ?? []) + [byte] }

  private mutating func refuse(_ problem: String) { command.problem = command.problem ?? problem }

  private mutating func endWord() {
    if let word { command.words.append(word) }
    word = nil
  }

  private mutating func endCommand() -> [Command] {
    endWord()
    defer { command = Command(line: line, words: []) }
    return command.words.isEmpty && command.problem == nil ? [] : [command]
  }

  private mutating func skipComment() {
    while index < bytes.count, bytes[index] != 0x0A { index += 1 }
  }

  // MARK: Quotes

  private mutating func singleQuoted() {
    word = word ?? []
    while index < bytes.count, bytes[index] != UInt8(ascii: "'") { take() }
    close()
  }

  private mutating func doubleQuoted() {
    word = word ?? []
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      switch bytes[index] {
      case UInt8(ascii: "\\") where index + 1 < bytes.count && "$`\"\\\n".utf8.contains(bytes[index + 1]):
        index += 1
        if bytes[index] == 0x0A { skipLineEnd() } else { take() }
      case UInt8(ascii: "$"), UInt8(ascii: "`"):
        refuse("a shell would put something in place of $ or `")
        take()
      default: take()
      }
    }
    close()
  }

  private mutating func escaped() {
    guard index < bytes.count else { return }
    if bytes[index] == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A { index += 1 }
    if bytes[index] == 0x0A { skipLineEnd() } else { take() }
  }

  /// `$'…'` (POSIX.1-2024 §2.2.4), as browsers write bodies with quotes and line ends in them.
  private mutating func dollarQuoted() {
    word = word ?? []
    index += 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "'") {
      guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else {
        take()
        continue
      }
      index += 1
      takeEscape()
    }
    close()
  }

  private mutating func take() {
    if bytes[index] == 0x0A { line += 1 }
    append(bytes[index])
    index += 1
  }

  private mutating func skipLineEnd() {
    line += 1
    index += 1
  }

  private mutating func close() {
    if index == bytes.count { refuse("a quote is not closed") }
    index += 1
  }

  // MARK: Escapes

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "e"): 27, UInt8(ascii: "f"): 12,
    UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9, UInt8(ascii: "v"): 11,
  ]

  private mutating func takeEscape() {
    let letter = bytes[index]
    switch letter {
    case UInt8(ascii: "x"): takeNumber(radix: 16, skipping: 1, digits: 2, isCharacter: false)
    case UInt8(ascii: "u"): takeNumber(radix: 16, skipping: 1, digits: 4, isCharacter: true)
    case UInt8(ascii: "U"): takeNumber(radix: 16, skipping: 1, digits: 8, isCharacter: true)
    case 0x30...0x37: takeNumber(radix: 8, skipping: 0, digits: 3, isCharacter: false)
    default:
      if let byte = Self.escapes[letter] {
        append(byte)
        index += 1
      } else {
        take()
      }
    }
  }

  private mutating func takeNumber(radix: UInt32, skipping: Int, digits: Int, isCharacter: Bool) {
    index += skipping
    var value: UInt32 = 0
    var count = 0
    while count < digits, index < bytes.count, let digit = ASCII.hexValue(bytes[index]), digit < radix {
      value = value &* radix &+ UInt32(digit)
      count += 1
      index += 1
    }
    if count == 0 { return append(bytes[index - 1]) }
    guard isCharacter else { return append(UInt8(truncatingIfNeeded: value)) }
    for byte in String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8 { append(byte) }
  }
}
