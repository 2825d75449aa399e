internal import TapedeckHTTP
internal import TapedeckSockets

/// TLS below a connection: begun by its first byte, or by the first byte after CONNECT.
extension HTTPConnection {
  /// What the first byte of a stream may begin.
  struct StreamStart {
    let tls: TLSServer
    /// The server's name for a client that names none; `nil` for the address it connected to.
    let expectedName: ServerName?
  }

  /// Lets the next byte decide between TLS and plain HTTP, as at the beginning of a tunnel.
  func awaitFirstByte(_ start: StreamStart) { streamStart = start }

  /// Begins TLS if the first bytes of a stream are those of a handshake. Returns whether they are taken.
  func startsTLS(_ received: UnsafeRawBufferPointer) -> Bool {
    guard let start = streamStart.take(), received.first == ClientHello.firstByte else { return false }
    guard tls == nil else {
      start.tls.notice("a TLS client was refused: TLS inside of TLS is not intercepted")
      close(wasCutShort: false)
      return true
    }
    guard worker.gate.beginHandshake() else {
      start.tls.notice(
        "a TLS client was refused: there are \(worker.configuration.maxHandshakes) handshakes already")
      close(wasCutShort: false)
      return true
    }
    handshakeDeadline = worker.loop.now.adding(
      milliseconds: worker.configuration.handshakeTimeoutMilliseconds)
    do {
      try socket.startTLS(
        start.tls, buffers: worker.tlsBuffers, expectedName: start.expectedName, received: received)
      tls = socket.tls
      if let tls { continueTLS(tls, isLast: false) }
    } catch {
      start.tls.notice("a TLS client was refused: \(error)")
      close(wasCutShort: true)
    }
    return true
  }

  /// Reads what TLS holds without the kernel's help, and follows the handshake.
  func continueTLS(_ tls: TLSSession, isLast: Bool) {
    while tls.holdsInput, phase != .closed { readAndProcess(isLast: isLast) }
    if !tls.isHandshaking { endHandshake() }
    guard tls.awaitsCertificate, phase != .closed else { return }
    let connection = LoopBound(self, on: worker.loop)
    tls.prepareCertificate { connection.post { $0.certificateIsReady() } }
  }

  private func certificateIsReady() {
    guard phase != .closed, let tls else { return }
    tls.certificateIsReady()
    continueTLS(tls, isLast: true)
    if phase != .closed { settle() }
  }

  func endHandshake() {
    guard handshakeDeadline != nil else { return }
    handshakeDeadline = nil
    worker.gate.endHandshake()
  }
}
