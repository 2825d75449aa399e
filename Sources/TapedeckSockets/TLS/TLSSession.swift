internal import CSSL
internal import CSystem
internal import Glibc

/// The server's side of one TLS connection, above a socket that it is given with each call. Belongs to its loop's
/// thread.
///
/// Promises: plaintext of everything received comes out of the read that received it, unless the buffer is smaller
/// than `TLSBuffers.plaintextBytes`; ciphertext that the socket does not take counts as not written, so that a caller
/// with nothing left to write has nothing left to send. A handshake whose certificate is not there yet waits until
/// `certificateIsReady()`.
package final class TLSSession {
  private enum State { case handshaking, awaitingCertificate, preparingCertificate, open, failed }

  let ssl: OpaquePointer
  let server: TLSServer
  let buffers: TLSBuffers
  /// The name asked for: of the ClientHello, else the expected one.
  package internal(set) var name: ServerName
  private var state = State.handshaking
  /// Whether the source was asked to make the certificate; it is asked once.
  private(set) var wasPrepared = false
  /// Whether the log says why the handshake failed.
  var hasTold = false
  /// Ciphertext that the socket did not take.
  var unsent: [UInt8] = []
  private var unsentStart = 0
  /// Plaintext bytes whose ciphertext is in `unsent`.
  private var unconfirmed = 0
  private var finishesAfterOutput = false
  /// Ciphertext for OpenSSL, and what it left when it had to wait.
  var input = UnsafeRawBufferPointer(start: nil, count: 0)
  private var heldInput: [UInt8]
  /// What the next read returns, because this one returned bytes.
  private var nextResult: TransferResult?
  private var continues = false
  /// Whether the last read left bytes in the kernel.
  package private(set) var leavesInput = false
  /// Whether the client said that it will send nothing more, so that its end was not cut (RFC 8446 §6.1).
  package private(set) var hasSeenCloseNotify = false

  private static let maxUnsentBytes = 256 * 1024

  /// - Parameters:
  ///   - expectedName: for a client that names none.
  ///   - received: the bytes already read from the socket.
  package init(
    _ server: TLSServer, buffers: TLSBuffers, expectedName: ServerName, received: UnsafeRawBufferPointer
  ) throws(TLSError) {
    guard let ssl = SSL_new(server.context), let bio = BIO_new(server.transport) else {
      throw .openSSL("cannot begin a TLS session")
    }
    self.ssl = ssl
    self.server = server
    self.buffers = buffers
    name = expectedName
    heldInput = Array(received)
    let itself = Unmanaged.passUnretained(self).toOpaque()
    SSL_set_bio(ssl, bio, bio)
    BIO_set_data(bio, itself)
    SSL_set_ex_data(ssl, 0, itself)
    SSL_set_accept_state(ssl)
  }

  deinit { SSL_free(ssl) }

  package var isHandshaking: Bool { state == .handshaking || awaitsCertificate }
  package var awaitsCertificate: Bool { state == .awaitingCertificate || state == .preparingCertificate }
  package var hasFailed: Bool { state == .failed }
  /// Whether a read would return something without the kernel's help.
  package var holdsInput: Bool {
    nextResult != nil || !awaitsCertificate && (continues || !heldInput.isEmpty)
  }
  package var holdsOutput: Bool { !unsent.isEmpty }

  // MARK: Reading

  func read(into plaintext: UnsafeMutableRawBufferPointer, from descriptor: Int32) -> TransferResult {
    leavesInput = false
    if let result = nextResult.take() { return result }
    if awaitsCertificate { return .wouldBlock }
    if hasFailed { return discard(from: descriptor) }
    guard unsent.count <= Self.maxUnsentBytes else { return fail() }
    if holdsInput {
      let held = heldInput
      heldInput = []
      continues = false
      return held.withUnsafeBytes { decrypt($0, into: plaintext, descriptor) }
    }
    let result = StreamSocket.read(descriptor, into: buffers.input)
    guard case .bytes(let count) = result else { return result }
    leavesInput = count == buffers.input.count
    return decrypt(UnsafeRawBufferPointer(rebasing: buffers.input[..<count]), into: plaintext, descriptor)
  }

  private func decrypt(
    _ ciphertext: UnsafeRawBufferPointer, into plaintext: UnsafeMutableRawBufferPointer, _ descriptor: Int32
  ) -> TransferResult {
    input = ciphertext
    ERR_clear_error()
    var count = 0
    var result: TransferResult?
    while result == nil, count < plaintext.count {
      let room = UnsafeMutableRawBufferPointer(rebasing: plaintext[count...])
      let code = SSL_read(ssl, room.baseAddress, Int32(clamping: room.count))
      if code > 0 { count += Int(code) } else { result = outcome(code) }
    }
    if !input.isEmpty, !hasFailed { heldInput = Array(input) }
    input = UnsafeRawBufferPointer(start: nil, count: 0)
    if state == .handshaking, SSL_is_init_finished(ssl) == 1 { state = .open }
    _ = sendOutput(to: descriptor)
    guard count > 0 else { return result ?? .wouldBlock }
    switch result {
    case .wouldBlock: break
    case nil: continues = true
    default: nextResult = result
    }
    return .bytes(count)
  }

  private func outcome(_ code: Int32) -> TransferResult {
    switch SSL_get_error(ssl, code) {
    case SSL_ERROR_WANT_READ: return .wouldBlock
    case SSL_ERROR_WANT_X509_LOOKUP:
      state = .awaitingCertificate
      return .wouldBlock
    case SSL_ERROR_ZERO_RETURN:
      hasSeenCloseNotify = true
      return .endOfStream
    default:
      if isHandshaking { tellFailure() }
      return fail()
    }
  }

  private func fail() -> TransferResult {
    state = .failed
    ERR_clear_error()
    return .failed(code: EPROTO)
  }

  /// Reads on after a failure, so that the alert is not destroyed by a reset.
  private func discard(from descriptor: Int32) -> TransferResult {
    let result = StreamSocket.read(descriptor, into: buffers.input)
    guard case .bytes(let count) = result else { return result }
    leavesInput = count == buffers.input.count
    return .wouldBlock
  }

  // MARK: Writing

  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> TransferResult {
    write(bytes, UnsafeRawBufferPointer(start: nil, count: 0), to: descriptor)
  }

  /// Writes both buffers, in order. After `wouldBlock` the next write must begin with the same bytes.
  func write(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, to descriptor: Int32
  ) -> TransferResult {
    if holdsOutput {
      let result = sendOutput(to: descriptor)
      guard case .bytes = result else { return result }
    }
    if unconfirmed > 0 {
      defer { unconfirmed = 0 }
      return .bytes(unconfirmed)
    }
    guard state == .open else { return isHandshaking ? .wouldBlock : .failed(code: EPROTO) }
    let head = first.prefix(TLSBuffers.chunkBytes)
    let rest = second.prefix(head.count == first.count ? TLSBuffers.chunkBytes - head.count : 0)
    for part in [head, rest] where !part.isEmpty && !encrypt(UnsafeRawBufferPointer(rebasing: part)) {
      return fail()
    }
    let result = sendOutput(to: descriptor)
    switch result {
    case .bytes: return .bytes(head.count + rest.count)
    case .wouldBlock: unconfirmed = head.count + rest.count
    default: break
    }
    return result
  }

  private func encrypt(_ plaintext: UnsafeRawBufferPointer) -> Bool {
    ERR_clear_error()
    return Int(SSL_write(ssl, plaintext.baseAddress, Int32(clamping: plaintext.count))) == plaintext.count
  }

  /// Sends what is encrypted. Returns `wouldBlock` when the socket did not take it all.
  @discardableResult package func sendOutput(to descriptor: Int32) -> TransferResult {
    while holdsOutput {
      let result = unsent.withUnsafeBytes {
        StreamSocket.write(descriptor, UnsafeRawBufferPointer(rebasing: $0[unsentStart...]))
      }
      guard case .bytes(let count) = result else { return result }
      unsentStart += count
      if unsentStart == unsent.count { (unsent, unsentStart) = ([], 0) }
    }
    defer { buffers.outputCount = 0 }
    while buffers.outputCount > 0 {
      let bytes = buffers.unsent
      let result = StreamSocket.write(descriptor, bytes)
      guard case .bytes(let count) = result, count == bytes.count else {
        if case .bytes(let count) = result {
          unsent = Array(bytes[count...])
          return .wouldBlock
        }
        unsent = Array(bytes)
        return result
      }
      buffers.outputCount = 0
    }
    if finishesAfterOutput { shutdown(descriptor, Int32(SHUT_WR)) }
    return .bytes(0)
  }

  /// Sends close_notify, then a FIN.
  func finishSending(to descriptor: Int32) {
    sendCloseNotify(to: descriptor)
    if holdsOutput { finishesAfterOutput = true } else { shutdown(descriptor, Int32(SHUT_WR)) }
  }

  func sendCloseNotify(to descriptor: Int32) {
    guard state == .open, SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN == 0 else { return }
    ERR_clear_error()
    _ = SSL_shutdown(ssl)
    sendOutput(to: descriptor)
  }

  // MARK: The certificate

  /// Has the certificate made that the handshake waits for; once, however often it is called.
  package func prepareCertificate(then done: @escaping @Sendable () -> Void) {
    guard state == .awaitingCertificate else { return }
    state = .preparingCertificate
    wasPrepared = true
    server.source.prepare(name, then: done)
  }

  /// Lets the next read continue the handshake.
  package func certificateIsReady() {
    guard state == .preparingCertificate else { return }
    state = .handshaking
    continues = true
  }
}
