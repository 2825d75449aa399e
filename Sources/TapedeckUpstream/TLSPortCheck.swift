internal import TapedeckHTTP

/// Detects the 400 that servers send for plain http on a TLS port, which must not be recorded. Holds a 400
/// back until it is complete or too long to be that page.
final class TLSPortCheck: ResponseSink {
  private let sink: any ResponseSink
  private var held: (head: HTTPResponseHead, framing: BodyFraming)?
  private var pieces: [(bytes: [UInt8], endsChunk: Bool)] = []
  private var count = 0

  /// nginx's page has 255 bytes, Apache's about 400.
  private static let pageBytes = 4096
  /// From nginx, Apache, Go and Tomcat.
  private static let phrases = [
    "plain HTTP request was sent to HTTPS port", "speaking plain HTTP to an SSL-enabled server port",
    "sent an HTTP request to an HTTPS server", "combination of host and port requires TLS",
  ]

  init(_ sink: any ResponseSink) { self.sink = sink }

  static func concerns(_ head: HTTPResponseHead, _ framing: BodyFraming) -> Bool {
    guard head.status == 400 else { return false }
    if case .length(let length) = framing { return length > 0 && length <= pageBytes }
    return framing != .none
  }

  /// Whether a connection starts with the first byte of a TLS alert (RFC 8446 §5.1).
  static func isAlert(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.first == 0x15 }

  static func failure(_ origin: UpstreamOrigin) -> UpstreamFailure {
    UpstreamFailure(
      .protocolError, "\(origin): the port expects TLS, not plain http; the origin is \(origin.overTLS).")
  }

  var isRecognised: Bool {
    guard held != nil else { return false }
    let text = String(decoding: pieces.flatMap(\.bytes), as: UTF8.self)
    return Self.phrases.contains { text.contains($0) }
  }

  func informational(_ head: HTTPResponseHead) { sink.informational(head) }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) { held = (head, framing) }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    guard held != nil else { return sink.write(bytes, endsChunk: endsChunk) }
    pieces.append((Array(bytes), endsChunk))
    count += bytes.count
    return count > Self.pageBytes ? release() : .more
  }

  private func release() -> SinkDemand {
    guard let (head, framing) = held.take() else { return .more }
    sink.begin(head, framing: framing)
    var demand = SinkDemand.more
    for piece in pieces where demand != .gone {
      let last = piece.bytes.withUnsafeBytes { sink.write($0, endsChunk: piece.endsChunk) }
      if last != .more { demand = last }
    }
    pieces = []
    return demand
  }

  func rest() {
    if release() != .gone { sink.rest() }
  }

  func end(trailers: HTTPFields) {
    if release() != .gone { sink.end(trailers: trailers) }
  }

  func fail(_ response: HTTPResponse) { sink.fail(response) }
  func abort(_ end: ConnectionEnd) { sink.abort(end) }
}
