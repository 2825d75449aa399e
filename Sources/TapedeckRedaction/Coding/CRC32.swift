import CZlib
import TapedeckHTTP

/// A checksum that tells whether bytes are as they were written (RFC 1952 §8). It finds accidents, such as a torn write or
/// a flipped bit, but is no protection against intent.
package enum CRC32 {
  /// In lower-case hexadecimal.
  package static let digits = 8

  package static func hex(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let sum = crc32_z(0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    return (0..<digits).map { Hex.digit(UInt8(truncatingIfNeeded: sum >> (28 - 4 * $0)) & 0x0F) }
  }
}
