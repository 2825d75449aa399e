/// Bytes in hexadecimal digits.
enum Hex {
  static func encode(_ bytes: [UInt8], uppercase: Bool = false) -> [UInt8] {
    let letter: UInt8 = uppercase ? 0x37 : 0x57
    return bytes.flatMap { byte in
      [byte >> 4, byte & 0x0F].map { $0 < 10 ? 0x30 + $0 : letter + $0 }
    }
  }
}
