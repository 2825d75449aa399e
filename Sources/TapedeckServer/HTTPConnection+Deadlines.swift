internal import TapedeckHTTP
internal import TapedeckSockets

/// What a connection waits for, and how long.
extension HTTPConnection {
  func settle() {
    if hasPeerClosed, phase == .reading, held.isEmpty {
      closesAfterOutput = true
      flush()
    }
    guard phase != .closed else { return }
    var wanted: Interest = []
    let mayRead =
      held.count <= configuration.pipelinedInputBytes
      && (phase != .reading || output.count <= configuration.outputHighWaterBytes)
      && tls?.awaitsCertificate != true
    if !hasPeerClosed, mayRead { wanted.insert(.read) }
    if !output.isEmpty || isSourceWaiting || (phase == .reading && !held.isEmpty)
      || tls?.holdsOutput == true
    {
      wanted.insert(.write)
    }
    if wanted == .read { wanted = .readEdge }
    if wanted != interest || leavesInput, let registration {
      interest = wanted
      leavesInput = false
      worker.loop.change(registration, wanted)
    }
    setDeadline()
  }

  private func setDeadline() {
    if phase == .lingering { return }
    if let handshakeDeadline {
      timer?.set(handshakeDeadline)
      return
    }
    if !output.isEmpty {
      let since = share.stall(now: worker.loop.now)
      timer?.set(since.adding(milliseconds: configuration.writeTimeoutMilliseconds))
      return
    }
    if phase == .streaming {
      if isResting, worker.isStopping { return close(wasCutShort: streamFraming == .untilClose) }
      if awaitsUpload { return setTimer(configuration.bodyTimeoutMilliseconds) }
      hasPeerClosed && (tunnel == nil || upgrade != nil)
        ? setTimer(configuration.abandonedMilliseconds) : timer?.cancel()
    } else if parser.isReadingBody {
      setBodyDeadline()
    } else if parser.isBetweenRequests {
      if worker.isStopping { return close(wasCutShort: false) }
      setTimer(awaitsServer ? Self.silenceMilliseconds : configuration.idleTimeoutMilliseconds)
    } else {
      let deadline =
        headDeadline ?? worker.loop.now.adding(milliseconds: configuration.headTimeoutMilliseconds)
      headDeadline = deadline
      timer?.set(deadline)
    }
  }

  /// Limits the wait for the next piece, and the average speed of the body.
  private func setBodyDeadline() {
    let start = bodyStart ?? worker.loop.now
    bodyStart = start
    let patience = configuration.bodyTimeoutMilliseconds
    let earned = parser.receivedBodyBytes * 1000 / max(1, configuration.bodyMinBytesPerSecond)
    timer?.set(
      min(worker.loop.now.adding(milliseconds: patience), start.adding(milliseconds: patience + earned)))
  }

  private func setTimer(_ milliseconds: Int) {
    timer?.set(worker.loop.now.adding(milliseconds: milliseconds))
  }

  func timeOut() {
    if refusesSilence() { return }
    switch phase {
    case .streaming where awaitsUpload && output.isEmpty:
      refuseUpload(configuration.requestTimeout(isReadingBody: true))
    case .streaming where streamFraming == nil:
      setTimer(configuration.abandonedMilliseconds)
      askWhetherClientIsThere()
    case .reading where output.isEmpty && !parser.isBetweenRequests:
      refuse(configuration.requestTimeout(isReadingBody: parser.isReadingBody))
      flush()
      if phase != .closed { settle() }
    // Clients detect cut chunks and lengths. Only a reset tells them that a body delimited by the end of the
    // connection was cut, or that bytes were left unread.
    default: close(wasCutShort: !output.isEmpty || streamFraming == .untilClose)
    }
  }
}
