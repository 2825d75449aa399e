internal import CSSL

/// A certificate with its chain and private key.
package final class ServerCertificate: @unchecked Sendable {
  // Never changed after `init`; OpenSSL counts references to its parts atomically.
  private let certificate: X509Certificate
  private let chain: OpaquePointer?
  private let key: PrivateKey

  init(_ certificate: X509Certificate, chain others: [X509Certificate], key: PrivateKey) {
    self.certificate = certificate
    self.key = key
    chain = others.isEmpty ? nil : td_chain_new()
    for other in others { _ = td_chain_add(chain, other.pointer) }
  }

  /// - Parameter files: what the certificates and the key are called in errors.
  package convenience init(
    certificatePEM: [UInt8], keyPEM: [UInt8],
    files: (certificate: String, key: String) = ("the certificate", "the key")
  ) throws(TLSError) {
    let certificates = try X509Certificate.all(inPEM: certificatePEM, file: files.certificate)
    let key = try PrivateKey(pem: keyPEM, file: files.key)
    guard X509_check_private_key(certificates[0].pointer, key.pointer) == 1 else {
      ERR_clear_error()
      let isLater = certificates.contains { X509_check_private_key($0.pointer, key.pointer) == 1 }
      ERR_clear_error()
      throw TLSError(
        isLater
          ? "the certificate of \(files.key) must be the first in \(files.certificate), before its chain"
          : "\(files.key) is not the key of the certificate in \(files.certificate)")
    }
    self.init(certificates[0], chain: Array(certificates.dropFirst()), key: key)
    try check(file: files.certificate)
  }

  deinit { if let chain { td_chain_free(chain) } }

  /// Tells at the start what would otherwise fail every handshake, such as a key that is too short.
  private func check(file: String) throws(TLSError) {
    let context = SSL_CTX_new(TLS_server_method())
    defer { SSL_CTX_free(context) }
    guard SSL_CTX_use_cert_and_key(context, certificate.pointer, key.pointer, chain, 1) == 1 else {
      throw .openSSL("OpenSSL refuses \(file)")
    }
  }

  /// Presents the certificate in the handshake of `ssl`.
  func use(for ssl: OpaquePointer) -> Bool {
    SSL_use_cert_and_key(ssl, certificate.pointer, key.pointer, chain, 1) == 1
  }
}
