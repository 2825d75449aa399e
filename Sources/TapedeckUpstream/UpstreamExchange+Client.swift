internal import TapedeckHTTP
internal import TapedeckSockets

/// The client's side of a WebSocket, and uploads.
extension UpstreamExchange {
  /// Takes bytes after a 101, or of an upload. What an origin no longer reads is lost, and what it said before may
  /// still come.
  public func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard parser.hasSwitched || awaitsUpload, let connection, connection.isOpen else {
      return isOver || uploadFailure != nil ? bytes.count : 0
    }
    var count = 0
    while count < bytes.count, !isFull, uploadFailure == nil {
      waiting = Array(bytes[count...].prefix(Self.waitingBytes))
      count += waiting.count
      sendWaiting(connection)
    }
    return uploadFailure == nil ? count : bytes.count
  }

  func sendWaiting(_ connection: UpstreamConnection) {
    while waitingStart < waiting.count {
      let result = waiting.withUnsafeBytes {
        connection.handle.send(UnsafeRawBufferPointer(rebasing: $0[waitingStart...]))
      }
      switch result {
      case .bytes(let written):
        waitingStart += written
        if parser.hasSwitched {
          connection.setTimer(UpstreamTunnel.idleMilliseconds)
        } else {
          outgoing?.advance(by: written)
        }
      case .wouldBlock:
        isFull = true
        return watchBothWays()
      case .endOfStream, .failed:
        uploadFailure = result
        waitingStart = waiting.count
      }
    }
    waiting = []
    waitingStart = 0
  }

  /// Takes more of the client, now that there is room.
  func goOn(_ connection: UpstreamConnection) {
    watchBothWays()
    if finishesAfterWaiting { connection.handle.finishSending() }
    onRoom()
  }

  /// The client will send nothing more, so the origin is told.
  public func clientFinished() {
    guard parser.hasSwitched, let connection, connection.isOpen else { return }
    if isFull { finishesAfterWaiting = true } else { connection.handle.finishSending() }
  }

  /// Waits for what is wanted, and for nothing where both directions are blocked: the kernel reports a broken
  /// connection whether it is wanted or not.
  func watchBothWays() {
    var wanted: Interest = isPaused ? [] : .read
    if isFull { wanted.insert(.write) }
    if wanted.isEmpty { connection?.stopWatching() } else { _ = connection?.watch(wanted) }
  }
}
