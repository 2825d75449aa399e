internal import TapedeckHTTP

/// Collects a streamed response in bounded memory, and calls back once, when it has ended.
final class ResponseCollector: ResponseSink {
  enum Outcome {
    case complete(trailers: HTTPFields)
    /// It failed, before its head or after it; the payload says why.
    case failed(HTTPResponse)
    case brokeOff, tooLarge, timedOut
  }

  private(set) var head: HTTPResponseHead?
  private(set) var framing = BodyFraming.none
  private(set) var body: [UInt8] = []
  private(set) var chunks = ChunkLog()
  private static let webSocketDetail =
    "the response opens a WebSocket, which a route cannot hand on; the client was not connected"
  private let maxBodyBytes: Int
  private var onEnd: ((ResponseCollector, Outcome) -> Void)?

  init(maxBodyBytes: Int = .max, onEnd: @escaping (ResponseCollector, Outcome) -> Void) {
    self.maxBodyBytes = maxBodyBytes
    self.onEnd = onEnd
  }

  /// Ends the collection, unless it has ended.
  func end(_ outcome: Outcome) {
    guard let onEnd = onEnd.take() else { return }
    onEnd(self, outcome)
  }

  func informational(_ head: HTTPResponseHead) {}

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    // What comes after it is no body, and has no end that could be waited for.
    guard head.status != 101 else { return end(.failed(.problem(501, Self.webSocketDetail))) }
    self.head = head
    self.framing = framing
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    guard onEnd != nil else { return .gone }
    guard body.count + bytes.count <= maxBodyBytes else {
      end(.tooLarge)
      return .gone
    }
    body += bytes
    chunks.append(bytes.count, endsChunk: endsChunk, since: nil)
    return .more
  }

  /// Nothing more will come, so what has come is complete.
  func rest() { end(trailers: HTTPFields()) }
  func end(trailers: HTTPFields) { end(.complete(trailers: trailers)) }
  func fail(_ response: HTTPResponse) { end(.failed(response)) }
  func abort(_ end: ConnectionEnd) { self.end(.brokeOff) }
}

extension Reply<Result<HTTPResponse, any Error>> {
  /// A sink that collects the response from a stream.
  func collector() -> ResponseCollector {
    ResponseCollector { [self] collector, outcome in
      switch (outcome, collector.head) {
      case (.complete, let head?): give(.success(HTTPResponse(head: head, body: collector.body)))
      case (.failed(let response), nil): give(.success(response))
      default: give(.failure(BrokeOff()))
      }
    }
  }
}

struct BrokeOff: Error, CustomStringConvertible {
  var description: String { "the response broke off before its end" }
}
