import TapedeckHTTP

@testable import TapedeckUpstream

/// The reader of responses: a head that is accepted is written and read as itself; however a body is cut, the sink
/// hears the same, in the order it was promised.
enum ResponseLaw {
  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    try readsHeadAgain(input)
    for method in [HTTPMethod.get, .head] {
      let ways = Pieces.ways(of: input)
      let whole = try transcript(ways[0], method)
      for way in ways.dropFirst() {
        let other = try transcript(way, method)
        try require(other == whole, "\(method), cut into \(way.map(\.count)): \(other), whole: \(whole)")
      }
    }
  }

  private static func blankLineEnd(_ input: [UInt8], from start: Int) -> Int? {
    var lineStart = start
    while let lineFeed = input[lineStart...].firstIndex(of: 0x0A) {
      let line = input[lineStart..<lineFeed]
      lineStart = lineFeed + 1
      if line.isEmpty || line.elementsEqual([0x0D]) { return lineStart }
    }
    return nil
  }

  private static func readsHeadAgain(_ input: [UInt8]) throws(BrokenLaw) {
    var limits = HTTPLimits.response
    limits.headBytes = 2048
    let bytes = Array(input[..<(blankLineEnd(input, from: 0) ?? input.count)])
    guard let head = try? HTTP1ResponseHeadParser.parse(bytes, limits: limits) else { return }
    try require((100...999).contains(head.status), "status \(head.status)")
    for method in [HTTPMethod.get, .head] { _ = try? BodyFraming.response(head, to: method) }
    let out = HTTP1Serializer.openHead(head, framing: .none) + HTTP1Serializer.crlf
    var expected = head
    expected.version = .http11
    expected.fields.removeAll { $0.isNamed("transfer-encoding") || $0.isNamed("connection") }
    var again: HTTPResponseHead
    do throws(HTTPParseError) { again = try HTTP1ResponseHeadParser.parse(out) } catch {
      throw BrokenLaw("\(error) in our own \(String(decoding: out, as: UTF8.self).debugDescription)")
    }
    // Ours, of a 101 and a 426.
    again.fields.removeAll("connection")
    try require(again == expected, "\(expected) was read again as \(again)")
  }

  /// What the parser makes of the pieces, with a page of a TLS port told apart as an exchange does it.
  private static func transcript(
    _ pieces: [ArraySlice<UInt8>], _ method: HTTPMethod
  ) throws(BrokenLaw) -> Transcript {
    guard let origin = try? UpstreamOrigin("http://origin.test") else { throw BrokenLaw("no origin") }
    let sink = TranscriptSink()
    let reading = Reading(sink, ResponseParser(to: method, limits: .response) { _ in }, origin)
    for piece in pieces where !sink.transcript.isOver { Pieces.lend(piece) { reading.receive($0) } }
    if !sink.transcript.isOver { reading.endOfStream() }
    if let problem = sink.problem { throw BrokenLaw(problem) }
    try require(sink.transcript.isOver, "the sink heard no end")
    return sink.transcript
  }
}

/// An exchange without a connection: a parser whose events go to a sink.
private final class Reading {
  private var sink: any ResponseSink
  private var parser: ResponseParser
  private let origin: UpstreamOrigin

  init(_ sink: any ResponseSink, _ parser: ResponseParser, _ origin: UpstreamOrigin) {
    (self.sink, self.parser, self.origin) = (sink, parser, origin)
  }

  func receive(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    do throws(UpstreamFailure) {
      while let event = try parser.next(bytes, at: &offset) { deliver(event, bytes) }
    } catch {
      sink.fail(error.refusing(origin).response)
    }
  }

  func endOfStream() {
    do throws(UpstreamFailure) {
      try parser.endOfStream()
      end(trailers: HTTPFields())
    } catch {
      sink.fail(error.refusing(origin).response)
    }
  }

  private func deliver(_ event: ResponseParser.Event, _ bytes: UnsafeRawBufferPointer) {
    switch event {
    case .interim(let head): sink.informational(head)
    case .head(let head, let framing):
      if TLSPortCheck.concerns(head, framing) { sink = TLSPortCheck(sink) }
      sink.begin(head, framing: framing)
    case .data(let range, let endsChunk):
      _ = sink.write(UnsafeRawBufferPointer(rebasing: bytes[range]), endsChunk: endsChunk)
    case .end(let trailers): end(trailers: trailers)
    }
  }

  private func end(trailers: HTTPFields) {
    if (sink as? TLSPortCheck)?.isRecognised == true {
      sink.fail(TLSPortCheck.failure(origin).response)
    } else {
      sink.end(trailers: trailers)
    }
  }
}

/// What a sink heard, without where the pieces were cut.
private struct Transcript: Equatable {
  var interim: [HTTPResponseHead] = []
  var head: HTTPResponseHead?
  var framing: BodyFraming?
  var body: [UInt8] = []
  var chunkEnds: [Int] = []
  var trailers: HTTPFields?
  var failure: HTTPResponse?

  var isOver: Bool { trailers != nil || failure != nil }
}

private final class TranscriptSink: ResponseSink {
  private(set) var transcript = Transcript()
  private(set) var problem: String?

  private func expect(_ holds: Bool, _ call: String) {
    if !holds { problem = problem ?? "\(call) out of order" }
  }

  func informational(_ head: HTTPResponseHead) {
    expect(transcript.head == nil && !transcript.isOver, "informational")
    transcript.interim.append(head)
  }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    expect(transcript.head == nil && !transcript.isOver, "begin")
    transcript.head = head
    transcript.framing = framing
  }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    expect(transcript.head != nil && !transcript.isOver && !bytes.isEmpty, "write")
    transcript.body += bytes
    if endsChunk { transcript.chunkEnds.append(transcript.body.count) }
    return .more
  }

  func rest() { expect(false, "rest") }

  func end(trailers: HTTPFields) {
    expect(transcript.head != nil && !transcript.isOver, "end")
    if case .length(let length) = transcript.framing, transcript.body.count != length {
      problem = "\(transcript.body.count) bytes of \(length) are complete"
    }
    transcript.trailers = trailers
  }

  func fail(_ response: HTTPResponse) {
    expect(!transcript.isOver, "fail")
    transcript.failure = response
  }

  func abort(_ end: ConnectionEnd) { problem = problem ?? "abort by an origin" }
}
