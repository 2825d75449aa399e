import CCrypto
import TapedeckHTTP

/// A SHA-256 digest.
public struct SHA256Digest: Hashable, Sendable {
  /// 32 bytes.
  public let bytes: [UInt8]

  public init(of message: [UInt8]) { self = message.withRawBytes { SHA256Digest(of: $0) } }

  public init(of message: UnsafeRawBufferPointer) {
    var digest = [UInt8](repeating: 0, count: 32)
    let isDone = EVP_Digest(message.baseAddress, message.count, &digest, nil, EVP_sha256(), nil)
    precondition(isDone == 1, "libcrypto has no SHA-256")
    bytes = digest
  }

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// 64 lower-case hexadecimal digits.
  public var hex: String {
    String(unsafeUninitializedCapacity: 64) { buffer in
      for (index, byte) in bytes.enumerated() {
        buffer[2 * index] = Self.digit(byte >> 4)
        buffer[2 * index + 1] = Self.digit(byte & 0x0F)
      }
      return 64
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}

extension SHA256Digest: Comparable {
  public static func < (left: SHA256Digest, right: SHA256Digest) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
