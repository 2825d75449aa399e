internal import Glibc
internal import TapedeckHTTP
internal import TapedeckRecording

/// A manual page, in the macros of man(7).
struct ManualPage {
  let name: String
  let section: Int
  /// What stands after the name, without a period.
  let summary: String
  var parts: [Part] = []

  /// A heading with what stands below it.
  struct Part {
    var heading: String
    var blocks: [Block]
  }

  enum Block {
    case paragraph(String)
    /// Lines as they are.
    case literal([String])
    /// A term and its explanation.
    case item(String, String)
    case subheading(String)
  }

  /// The page in roff.
  var text: String {
    let title = "\(name.uppercased())"
    let head =
      ".TH \"\(Roff.escaped(title))\" \(section) \"\(Self.date)\" \"tapedeck \(CommandLineTool.version)\" \"Tapedeck\"\n"
    let names = ".SH NAME\n\(Roff.escaped(name)) \\- \(Roff.escaped(summary))\n"
    return head + names
      + parts.map { ".SH \(Roff.escaped($0.heading.uppercased()))\n" + Roff.blocks($0.blocks) }.joined()
  }

  /// Today, or the day that SOURCE_DATE_EPOCH names, so that a build can be repeated byte for byte.
  private static var date: String {
    let seconds = Terminal.environment("SOURCE_DATE_EPOCH").flatMap { Int($0) } ?? time(nil)
    return String(Timestamp.text(milliseconds: seconds * 1000).prefix(10))
  }

  /// Writes `man1/…` and `man5/…`.
  static func writeAll(into folder: String) throws(Failure) {
    for page in all {
      for path in [folder, "\(folder)/man\(page.section)"] where mkdir(path, 0o755) != 0 && errno != EEXIST {
        throw Failure(errno: "cannot make the folder \(path)")
      }
      let path = "\(folder)/man\(page.section)/\(page.name).\(page.section)"
      try OutputFile.write(Array(page.text.utf8), to: path)
    }
  }

  static var all: [ManualPage] { [command] + Verb.all.map(ManualPage.init) + [overrides, cassette] }
}

/// Text for roff(7).
private enum Roff {
  /// A line that begins with a dot or a quote would be a request.
  static func escaped(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\"", with: "\\(dq")
      .replacing("'", with: "\\(aq").replacing("`", with: "\\(ga").replacing("^", with: "\\(ha")
      .replacing("~", with: "\\(ti").replacing("…", with: "...")
    return escaped.hasPrefix(".") ? "\\&\(escaped)" : escaped
  }

  /// The first block of a part needs no space above.
  static func blocks(_ blocks: [ManualPage.Block]) -> String {
    var text = ""
    var isFirst = true
    for block in blocks {
      text += self.text(block, isFirst: isFirst)
      if case .subheading = block { isFirst = true } else { isFirst = false }
    }
    return text
  }

  private static func text(_ block: ManualPage.Block, isFirst: Bool) -> String {
    switch block {
    case .paragraph(let text):
      (isFirst ? "" : ".PP\n") + lines(text)
    case .literal(let lines):
      (isFirst ? "" : ".PP\n") + ".nf\n" + lines.map { "\(escaped($0))\n" }.joined() + ".fi\n"
    case .item(let term, let explanation):
      ".TP\n.B \(escaped(term))\n" + lines(explanation)
    case .subheading(let heading): ".SS \(escaped(heading))\n"
    }
  }

  private static func lines(_ text: String) -> String {
    text.split(separator: "\n").map { "\(escaped(String($0)))\n" }.joined()
  }
}
