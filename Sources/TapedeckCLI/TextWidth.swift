/// How much room a text takes on a terminal, and how to make it take less. Counted in characters: those that are two
/// columns wide are rare in what is shown here.
enum TextWidth {
  static func of(_ text: String) -> Int { text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.count }

  /// `text` in at most `width` columns, with `…` for what is left out of its middle: both ends of a path say more than
  /// what is between them.
  static func shortened(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    guard width > 1 else { return String("…".prefix(max(0, width))) }
    let tail = (width - 1) / 2
    return "\(text.prefix(width - 1 - tail))…\(text.suffix(tail))"
  }

  static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - of(text)))
  }

  static func paddedLeft(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - of(text))) + text
  }
}
