internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckSockets

/// Something that goes wrong on the way of an answer to the client, in Toxiproxy's words and units.
///
/// What Toxiproxy does to the bytes of a connection is done to one answer here: its head goes out whole, and sizes are
/// those of its body.
enum Fault: Sendable, Equatable {
  /// The answer begins later, by `milliseconds` give or take `jitter`.
  case latency(milliseconds: Int, jitter: Int)
  /// Its body goes out at so many thousand bytes a second.
  case bandwidth(rate: Int)
  /// The connection ends with the answer, whose end comes late.
  case slowClose(milliseconds: Int)
  /// No answer; after the time the connection ends, with zero when the client ends it.
  case timeout(milliseconds: Int)
  /// No answer but a reset, after the time.
  case resetPeer(milliseconds: Int)
  /// Its body goes out in pieces, with a pause after each.
  case slicer(averageSize: Int, variation: Int, microseconds: Int)
  /// Its body breaks off after so many bytes.
  case limitData(bytes: Int)
  /// The connection ends without an answer.
  case emptyResponse
  /// Its head, then what is no chunk, and the connection ends.
  case malformedResponseChunk
  /// No answer but bytes that are no HTTP, and the connection ends.
  case randomDataThenClose
}

extension Fault {
  /// The answer with the fault on its way.
  /// - Parameter generator: decides all that is left to chance.
  func applied(
    to answer: ServedResponse, of request: HTTPRequest, generator: SplitMix64, loop: EventLoop
  ) -> ServedResponse {
    var answer = answer
    var generator = generator
    if case .latency(let milliseconds, let jitter) = self {
      let time = max(0, milliseconds + Int.random(in: -jitter...jitter, using: &generator))
      answer.content = .stream(
        DelayedSource(answer.content, nanoseconds: Int64(time) * 1_000_000, to: request.method, loop: loop))
      return answer
    }
    guard let source = answer.content.stream(to: request.method) else { return answer }
    answer.content = .stream(stream(of: source, request.version, &generator, loop))
    if case .slowClose = self { answer.endsConnection = true }
    return answer
  }

  private func stream(
    of source: any ResponseSource, _ version: HTTPVersion, _ generator: inout SplitMix64, _ loop: EventLoop
  ) -> any ResponseSource {
    switch self {
    case .latency: return source
    case .bandwidth(let rate):
      return DrippedSource(source, pace: .bandwidth(bytesPerMillisecond: rate), loop: loop)
    case .slowClose(let milliseconds):
      return SlowlyClosedSource(source, milliseconds: milliseconds, loop: loop)
    case .timeout(let milliseconds):
      return WithheldSource(
        source, until: milliseconds == 0 ? nil : milliseconds, awaitsAnswer: false, end: .close(after: []),
        loop: loop)
    case .resetPeer(let milliseconds):
      return WithheldSource(source, until: milliseconds, awaitsAnswer: true, end: .reset, loop: loop)
    case .slicer(let averageSize, let variation, let microseconds):
      let slices = Slices(averageSize: averageSize, variation: variation, generator: generator)
      return DrippedSource(
        source, pace: .slices(slices, pauseNanoseconds: Int64(microseconds) * 1000), loop: loop)
    case .limitData(let bytes): return LimitedSource(source, limit: bytes, version: version)
    case .emptyResponse:
      return WithheldSource(source, until: 0, awaitsAnswer: true, end: .close(after: []), loop: loop)
    case .malformedResponseChunk: return MalformedSource(source, garbage: Self.garbage(&generator))
    case .randomDataThenClose:
      return WithheldSource(
        source, until: 0, awaitsAnswer: true, end: .close(after: Self.garbage(&generator)), loop: loop)
    }
  }

  /// Bytes that no line of HTTP and no chunk begins with.
  private static func garbage(_ generator: inout SplitMix64) -> [UInt8] {
    [UInt8(ascii: "~")] + (0..<63).map { _ in UInt8.random(in: 0x21...0x7E, using: &generator) }
  }
}
