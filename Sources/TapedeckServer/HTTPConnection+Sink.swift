internal import TapedeckHTTP

extension HTTPConnection: ResponseSink {
  func informational(_ head: HTTPResponseHead) {
    // An HTTP/1.0 client does not understand interim responses (RFC 9110 §15.2).
    guard exchange?.version == .http11 else { return }
    enqueue { HTTP1Serializer.appendInformational(head, to: &$0) }
    _ = demandAfterWrite()
  }

  /// A FIN comes from a client that is half-closed or gone. An interim response tells them apart: the former
  /// skips it (RFC 9110 §15.2), the latter's kernel sends a reset.
  func askWhetherClientIsThere() {
    guard exchange?.isClientAsked == false, exchange?.version == .http11 else { return }
    exchange?.isClientAsked = true
    enqueue { $0 += HTTP1Serializer.continueHead }
    _ = demandAfterWrite()
  }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    guard var exchange = exchange.take() else { return }
    let framing = clientFraming(framing, version: exchange.version)
    streamFraming = framing
    if framing == .untilClose || upload != nil { exchange.keepsAlive = false }
    exchange.status = head.status
    if head.status == 101, let upgrade { open(upgrade) }
    // The head of a tunnel says nothing about the connection, which ends with it (RFC 9110 §9.3.6).
    let isOpen = exchange.keepsAlive || tunnel != nil
    if tunnel != nil { exchange.keepsAlive = false }
    let lastLines = isOpen ? HTTP1Serializer.crlf : HTTP1Serializer.closeAndBlankLine
    self.exchange = consume exchange
    if opensSilently {
      opensSilently = false
      return
    }
    enqueue { out in
      HTTP1Serializer.appendOpenHead(head, framing: framing, to: &out)
      out += lastLines
    }
    _ = demandAfterWrite()
    // A client may have sent more before it had the response.
    if head.status == 101 { feedTunnel() }
  }

  /// Uses chunks for a response of unknown length, if the client understands them (RFC 9112 §7.1).
  private func clientFraming(_ framing: BodyFraming, version: HTTPVersion) -> BodyFraming {
    switch framing {
    case .chunked, .untilClose: version == .http11 ? .chunked : .untilClose
    case .none, .length: framing
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    guard stream != nil, streamFraming != nil else { return .gone }
    guard !bytes.isEmpty else { return .more }
    exchange?.bodyBytes += bytes.count
    if streamFraming == .chunked {
      enqueue { out in
        HTTP1Serializer.appendChunkHead(bytes.count, to: &out)
        out.append(contentsOf: bytes)
        out += HTTP1Serializer.crlf
      }
    } else {
      enqueue(bytes)
    }
    return demandAfterWrite()
  }

  func rest() {
    isResting = true
    if worker.isStopping { closeIfIdle() }
  }

  func end(trailers: HTTPFields) {
    guard stream != nil else { return }
    if streamFraming == .chunked {
      enqueue { HTTP1Serializer.appendLastChunk(trailers: trailers, to: &$0) }
    }
    endStream(wasCutShort: false)
  }

  func fail(_ response: HTTPResponse) {
    guard stream != nil else { return }
    guard let framing = streamFraming else { return sendInsteadOfStream(response) }
    exchange?.note(response.failure)
    endStream(wasCutShort: true, resets: framing == .untilClose)
  }

  func abort(_ end: ConnectionEnd) {
    guard stream != nil else { return }
    if case .close(let bytes) = end, !bytes.isEmpty { bytes.withUnsafeBytes { enqueue($0) } }
    endStream(wasCutShort: true, resets: end == .reset)
  }
}
