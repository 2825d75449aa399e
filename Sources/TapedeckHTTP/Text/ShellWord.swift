/// Quotes bytes as one word of a shell command.
public enum ShellWord {
  /// Leaves plain words bare; uses `$'…'` (POSIX.1-2024 §2.2.4) for control bytes and bytes not UTF-8.
  public static func quoted(_ bytes: some Collection<UInt8>) -> String {
    if !bytes.isEmpty, bytes.allSatisfy(isPlain) { return String(decoding: bytes, as: UTF8.self) }
    let isReadable = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A }
    guard isReadable, let text = String(validating: bytes, as: UTF8.self),
      !text.unicodeScalars.contains(where: { (0x80...0x9F).contains($0.value) || isDirectional($0) })
    else { return escaped(bytes) }
    return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  public static func quoted(_ text: String) -> String { quoted(Array(text.utf8)) }

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
      // Three octal digits, because a hexadecimal escape continues while digits follow.
      default: out += "\\" + octal(byte)
      }
    }
    return out + "'"
  }

  static func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return String(repeating: "0", count: 3 - digits.count) + digits
  }

  /// Characters that change or hide the reading direction.
  private static func isDirectional(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || "-._/:,+@%".utf8.contains(byte)
  }
}
