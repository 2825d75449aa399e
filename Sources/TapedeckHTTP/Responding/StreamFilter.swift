/// A class that changes a stream on its way out. By default, every call is passed on unchanged.
package protocol StreamFilter: ResponseSource, ResponseSink {
  var source: any ResponseSource { get }
  /// The destination; `nil` before the start and after the end.
  var sink: (any ResponseSink)? { get set }
}

extension StreamFilter {
  // MARK: As a source

  @inlinable package func start(into sink: any ResponseSink) {
    self.sink = sink
    source.start(into: self)
  }

  @inlinable package func resume() { source.resume() }

  @inlinable package func cancel() { cancelSource() }

  @inlinable package func cancelSource() {
    sink = nil
    source.cancel()
  }

  @inlinable package func clientLeft() {
    source.clientLeft()
    cancel()
  }

  @inlinable package func clientFinished() { source.clientFinished() }

  // MARK: As a sink

  @inlinable package func informational(_ head: HTTPResponseHead) { sink?.informational(head) }

  @inlinable package func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    sink?.begin(head, framing: framing)
  }

  @inlinable package func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    pass(bytes, endsChunk: endsChunk)
  }

  @inlinable package func pass(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    sink?.write(bytes, endsChunk: endsChunk) ?? .gone
  }

  @inlinable package func rest() { sink?.rest() }
  @inlinable package func end(trailers: HTTPFields) { finish { $0.end(trailers: trailers) } }
  @inlinable package func fail(_ response: HTTPResponse) { finish { $0.fail(response) } }
  @inlinable package func abort(_ end: ConnectionEnd) { finish { $0.abort(end) } }

  /// Ends the stream with a last call to the sink, and releases the sink.
  @inlinable package func finish(_ tell: (any ResponseSink) -> Void) {
    let last = sink
    sink = nil
    if let last { tell(last) }
  }

  /// Ends the stream and its connection, unless it has ended.
  @inlinable package func breakOff(_ end: ConnectionEnd) {
    guard sink != nil else { return }
    abort(end)
    cancel()
  }
}
