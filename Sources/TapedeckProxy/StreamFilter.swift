internal import TapedeckHTTP

/// A stream that passes through, for subclasses to change on its way out. By itself it changes nothing.
class StreamFilter: ResponseSource, ResponseSink {
  private let source: any ResponseSource
  /// Where it flows; nil before it starts and when it is over.
  private(set) final var sink: (any ResponseSink)?

  init(_ source: any ResponseSource) { self.source = source }

  // MARK: As a source

  final func start(into sink: any ResponseSink) {
    self.sink = sink
    source.start(into: self)
  }

  final func resume() { source.resume() }

  func cancel() {
    sink = nil
    source.cancel()
  }

  func clientLeft() {
    source.clientLeft()
    cancel()
  }

  final func clientFinished() { source.clientFinished() }

  // MARK: As a sink

  func informational(_ head: HTTPResponseHead) { sink?.informational(head) }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) { sink?.begin(head, framing: framing) }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    sink?.write(bytes, endsChunk: endsChunk) ?? .gone
  }

  func rest() { sink?.rest() }

  func end(trailers: HTTPFields) {
    let sink = sink
    self.sink = nil
    sink?.end(trailers: trailers)
  }

  func fail(_ response: HTTPResponse) {
    let sink = sink
    self.sink = nil
    sink?.fail(response)
  }

  func abort(_ end: ConnectionEnd) {
    let sink = sink
    self.sink = nil
    sink?.abort(end)
  }

  /// Ends the connection of a stream that is still under way, and the stream with it.
  final func breakOff(_ end: ConnectionEnd) {
    guard sink != nil else { return }
    abort(end)
    cancel()
  }
}
