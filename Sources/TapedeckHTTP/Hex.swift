/// Bytes in hexadecimal digits.
package enum Hex {
  package static func encode(_ bytes: [UInt8], uppercase: Bool = false) -> [UInt8] {
    bytes.flatMap { [digit($0 >> 4, uppercase: uppercase), digit($0 & 0x0F, uppercase: uppercase)] }
  }

  /// - Parameter value: below 16.
  package static func digit(_ value: UInt8, uppercase: Bool = false) -> UInt8 {
    value < 10 ? 0x30 + value : (uppercase ? 0x37 : 0x57) + value
  }
}
