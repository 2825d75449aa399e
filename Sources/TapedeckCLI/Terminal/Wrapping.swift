internal import TapedeckHTTP

/// Text and commands on lines of a terminal.
extension String {
  func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - self.width)) + self
  }

  /// Lines of at most `width`, broken at spaces; a longer word stays whole. Each begins with `indent` spaces, and those
  /// after the first with two more.
  func wrapped(to width: Int, indent: Int) -> [String] {
    Self.filled(split(separator: " ").map(String.init), to: width, indent: indent, end: "")
  }

  /// The text on lines of at most `columns`; unchanged if that is unknown, or if every line fits.
  ///
  /// Lines without indentation are paragraphs, which are filled anew. An indented line is broken below its second column,
  /// which begins after two spaces, unless that is too narrow to read.
  func fitted(to columns: Int?) -> String {
    let lines = split(separator: "\n", omittingEmptySubsequences: false)
    guard let columns, lines.contains(where: { String($0).width > columns }) else { return self }
    var blocks: [String] = []
    for line in lines {
      if let last = blocks.last, Self.isParagraph(last[...]), Self.isParagraph(line) {
        blocks[blocks.count - 1] = "\(last) \(line)"
      } else {
        blocks.append(String(line))
      }
    }
    return blocks.map { Self.isParagraph($0[...]) ? $0.hanging(at: 0, columns) : $0.fittedRow(columns) }
      .joined(separator: "\n")
  }

  private static func isParagraph(_ line: Substring) -> Bool { !line.isEmpty && !line.hasPrefix(" ") }

  private func fittedRow(_ columns: Int) -> String {
    guard width > columns else { return self }
    let indent = prefix { $0 == " " }.count
    let gap = dropFirst(indent).firstRange(of: "  ")
    let second = gap.flatMap { self[$0.upperBound...].firstIndex { $0 != " " } }
    let column = second.map { distance(from: startIndex, to: $0) } ?? indent + 2
    return columns - column < 20 ? self : hanging(at: column, columns)
  }

  /// Breaks at spaces; the lines after the first begin at a column.
  private func hanging(at column: Int, _ columns: Int) -> String {
    var lines = [String(prefix(column))]
    for word in dropFirst(column).split(separator: " ").map(String.init) {
      let last = lines[lines.count - 1]
      if last.width <= column {
        lines[lines.count - 1] = last + word
      } else if last.width + 1 + word.width <= columns {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(repeating: " ", count: column) + word)
      }
    }
    return lines.joined(separator: "\n")
  }

  /// A shell command on lines that a shell still reads as one: each but the last ends in a backslash, and an option stays
  /// with its value.
  func wrappedCommand(to width: Int, indent: Int) -> [String] {
    var pieces: [String] = []
    for word in shellWords {
      if let last = pieces.last, !word.hasPrefix("-"),
        (last.hasPrefix("-") && !last.contains(" ")) || pieces.count == 1
      {
        pieces[pieces.count - 1] = "\(last) \(word)"
      } else {
        pieces.append(word)
      }
    }
    return Self.filled(pieces, to: width, indent: indent, end: " \\")
  }

  /// - Parameter end: closes every line but the last.
  private static func filled(_ pieces: [String], to width: Int, indent: Int, end: String) -> [String] {
    let blanks = String(repeating: " ", count: indent)
    var lines: [String] = []
    for (number, piece) in pieces.enumerated() {
      let end = number < pieces.count - 1 ? end : ""
      if let last = lines.last, last.width + 1 + piece.width + end.width <= width {
        lines[lines.count - 1] = "\(last) \(piece)"
      } else {
        lines.append(blanks + (lines.isEmpty ? "" : "  ") + piece)
      }
    }
    return lines.enumerated().map { $0 < lines.count - 1 ? $1 + end : $1 }
  }

  /// The words of a command, with their quotes.
  private var shellWords: [String] {
    var words: [String] = []
    var word = ""
    var quote: Character?
    var isEscaped = false
    for character in self {
      if character == " ", quote == nil, !isEscaped {
        if !word.isEmpty { words.append(word) }
        word = ""
        continue
      }
      word.append(character)
      if isEscaped {
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      }
    }
    return word.isEmpty ? words : words + [word]
  }
}
