/// The one way by which text of others reaches a terminal: whatever would steer it, or turn the order of what is read,
/// is shown instead of sent.
enum Printable {
  /// Text that stays on its line.
  static func line(_ text: String) -> String { escaped(text, keeping: []) }

  /// Text that keeps its line ends and tabs.
  static func lines(_ text: String) -> String { escaped(text, keeping: ["\n", "\t"]) }

  static func line(_ bytes: some Collection<UInt8>) -> String { line(String(decoding: bytes, as: UTF8.self)) }

  private static func escaped(_ text: String, keeping kept: Set<Unicode.Scalar>) -> String {
    guard text.unicodeScalars.contains(where: { steers($0) && !kept.contains($0) }) else { return text }
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if steers(scalar), !kept.contains(scalar) {
        out.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      } else {
        out.append(scalar)
      }
    }
    return String(out)
  }

  /// Control characters (C0, DEL, C1), line and paragraph separators, and those that turn the direction of text.
  private static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20..<0x7F: false
    case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: true
    default: false
    }
  }
}
