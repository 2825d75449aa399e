/// The colours of output, if any.
struct Style: Sendable {
  enum Color: Int {
    case bold = 1
    case dim = 2
    case red = 31
    case green = 32
    case yellow = 33
    case cyan = 36

    static func ofStatus(_ status: Int) -> Color {
      switch status {
      case ..<300: .green
      case ..<400: .cyan
      case ..<500: .yellow
      default: .red
      }
    }
  }

  let hasColor: Bool

  /// The style of standard output.
  static let output = Style(hasColor: Terminal.standardOutputHasColor)

  func paint(_ text: String, _ color: Color?) -> String {
    guard hasColor, let color, !text.isEmpty else { return text }
    return "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m"
  }
}

/// Widths are counted in characters, since characters of two columns are rare here.
extension String {
  var width: Int { utf8.allSatisfy { $0 < 0x80 } ? utf8.count : count }

  /// Replaces the middle with `…`, since both ends of a path are more telling.
  func shortened(to width: Int) -> String {
    guard self.width > width else { return self }
    guard width > 1 else { return String("…".prefix(max(0, width))) }
    let tail = (width - 1) / 2
    return "\(prefix(width - 1 - tail))…\(suffix(tail))"
  }

  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - self.width)) }

  /// The text in a colour, if standard output has colours.
  func painted(_ color: Style.Color?) -> String { Style.output.paint(self, color) }
}

/// Numbers for people.
enum HumanText {
  static func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<1024: "\(bytes) B"
    case ..<(1 << 20): "\((bytes + 512) >> 10) KiB"
    case ..<(1 << 30): "\((bytes + 1 << 19) >> 20) MiB"
    default: "\((bytes + 1 << 29) >> 30) GiB"
    }
  }

  /// With three digits at most: `0.31 ms`, `12.4 ms`, `1.25 s`.
  static func duration(nanoseconds: Int64) -> String {
    let isShort = nanoseconds < 999_500_000
    let hundredths = (nanoseconds + (isShort ? 5_000 : 5_000_000)) / (isShort ? 10_000 : 10_000_000)
    let (whole, fraction) = (hundredths / 100, hundredths % 100)
    let digits =
      switch whole {
      case ..<10: ".\(fraction < 10 ? "0" : "")\(fraction)"
      case ..<100: ".\(fraction / 10)"
      default: ""
      }
    return "\(whole)\(digits) \(isShort ? "ms" : "s")"
  }

  /// In the largest unit of which there are two or more.
  static func age(_ seconds: Int) -> String {
    switch seconds {
    case ..<0: "0 s"
    case ..<120: "\(seconds) s"
    case ..<7_200: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3600) h"
    case ..<5_184_000: "\(seconds / 86_400) d"
    case ..<63_072_000: "\(seconds / 2_592_000) mo"
    default: "\(seconds / 31_536_000) y"
    }
  }

  /// `1 file`, `2 files`.
  static func count(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
  }
}
