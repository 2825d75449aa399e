/// What a source may do after a write.
public enum SinkDemand: Sendable {
  /// Send on.
  case more
  /// The client reads slowly: wait for `resume()`. Bytes written before that are accepted, and return `wait` again.
  case wait
  /// The client is gone; further bytes are lost.
  case gone
}

/// The destination of a streamed response. Called on the loop's thread, in this order: `informational`*, `begin`,
/// `write`*, then `end` or `fail`; `abort` may come at any time instead.
public protocol ResponseSink: AnyObject {
  /// Passes on an interim response (RFC 9110 §15.2).
  func informational(_ head: HTTPResponseHead)
  func begin(_ head: HTTPResponseHead, framing: BodyFraming)
  /// - Parameter endsChunk: whether these bytes complete one of the origin's chunks.
  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand
  /// Stops the body without ending it: nothing more follows, and the connection stays open.
  func rest()
  func end(trailers: HTTPFields)
  /// Reports that the response broke off. Before `begin`, the client gets `response`; after it, visibly broken framing.
  func fail(_ response: HTTPResponse)
  /// Ends the connection instead of the response. It must be the last call.
  func abort(_ end: ConnectionEnd)
}

/// The source of a streamed response. Called on the loop's thread.
public protocol ResponseSource: AnyObject {
  func start(into sink: any ResponseSink)
  /// The sink that said `wait` has room again.
  func resume()
  /// Stops at once, and no longer calls the sink.
  func cancel()
  /// Like `cancel()`, because the client left: the part sent so far counts as a response.
  func clientLeft()
  /// Reports that the client will send nothing more. It may have left, or be waiting for the response.
  func clientFinished()
}

extension ResponseSource {
  public func clientLeft() { cancel() }
  public func clientFinished() {}
}

/// Takes the body of a request while it comes. Called on the loop's thread.
package protocol UploadSink: AnyObject {
  /// Called when `take` has room again.
  var onRoom: () -> Void { get set }
  /// Takes bytes of the body. Returns how many; the rest must be offered again after `onRoom`.
  ///
  /// After the end of the response it takes all of them, for the recording.
  func take(_ bytes: UnsafeRawBufferPointer) -> Int
  /// The rest of the body will not come, although the response has begun.
  func uploadBrokeOff()
}

/// A source that also takes what the client sends after the head of its response, as a tunnel does (RFC 9110 §9.3.6).
/// Its response has no framing: every byte after the head is the origin's.
public protocol TunnelSource: ResponseSource {
  /// Called when `take` has room again.
  var onRoom: () -> Void { get set }
  /// Takes bytes of the client. Returns how many; the rest must be offered again after `onRoom`.
  func take(_ bytes: UnsafeRawBufferPointer) -> Int
}
