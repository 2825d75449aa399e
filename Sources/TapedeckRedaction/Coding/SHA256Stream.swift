import CCrypto

/// SHA-256 of bytes that arrive in pieces. Not for use by several threads at once.
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

  /// The digest of all pieces; ends the use of the stream.
  package func finish() -> SHA256Digest {
    SHA256Digest(bytes: SHA256Digest.made { td_sha256_end(stream, $0) })
  }
}
