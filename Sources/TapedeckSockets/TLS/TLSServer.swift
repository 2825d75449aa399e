internal import CSSL
internal import Synchronization

/// Makes the TLS sessions of a listener. All loops share one context, so that a client resumes on any of them.
///
/// TLS 1.2 and 1.3 with forward-secret AEAD suites only; no compression, no renegotiation, no early data. Sessions are
/// resumed by tickets, whose keys OpenSSL makes and no one else sees, and only for the name they were made for.
package final class TLSServer: @unchecked Sendable {
  // Set up in `init`; after that OpenSSL allows its use by many threads.
  let context: OpaquePointer
  /// Connects a session to its socket.
  let transport: OpaquePointer
  package let source: any CertificateSource
  /// Told in a sentence why a client was refused.
  package let notice: @Sendable (String) -> Void

  private static let tls13Suites =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
  private static let suites =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    + "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"

  package init(
    _ source: any CertificateSource, notice: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(TLSError) {
    guard let context = SSL_CTX_new(TLS_server_method()), let transport = Self.makeTransport() else {
      throw .openSSL("cannot set up TLS")
    }
    self.context = context
    self.transport = transport
    self.source = source
    self.notice = notice
    guard td_min_version(context, TLS1_2_VERSION) == 1, td_max_version(context, TLS1_3_VERSION) == 1,
      SSL_CTX_set_cipher_list(context, Self.suites) == 1,
      SSL_CTX_set_ciphersuites(context, Self.tls13Suites) == 1, td_groups(context, "X25519:P-256:P-384") == 1
    else { throw .openSSL("cannot set up TLS") }
    SSL_CTX_set_options(context, td_no_compression | td_no_renegotiation | td_prefer_server_ciphers)
    td_release_buffers(context)
    td_cache_no_sessions(context)
    setCallbacks()
  }

  deinit {
    SSL_CTX_free(context)
    BIO_meth_free(transport)
  }

  private func setCallbacks() {
    SSL_CTX_set_client_hello_cb(
      context, { ssl, alert, _ in TLSSession.of(ssl)?.helloArrived(alert) ?? SSL_CLIENT_HELLO_ERROR }, nil)
    SSL_CTX_set_cert_cb(context, { ssl, _ in TLSSession.of(ssl)?.presentCertificate() ?? 0 }, nil)
    SSL_CTX_set_alpn_select_cb(
      context,
      { ssl, chosen, length, list, count, _ in
        let protocols = UnsafeRawBufferPointer(start: list, count: Int(count))
        guard let offset = ClientHello.offset(ofHTTP1In: protocols) else {
          TLSSession.of(ssl)?.refuseProtocols(protocols)
          return SSL_TLSEXT_ERR_ALERT_FATAL
        }
        chosen?.pointee = list?.advanced(by: offset)
        length?.pointee = 8
        return SSL_TLSEXT_ERR_OK
      }, nil)
  }

  /// A BIO that reads what its session received and collects what it has to send.
  private static func makeTransport() -> OpaquePointer? {
    guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "tapedeck") else {
      return nil
    }
    BIO_meth_set_read_ex(method) { bio, bytes, count, read in
      td_clear_retry(bio)
      let taken =
        TLSSession.of(bio: bio)?.take(UnsafeMutableRawBufferPointer(start: bytes, count: count)) ?? 0
      read?.pointee = taken
      if taken == 0 { td_retry_read(bio) }
      return taken > 0 ? 1 : 0
    }
    BIO_meth_set_write_ex(method) { bio, bytes, count, written in
      TLSSession.of(bio: bio)?.emit(UnsafeRawBufferPointer(start: bytes, count: count))
      written?.pointee = count
      return 1
    }
    BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
    return method
  }
}
