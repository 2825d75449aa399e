internal import TapedeckHTTP

/// An answer that begins well, in chunks, and goes on with what is none.
final class MalformedSource: StreamFilter {
  private let garbage: [UInt8]

  init(_ source: any ResponseSource, garbage: [UInt8]) {
    self.garbage = garbage
    super.init(source)
  }

  override func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    super.begin(head, framing: framing == .none ? .none : .chunked)
  }

  override func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    _ = super.write(bytes, endsChunk: endsChunk)
    breakOff(.close(after: garbage))
    return .gone
  }

  override func end(trailers: HTTPFields) { abort(.close(after: garbage)) }
}
