internal import CSSL

/// What OpenSSL calls.
extension TLSSession {
  static func of(_ ssl: OpaquePointer?) -> TLSSession? {
    SSL_get_ex_data(ssl, 0).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
  }

  static func of(bio: OpaquePointer?) -> TLSSession? {
    BIO_get_data(bio).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
  }

  func take(_ room: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(room.count, input.count)
    room.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
    input = UnsafeRawBufferPointer(rebasing: input[count...])
    return count
  }

  func emit(_ bytes: UnsafeRawBufferPointer) {
    if !holdsOutput {
      if buffers.append(bytes) { return }
      unsent = Array(buffers.unsent)
      buffers.outputCount = 0
    }
    unsent += bytes
  }

  /// Reads the name, before a ticket is looked at.
  func helloArrived(_ alert: UnsafeMutablePointer<Int32>?) -> Int32 {
    var content: UnsafePointer<UInt8>?
    var count = 0
    var indication = ClientHello.NameIndication.absent
    if SSL_client_hello_get0_ext(ssl, UInt32(TLSEXT_TYPE_server_name), &content, &count) == 1 {
      indication = ClientHello.nameIndication(UnsafeRawBufferPointer(start: content, count: count))
    }
    guard let reason = refusal(of: indication) ?? server.source.refusal(of: name) else {
      let context = Array("\(name)".utf8)
      var digest = [UInt8](repeating: 0, count: 32)
      EVP_Digest(context, context.count, &digest, nil, EVP_sha256(), nil)
      // A ticket made for another name has another context, and is not resumed.
      return SSL_set_session_id_context(ssl, digest, 32) == 1
        ? SSL_CLIENT_HELLO_SUCCESS : SSL_CLIENT_HELLO_ERROR
    }
    tell("a TLS client was refused: \(reason)")
    alert?.pointee = SSL_AD_UNRECOGNIZED_NAME
    return SSL_CLIENT_HELLO_ERROR
  }

  private func refusal(of indication: ClientHello.NameIndication) -> String? {
    switch indication {
    case .absent: return nil
    case .malformed: return "its server_name extension is malformed"
    case .name(let bytes):
      let text = String(decoding: bytes, as: UTF8.self)
      guard let name = ServerName(text) else {
        return "it asks for \(text.debugDescription), which is no host name"
      }
      self.name = name
      return nil
    }
  }

  func refuseProtocols(_ list: UnsafeRawBufferPointer) {
    let names = list.split { $0 < 0x20 }.map { String(decoding: $0, as: UTF8.self).debugDescription }
    tell(
      "a TLS client for \(name) was refused: it speaks \(names.joined(separator: ", ")) only, and this listener http/1.1"
    )
  }

  func presentCertificate() -> Int32 {
    if let certificate = server.source.certificate(for: name) { return certificate.use(for: ssl) ? 1 : 0 }
    guard wasPrepared else { return -1 }
    tell("a TLS client was refused: no certificate could be made for \(name)")
    return 0
  }

  /// Tells of a handshake that failed, unless its refusal was told.
  func tellFailure() {
    guard !hasTold else { return }
    let code = td_error_reason(ERR_peek_last_error())
    let reason = TLSError.reason()
    switch code {
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA, SSL_R_SSLV3_ALERT_BAD_CERTIFICATE,
      SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN,
      SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
      tell("a client does not trust the certificate for \(name): it sent \(reason)")
    default: tell("a TLS handshake failed: \(reason)")
    }
  }

  private func tell(_ text: String) {
    hasTold = true
    server.notice(text)
  }
}
