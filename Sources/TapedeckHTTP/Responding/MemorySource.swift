/// Streams a response from memory, as fast as the client reads.
package final class MemorySource: ResponseSource {
  private static let pieceBytes = 64 * 1024

  private let response: HTTPResponse
  private let framing: BodyFraming
  private var sink: (any ResponseSink)?
  private var offset = 0
  private var isSending = false
  private var mustSend = false

  package init(_ response: HTTPResponse, framing: BodyFraming) {
    self.response = response
    self.framing = framing
  }

  /// Returns `nil` for a stream, and for a prepared response that cannot be parsed.
  package convenience init?(_ content: ServedResponse.Content, to method: HTTPMethod) {
    let response: HTTPResponse
    var isChunked = false
    switch content {
    case .prepared(let prepared):
      guard let read = prepared.response else { return nil }
      response = read
      isChunked = prepared.unchunked != nil
    case .response(let given): response = given
    case .stream: return nil
    }
    let hasNoBody = BodyFraming.hasNoBody(status: response.head.status, method: method)
    self.init(
      response, framing: hasNoBody ? .none : isChunked ? .chunked : .length(response.body.count))
  }

  package func start(into sink: any ResponseSink) {
    self.sink = sink
    sink.begin(response.head, framing: framing)
    resume()
  }

  package func cancel() { sink = nil }

  /// Sends until the sink is full. A call from inside `write` makes the running one continue.
  package func resume() {
    mustSend = true
    guard !isSending else { return }
    isSending = true
    defer { isSending = false }
    while mustSend {
      mustSend = false
      sendUntilFull()
    }
  }

  private func sendUntilFull() {
    while let sink {
      let end = framing == .none ? offset : min(offset + Self.pieceBytes, response.body.count)
      guard offset < end else { return finish(sink) }
      let piece = offset..<end
      offset = end
      let demand = response.body.withUnsafeBytes {
        sink.write(UnsafeRawBufferPointer(rebasing: $0[piece]), endsChunk: true)
      }
      if demand == .wait { return }
      if demand == .gone { return cancel() }
    }
  }

  private func finish(_ sink: any ResponseSink) {
    self.sink = nil
    sink.end(trailers: response.trailers)
  }
}

extension ServedResponse.Content {
  /// The response as a stream; `nil` for a prepared response that cannot be parsed.
  package func stream(to method: HTTPMethod) -> (any ResponseSource)? {
    if case .stream(let source) = self { return source }
    return MemorySource(self, to: method)
  }
}
