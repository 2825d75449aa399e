/// What a stream may do next.
public enum SinkDemand: Sendable {
  /// Send on.
  case more
  /// The client reads slowly: wait for `resume()`. What is written before that is taken, and returns `wait`.
  case wait
  /// The client has gone; nothing more will arrive anywhere.
  case gone
}

/// Where a streamed response goes. Called on the loop's thread, in this order: `informational`*, `begin`, `write`*, then
/// `end`, `fail` or, at any time, `abort` once.
public protocol ResponseSink: AnyObject {
  /// Passes on an interim response (RFC 9110 §15.2).
  func informational(_ head: HTTPResponseHead)
  func begin(_ head: HTTPResponseHead, framing: BodyFraming)
  /// - Parameter endsChunk: whether these bytes complete a chunk of the origin's.
  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand
  /// The body stops here without an end: nothing more comes, and the connection stays.
  func rest()
  func end(trailers: HTTPFields)
  /// The response broke off. Before `begin` the client gets `response`; after it, visibly broken framing.
  func fail(_ response: HTTPResponse)
  /// Ends the connection instead of the response; nothing more may come.
  func abort(_ end: ConnectionEnd)
}

/// A streamed response, waiting for a sink to flow into. All calls come on the loop's thread.
public protocol ResponseSource: AnyObject {
  func start(into sink: any ResponseSink)
  /// The sink that said `wait` has room again.
  func resume()
  /// The rest is not wanted: stops at once and calls the sink no more.
  func cancel()
  /// The client left. Like `cancel()`, but what was sent so far counts as a response.
  func clientLeft()
  /// The client will send nothing more. It may have left, or wait for its response.
  func clientFinished()
}

extension ResponseSource {
  public func clientLeft() { cancel() }
  public func clientFinished() {}
}
