internal import TapedeckHTTP
internal import TapedeckSockets

/// How a connection ends.
extension HTTPConnection {
  /// Half-closes after the last byte, discards input for a while, then closes.
  func finishConnection() {
    if resetsAfterOutput {
      close(wasCutShort: true)
    } else if hasPeerClosed {
      close(wasCutShort: false)
    } else {
      phase = .lingering
      held = []
      socket.finishSending()
      lingerDeadline = worker.loop.now.adding(milliseconds: configuration.lingerTotalMilliseconds)
      linger()
    }
  }

  /// RFC 9112 §9.6: closing while the client still sends would cause a reset that destroys the response.
  func linger() {
    timer?.set(min(worker.loop.now.adding(milliseconds: configuration.lingerMilliseconds), lingerDeadline))
  }

  func closeIfIdle() {
    let isDone = phase == .reading && parser.isBetweenRequests || phase == .streaming && isResting
    if isDone, output.isEmpty { close(wasCutShort: streamFraming == .untilClose) }
  }

  func close(wasCutShort: Bool) {
    guard phase != .closed else { return }
    let (source, upload) = (stream, upload.take())
    phase = .closed
    bodies.release()
    stream = nil
    tunnel = nil
    upgrade = nil
    timer?.cancel()
    endHandshake()
    if let registration { worker.loop.remove(registration) }
    wasCutShort ? socket.closeWithReset() : socket.close()
    source?.clientLeft()
    if source == nil { upload?.sink.uploadBrokeOff() }
    if let exchange = exchange.take() { finish(exchange, wasCutShort: true) }
    worker.forget(self)
  }
}
