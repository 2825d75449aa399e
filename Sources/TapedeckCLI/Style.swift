/// Colours, or none.
struct Style: Sendable {
  enum Color: Int {
    case bold = 1
    case dim = 2
    case red = 31
    case green = 32
    case yellow = 33
    case cyan = 36
  }

  let hasColor: Bool

  /// As standard output wants it.
  static let output = Style(hasColor: Terminal.standardOutputHasColor)

  func paint(_ text: String, _ color: Color?) -> String {
    guard hasColor, let color, !text.isEmpty else { return text }
    return "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m"
  }

  /// The colour of a status code.
  static func color(ofStatus status: Int) -> Color {
    switch status {
    case ..<300: .green
    case ..<400: .cyan
    case ..<500: .yellow
    default: .red
    }
  }
}
