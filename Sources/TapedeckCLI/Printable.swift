internal import TapedeckHTTP

/// The one way by which text of others reaches a terminal: whatever would steer it, or turn the order of what is read,
/// is shown instead of sent.
enum Printable {
  /// Text that stays on its line.
  static func line(_ text: String) -> String { escaped(text, keeping: []) }

  /// Text that keeps its line ends and tabs.
  static func lines(_ text: String) -> String { escaped(text, keeping: ["\n", "\t"]) }

  static func line(_ bytes: some Collection<UInt8>) -> String { line(String(decoding: bytes, as: UTF8.self)) }

  /// Appends a request target, which nearly always is ASCII that needs nothing.
  static func appendLine(_ target: [UInt8], to out: inout [UInt8]) {
    if target.allSatisfy({ $0 < 0x80 && RequestTarget.isVisible($0) }) {
      out += target
    } else {
      out += line(RequestTarget.text(target)).utf8
    }
  }

  /// JSON that says the same without a character that would steer: JSON has them in its strings only, where each may be
  /// written as `\uXXXX`.
  static func json(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(where: { $0 >= 0x7F }) else { return bytes }
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.unicodeScalars.contains(where: { $0.value >= 0x7F && steers($0) }) else { return bytes }
    var out: [UInt8] = []
    for scalar in text.unicodeScalars {
      if scalar.value >= 0x7F, steers(scalar) {
        let digits = String(scalar.value, radix: 16)
        out += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
      } else {
        out += Character(scalar).utf8
      }
    }
    return out
  }

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
