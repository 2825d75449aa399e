internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckSockets
internal import TapedeckUpstream

/// Gathers one answer of the origin whole, in bounded time and memory. It lives until it has told how that went, once.
final class AnswerCollector: ResponseSink {
  private let exchange: UpstreamExchange
  private let maxBodyBytes: Int
  private var onEnd: ((UpstreamBatch.Outcome) -> Void)?
  private var timer: LoopTimer?
  private var head: HTTPResponseHead?
  private var framing = BodyFraming.none
  private var body: [UInt8] = []
  private var chunks = ChunkLog()

  init(
    _ exchange: UpstreamExchange, maxBodyBytes: Int, onEnd: @escaping (UpstreamBatch.Outcome) -> Void
  ) {
    self.exchange = exchange
    self.maxBodyBytes = maxBodyBytes
    self.onEnd = onEnd
  }

  func start(on loop: EventLoop, timeoutMilliseconds: Int) {
    timer = loop.makeTimer { [self] in timeOut(afterMilliseconds: timeoutMilliseconds) }
    timer?.set(loop.now.adding(milliseconds: timeoutMilliseconds))
    exchange.start(into: self)
  }

  private func timeOut(afterMilliseconds milliseconds: Int) {
    exchange.cancel()
    if let head, head.fields.text("content-type")?.lowercased().hasPrefix("text/event-stream") == true {
      return end(trailers: HTTPFields())
    }
    end(.failed("The answer did not end within \(Double(milliseconds) / 1000) s."))
  }

  private func end(_ outcome: UpstreamBatch.Outcome) {
    guard let tell = onEnd else { return }
    onEnd = nil
    timer?.cancel()
    timer = nil
    tell(outcome)
  }

  func informational(_ head: HTTPResponseHead) {}

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    self.head = head
    self.framing = framing
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    guard onEnd != nil else { return .gone }
    guard body.count + bytes.count <= maxBodyBytes else {
      end(.failed("The answer has more than \(maxBodyBytes) bytes."))
      return .gone
    }
    body += bytes
    chunks.append(bytes.count, endsChunk: endsChunk, at: 0)
    return .more
  }

  func rest() { end(trailers: HTTPFields()) }

  func end(trailers: HTTPFields) {
    guard let head else { return end(.failed("The answer has no head.")) }
    end(
      .answered(
        RecordedResponse(
          head: head, body: .bytes(body), chunkSizes: framing == .chunked ? chunks.sizes : nil,
          trailers: trailers,
          isCloseDelimited: framing == .untilClose)))
  }

  func fail(_ response: HTTPResponse) {
    end(.failed(response.failure?.detail ?? HTTPStatus.reason(response.head.status)))
  }

  func abort(_ end: ConnectionEnd) { self.end(.failed("The answer broke off.")) }
}
