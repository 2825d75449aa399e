internal import TapedeckHTTP

/// An answer that begins well, in chunks, and goes on with what is none.
final class MalformedSource: StreamFilter {
  let source: any ResponseSource
  var sink: (any ResponseSink)?
  private let garbage: [UInt8]

  init(_ source: any ResponseSource, garbage: [UInt8]) {
    self.garbage = garbage
    self.source = source
  }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    sink?.begin(head, framing: framing == .none ? .none : .chunked)
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    _ = pass(bytes, endsChunk: endsChunk)
    breakOff(.close(after: garbage))
    return .gone
  }

  func end(trailers: HTTPFields) { abort(.close(after: garbage)) }
}
