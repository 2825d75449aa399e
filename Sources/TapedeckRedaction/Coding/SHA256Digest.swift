import CCrypto
import TapedeckHTTP

/// A SHA-256 digest.
public struct SHA256Digest: Hashable, Sendable {
  /// The 32 bytes.
  public let bytes: [UInt8]

  public init(of message: [UInt8]) { self = message.withRawBytes { SHA256Digest(of: $0) } }

  public init(of message: UnsafeRawBufferPointer) {
    bytes = Self.made { td_sha256(message.baseAddress, message.count, $0) }
  }

  /// The keyed digest (HMAC, RFC 2104).
  package init(of message: [UInt8], key: [UInt8]) {
    bytes = Self.made { td_hmac_sha256(key, key.count, message, message.count, $0) }
  }

  /// The 32 bytes that `make` writes; `make` returns 1 on success.
  static func made(_ make: (UnsafeMutablePointer<UInt8>?) -> Int32) -> [UInt8] {
    return [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      guard make(buffer.baseAddress) == 1 else { fatalError("libcrypto has no SHA-256") }
      count = 32
    }
  }

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// 64 lower-case hexadecimal digits.
  public var hex: String {
    String(unsafeUninitializedCapacity: 64) { buffer in
      for (index, byte) in bytes.enumerated() {
        buffer[2 * index] = ASCII.hexDigit(byte >> 4)
        buffer[2 * index + 1] = ASCII.hexDigit(byte & 0x0F)
      }
      return 64
    }
  }
}

extension SHA256Digest: Comparable {
  public static func < (left: SHA256Digest, right: SHA256Digest) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

/// Computes the SHA-256 of bytes that arrive in pieces. Not thread-safe.
package final class SHA256Stream {
  private let stream: UnsafeMutableRawPointer

  package init() {
    guard let stream = td_sha256_begin() else { fatalError("libcrypto has no SHA-256") }
    self.stream = stream
  }

  deinit { td_sha256_free(stream) }

  package func update(_ bytes: UnsafeRawBufferPointer) {
    _ = td_sha256_add(stream, bytes.baseAddress, bytes.count)
  }

  package func finish() -> SHA256Digest {
    SHA256Digest(bytes: SHA256Digest.made { td_sha256_end(stream, $0) })
  }
}
