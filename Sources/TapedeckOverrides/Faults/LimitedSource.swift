internal import TapedeckHTTP

/// An answer whose body breaks off after so many bytes; a shorter one passes whole.
final class LimitedSource: StreamFilter {
  let source: any ResponseSource
  var sink: (any ResponseSink)?
  private var left: Int
  private let version: HTTPVersion
  /// Where the end of the connection is the end of the body, only a reset tells that it is too early.
  private var end = ConnectionEnd.close(after: [])

  /// - Parameter version: of the client.
  init(_ source: any ResponseSource, limit: Int, version: HTTPVersion) {
    left = limit
    self.version = version
    self.source = source
  }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    if version == .http10, framing == .chunked || framing == .untilClose { end = .reset }
    sink?.begin(head, framing: framing)
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    guard bytes.count > left else {
      left -= bytes.count
      return pass(bytes, endsChunk: endsChunk)
    }
    if left > 0 { _ = pass(UnsafeRawBufferPointer(rebasing: bytes[..<left]), endsChunk: true) }
    breakOff(end)
    return .gone
  }
}
