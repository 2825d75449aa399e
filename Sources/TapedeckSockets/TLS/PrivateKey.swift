internal import CSSL

/// A private key of OpenSSL's.
final class PrivateKey: @unchecked Sendable {
  // Never changed after `init`.
  let pointer: OpaquePointer

  /// Makes an ECDSA key on P-256, which every client understands.
  init() throws(TLSError) {
    guard let key = td_p256_key() else { throw .openSSL("cannot make a key") }
    pointer = key
  }

  /// - Parameter file: what the key is called in errors.
  init(pem: [UInt8], file: String) throws(TLSError) {
    ERR_clear_error()
    let bio = X509Certificate.bio(holding: pem)
    defer { BIO_free(bio) }
    var isEncrypted = false
    // Without a callback OpenSSL would ask for the password on the terminal.
    let key = withUnsafeMutablePointer(to: &isEncrypted) { flag in
      PEM_read_bio_PrivateKey(
        bio, nil,
        { _, _, _, flag in
          flag?.assumingMemoryBound(to: Bool.self).pointee = true
          return -1
        }, flag)
    }
    guard let key else {
      let reason = TLSError.reason()
      throw TLSError(
        isEncrypted
          ? "\(file) is encrypted; store it decrypted, as `openssl pkey -in FILE -out DECRYPTED` does"
          : "\(file) holds no private key in PEM form (\(reason))")
    }
    pointer = key
  }

  deinit { EVP_PKEY_free(pointer) }

  /// In PKCS #8.
  var pem: [UInt8] {
    X509Certificate.bytes { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
  }
}
