internal import TapedeckHTTP
internal import TapedeckSockets

/// Request bodies that are passed on while they come.
///
/// The client is read only as fast as the body is taken. A response that ends before the body does is the last one of
/// its connection (RFC 9112 §9.5): what still comes is read, so that no reset destroys the response (§9.6), and goes
/// to the recording.
extension HTTPConnection {
  struct Upload {
    let sink: any UploadSink
    /// The number of bytes that have not been taken.
    var remaining: Int
    /// Whether the client waits for a 100 before it sends anything (RFC 9110 §10.1.1).
    var awaitsContinue: Bool
  }

  /// Responds to the head of an upload, unless the whole body is needed for that. Returns whether it does.
  func begin(upload request: HTTPRequest, _ expectsContinue: Bool) -> Bool {
    let request = tls == nil && intercepted == nil ? request : placed(request)
    guard !worker.responder.needsBody(of: request) else { return false }
    parser.leaveBody()
    respond(to: request)
    return true
  }

  func open(_ sink: any UploadSink, for request: HTTPRequest) {
    upload = Upload(
      sink: sink, remaining: request.uploadBytes ?? 0, awaitsContinue: request.awaitsContinue)
    sink.onRoom = { [weak self] in
      guard let self, phase != .closed else { return }
      feedUpload()
      settle()
    }
  }

  /// Hands on what has come of the body, as much of it as is taken.
  func feedUpload() {
    guard let upload, !held.isEmpty else { return }
    // Out of the way, since the stream may end meanwhile.
    let input = held
    held = []
    let count = input.withUnsafeBytes { bytes in
      upload.sink.take(UnsafeRawBufferPointer(rebasing: bytes.prefix(upload.remaining)))
    }
    if count < input.count { held = input[count...] + held }
    guard self.upload != nil else { return }
    self.upload?.awaitsContinue = false
    self.upload?.remaining -= count
    if upload.remaining == count { self.upload = nil }
  }

  /// Takes what comes after the response.
  func takeLate(_ bytes: UnsafeRawBufferPointer) {
    guard upload != nil else { return }
    held.append(contentsOf: bytes)
    feedUpload()
    held = []
  }

  /// Whether the next word is the client's: the next piece of the body.
  var awaitsUpload: Bool {
    guard let upload, stream != nil else { return false }
    return streamFraming == nil && held.isEmpty && !hasPeerClosed && !upload.awaitsContinue
  }

  /// The client sends nothing more. Returns whether that ends the connection: the body is incomplete, and there is no
  /// response yet that the client might be waiting for (RFC 9112 §8).
  func endsUpload() -> Bool {
    guard let upload, held.count < upload.remaining else { return false }
    if stream != nil, streamFraming == nil {
      close(wasCutShort: true)
      return true
    }
    self.upload = nil
    upload.sink.uploadBrokeOff()
    return false
  }

  /// Responds in the place of the origin, which waits for the rest of the body in vain.
  func refuseUpload(_ response: HTTPResponse) {
    let source = stream
    exchange?.source = .server
    sendInsteadOfStream(response)
    source?.cancel()
    turnEnded()
  }
}
