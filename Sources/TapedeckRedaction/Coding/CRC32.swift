import CZlib
import TapedeckHTTP

/// A checksum (RFC 1952 §8) that detects accidents such as a torn write or a flipped bit, but not intent.
package enum CRC32 {
  /// The length in lower-case hexadecimal digits.
  package static let digits = 8

  package static func hex(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let sum = crc32_z(0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    return (0..<digits).map { ASCII.hexDigit(UInt8(truncatingIfNeeded: sum >> (28 - 4 * $0)) & 0x0F) }
  }
}
