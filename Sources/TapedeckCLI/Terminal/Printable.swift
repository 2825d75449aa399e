internal import TapedeckHTTP

/// Escapes text from others for a terminal: control characters and those that change the direction of text.
enum Printable {
  /// Text on one line.
  static func line(_ text: String) -> String { escaped(text, if: isControl) }

  static func line(_ bytes: some Collection<UInt8>) -> String { line(String(decoding: bytes, as: UTF8.self)) }

  /// Text that keeps its line ends and tabs.
  static func lines(_ text: String) -> String {
    escaped(text) { isControl($0) && $0 != "\n" && $0 != "\t" }
  }

  /// Appends a request target, which is nearly always plain ASCII.
  static func appendLine(_ target: [UInt8], to out: inout [UInt8]) {
    if target.allSatisfy({ $0 < 0x80 && RequestTarget.isVisible($0) }) {
      out += target
    } else {
      out += line(RequestTarget.text(target)).utf8
    }
  }

  /// Equal JSON with such characters written as `\uXXXX`; they occur only in its strings.
  static func json(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(where: { $0 >= 0x7F }) else { return bytes }
    let text = escaped(String(decoding: bytes, as: UTF8.self), if: { $0.value >= 0x7F && isControl($0) }) {
      "\\u\(String(repeating: "0", count: 4 - $0.count))\($0)"
    }
    return Array(text.utf8)
  }

  /// - Parameter escape: makes the escape sequence of a character from its hexadecimal number.
  private static func escaped(
    _ text: String, if isEscaped: (Unicode.Scalar) -> Bool, as escape: (String) -> String = { "\\u{\($0)}" }
  ) -> String {
    guard text.unicodeScalars.contains(where: isEscaped) else { return text }
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if isEscaped(scalar) {
        out.append(contentsOf: escape(String(scalar.value, radix: 16)).unicodeScalars)
      } else {
        out.append(scalar)
      }
    }
    return String(out)
  }

  /// Control characters (C0, DEL, C1), line and paragraph separators, and bidirectional controls.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20..<0x7F: false
    case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: true
    default: false
    }
  }
}
