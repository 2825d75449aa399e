import CCrypto

/// SHA-256 of bytes that come in pieces. One thread uses it at a time.
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

  /// The digest of all that came; the stream is used up.
  package func finish() -> SHA256Digest {
    SHA256Digest(bytes: SHA256Digest.made { td_sha256_end(stream, $0) })
  }
}
