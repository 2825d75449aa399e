internal import Synchronization
package import TapedeckHTTP
internal import TapedeckSockets
internal import TapedeckUpstream

extension UpstreamBatch {
  /// How a response that was read as it came has ended.
  package enum StreamEnd: Sendable {
    case ended
    /// A response with another status than 200, with the beginning of its body.
    case refused(HTTPResponse)
    /// No response came, or it broke off; a sentence says why.
    case failed(String)
  }

  /// Sends one request, and hands on the body of the response as it comes. Returns when it has ended.
  /// - Parameter take: called on another thread; false ends the exchange.
  package func stream(
    _ request: HTTPRequest, take: @escaping @Sendable ([UInt8]) -> Bool
  ) throws -> StreamEnd {
    let end = Mutex<Swift.Result<StreamEnd, any Error>>(.success(.ended))
    let thread = try EventLoopThread { [self] loop in
      do {
        let client = try UpstreamClient(configuration: upstream, loop: loop)
        let exchange = client.fetch(request)
        exchange.start(
          into: StreamReader(take: take) { found in
            end.withLock { $0 = .success(found) }
            exchange.cancel()
            client.shutDown()
            loop.stop()
          })
      } catch {
        end.withLock { $0 = .failure(error) }
        loop.stop()
      }
    }
    thread.join()
    return try end.withLock { $0 }.get()
  }
}

/// The destination of a response that is read as it comes.
private final class StreamReader: ResponseSink {
  private let take: ([UInt8]) -> Bool
  private var onEnd: ((UpstreamBatch.StreamEnd) -> Void)?
  private var head = HTTPResponseHead(status: 0)
  private var refusal: [UInt8] = []
  private static let maximumRefusalBytes = 64 << 10

  init(take: @escaping ([UInt8]) -> Bool, onEnd: @escaping (UpstreamBatch.StreamEnd) -> Void) {
    self.take = take
    self.onEnd = onEnd
  }

  private func finish(_ end: UpstreamBatch.StreamEnd) {
    guard let onEnd = onEnd.take() else { return }
    onEnd(head.status == 200 || head.status == 0 ? end : .refused(HTTPResponse(head: head, body: refusal)))
  }

  func informational(_ head: HTTPResponseHead) {}
  func begin(_ head: HTTPResponseHead, framing: BodyFraming) { self.head = head }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    guard onEnd != nil else { return .gone }
    guard head.status == 200 else {
      refusal += bytes.prefix(max(0, Self.maximumRefusalBytes - refusal.count))
      return .more
    }
    guard take(Array(bytes)) else {
      finish(.ended)
      return .gone
    }
    return .more
  }

  func rest() { finish(.ended) }
  func end(trailers: HTTPFields) { finish(.ended) }
  func fail(_ response: HTTPResponse) {
    finish(.failed(response.failure?.detail ?? HTTPStatus.reason(response.head.status)))
  }
  func abort(_ end: ConnectionEnd) { finish(.failed("the response broke off")) }
}
