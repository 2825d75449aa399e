/// What single bytes mean, where this room needs to know.
enum Bytes {
  static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// Equality without regard to ASCII case, and to nothing but ASCII case.
  static func equal(_ bytes: ArraySlice<UInt8>, lowercase text: StaticString) -> Bool {
    bytes.withUnsafeBufferPointer { equal($0, lowercase: text) }
  }

  static func equal(_ bytes: UnsafeBufferPointer<UInt8>, lowercase text: StaticString) -> Bool {
    bytes.count == text.utf8CodeUnitCount
      && bytes.indices.allSatisfy { lowercased(bytes[$0]) == text.utf8Start[$0] }
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

  /// A letter, a digit, `_` or `-`.
  static func isWord(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }

  /// White space of texts: SP, HTAB, CR, LF.
  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  /// A byte that people can read in a text: anything but control characters other than tab and line ends.
  static func isText(_ byte: UInt8) -> Bool {
    byte >= 0x20 ? byte != 0x7F : byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
