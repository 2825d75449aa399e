/// Bytes as one word of a shell command.
public enum ShellWord {
  /// In single quotes, as every POSIX shell reads them; where that would put control bytes before a person, or bytes
  /// that are not UTF-8, in `$'…'` (POSIX.1-2024 §2.2.4). A plain word stays bare.
  public static func quoted(_ bytes: some Collection<UInt8>) -> String {
    if !bytes.isEmpty, bytes.allSatisfy(isPlain) { return String(decoding: bytes, as: UTF8.self) }
    let isReadable = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A }
    guard isReadable, let text = String(validating: bytes, as: UTF8.self),
      !text.unicodeScalars.contains(where: { (0x80...0x9F).contains($0.value) || isDirectional($0) })
    else { return escaped(bytes) }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  public static func quoted(_ text: String) -> String { quoted(Array(text.utf8)) }

  /// Whether a shell can hand these bytes on at all: an argument ends at its first NUL.
  public static func canHold(_ bytes: some Collection<UInt8>) -> Bool { !bytes.contains(0) }

  private static func escaped(_ bytes: some Collection<UInt8>) -> String {
    var out = "$'"
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "'"): out += "\\'"
      case UInt8(ascii: "\\"): out += "\\\\"
      case 0x0A: out += "\\n"
      case 0x0D: out += "\\r"
      case 0x09: out += "\\t"
      case 0x20..<0x7F: out += String(Unicode.Scalar(byte))
      // Three octal digits: a hexadecimal escape may go on for as long as digits follow.
      default: out += "\\" + octal(byte)
      }
    }
    return out + "'"
  }

  private static func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return String(repeating: "0", count: 3 - digits.count) + digits
  }

  /// Characters that turn or hide the order of what is read.
  private static func isDirectional(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "/"), UInt8(ascii: ":"),
      UInt8(ascii: ","), UInt8(ascii: "+"), UInt8(ascii: "@"), UInt8(ascii: "%"):
      true
    default: false
    }
  }
}
