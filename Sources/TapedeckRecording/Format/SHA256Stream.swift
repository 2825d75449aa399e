import CCrypto

/// SHA-256 of bytes that come in pieces. One thread uses it at a time.
final class SHA256Stream {
  private let context: OpaquePointer?

  init() {
    context = EVP_MD_CTX_new()
    precondition(EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1, "libcrypto has no SHA-256")
  }

  deinit { EVP_MD_CTX_free(context) }

  func update(_ bytes: UnsafeRawBufferPointer) {
    _ = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// The digest of all that came; the stream is used up.
  func finish() -> SHA256Digest {
    var digest = [UInt8](repeating: 0, count: 32)
    _ = EVP_DigestFinal_ex(context, &digest, nil)
    return SHA256Digest(bytes: digest)
  }
}
