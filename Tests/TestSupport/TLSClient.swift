internal import CSSL
internal import Glibc

/// A TLS client of OpenSSL's above memory, so that a test decides how its bytes travel.
public final class TLSClient {
  /// How much of the client's ciphertext goes into each write.
  public enum Pieces: Sendable { case whole, bytes }

  private let context = SSL_CTX_new(TLS_client_method())
  private let ssl: OpaquePointer?
  private let received = BIO_new(BIO_s_mem())
  private let unsent = BIO_new(BIO_s_mem())
  private let descriptor: Int32
  private let pieces: Pieces
  /// Ciphertext sent with the last piece of the handshake's first flight.
  public var trailing: [UInt8] = []

  /// - Parameters:
  ///   - name: what the client asks for and expects; nil to ask for nothing and expect anything.
  ///   - trusted: a PEM of authorities; nil to expect anything.
  public init(
    _ port: UInt16, name: String? = "localhost", trusting trusted: [UInt8]? = nil, version: Int32 = 0,
    protocols: [String] = [], resuming session: Session? = nil, pieces: Pieces = .whole
  ) throws {
    self.pieces = pieces
    descriptor = try Self.connected(to: port)
    if version != 0 {
      _ = td_min_version(context, version)
      _ = td_max_version(context, version)
    }
    if let trusted {
      let bio = BIO_new_mem_buf(trusted, Int32(trusted.count))
      let certificate = PEM_read_bio_X509(bio, nil, nil, nil)
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate)
      X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), UInt(X509_V_FLAG_X509_STRICT))
      X509_free(certificate)
      BIO_free(bio)
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    }
    ssl = SSL_new(context)
    if let name {
      td_server_name(ssl, name)
      if trusted != nil { SSL_set1_host(ssl, name) }
    }
    let list = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    if !list.isEmpty { SSL_set_alpn_protos(ssl, list, UInt32(list.count)) }
    if let session { SSL_set_session(ssl, session.pointer) }
    SSL_set_bio(ssl, received, unsent)
    SSL_set_connect_state(ssl)
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
    close(descriptor)
  }

  /// What a later client may resume.
  public final class Session {
    fileprivate let pointer: OpaquePointer
    fileprivate init(_ pointer: OpaquePointer) { self.pointer = pointer }
    deinit { SSL_SESSION_free(pointer) }
  }

  public var session: Session? { SSL_get1_session(ssl).map { Session($0) } }
  public var isResumed: Bool { SSL_session_reused(ssl) == 1 }
  public var version: String { SSL_get_version(ssl).map { String(cString: $0) } ?? "" }

  /// The protocol that the server chose.
  public var chosenProtocol: String {
    var bytes: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &bytes, &count)
    return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }

  private static func connected(to port: UInt16) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafeBytes(of: &address) {
      connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard connected == 0 else { throw NotConnected(port: port) }
    var one: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    var timeout = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    return descriptor
  }

  /// Returns why the handshake failed; nil when it did not.
  public func shakeHands() -> String? { finish { SSL_do_handshake(ssl) }.1 }

  public func say(_ text: String) {
    let bytes = Array(text.utf8)
    _ = finish { SSL_write(ssl, bytes, Int32(bytes.count)) }
  }

  /// Says that nothing more will be sent.
  public func sayGoodbye() {
    SSL_shutdown(ssl)
    send()
  }

  /// Ends the sending without a word.
  public func cutOff() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The next bytes; empty when the server said goodbye, nil when the connection was cut.
  public func hear() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    let (count, _) = finish { SSL_read(ssl, &bytes, Int32(bytes.count)) }
    if count > 0 { return Array(bytes.prefix(Int(count))) }
    return SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 ? [] : nil
  }

  /// Everything until the server's goodbye; nil when the connection was cut before.
  public func hearAll() -> String? {
    var all: [UInt8] = []
    while let bytes = hear() {
      if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
      all += bytes
    }
    return nil
  }

  /// Everything until the bytes end like this.
  public func hear(until end: String) -> String {
    var all: [UInt8] = []
    while let bytes = hear(), !bytes.isEmpty {
      all += bytes
      if all.suffix(end.utf8.count) == Array(end.utf8)[...] { break }
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Carries bytes in both directions until the step is done.
  private func finish(_ step: () -> Int32) -> (Int32, String?) {
    while true {
      ERR_clear_error()
      let result = step()
      let code = SSL_get_error(ssl, result)
      let reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) } ?? "failed"
      send()
      if result > 0 { return (result, nil) }
      guard code == SSL_ERROR_WANT_READ else { return (result, reason) }
      guard receive() else { return (result, "ended") }
    }
  }

  private func send() {
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = Int(BIO_read(unsent, &bytes, Int32(bytes.count)))
      guard count > 0 else { return }
      let out = Array(bytes.prefix(count)) + trailing
      trailing = []
      for piece in pieces == .whole ? [out[...]] : out.indices.map({ out[$0...$0] }) {
        _ = piece.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      }
    }
  }

  private func receive() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return false }
    return BIO_write(received, bytes, Int32(count)) == count
  }
}
