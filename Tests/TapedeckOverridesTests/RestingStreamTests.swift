import TapedeckHTTP
import TapedeckSockets
import Testing

@testable import TapedeckOverrides

/// A source that notes what becomes of its client.
private final class HearingSource: ResponseSource {
  private(set) var heard: [String] = []

  func start(into sink: any ResponseSink) {}
  func resume() {}
  func cancel() { heard.append("cancelled") }
  func clientLeft() { heard.append("left") }
}

@Test func `a withheld stream is told that its client left`() throws {
  let stream = HearingSource()
  let source = WithheldSource(stream, until: nil, awaitsResponse: true, end: .reset, loop: try EventLoop())
  source.start(into: Notes())
  source.clientFinished()
  source.clientLeft()
  #expect(stream.heard.first == "left")
}

private final class Notes: ResponseSink {
  private(set) var all: [String] = []
  var onRest: () -> Void = {}

  func informational(_ head: HTTPResponseHead) {}
  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {}
  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    all.append(String(decoding: bytes, as: UTF8.self))
    return .more
  }
  func rest() {
    all.append("rest")
    onRest()
  }
  func end(trailers: HTTPFields) { all.append("end") }
  func fail(_ response: HTTPResponse) { all.append("fail") }
  func abort(_ end: ConnectionEnd) { all.append("abort") }
}

@Suite struct `A stream that comes to rest` {
  /// As it comes out of a cassette.
  private final class Ended: ResponseSource {
    func start(into sink: any ResponseSink) {
      sink.begin(HTTPResponseHead(status: 200), framing: .chunked)
      _ = Array("abcdef".utf8).withUnsafeBytes { sink.write($0, endsChunk: true) }
      sink.rest()
    }
    func resume() {}
    func cancel() {}
  }

  @Test func `rests behind a slow connection, when all of it is sent`() throws {
    let (loop, notes) = (try EventLoop(), Notes())
    notes.onRest = { loop.stop() }
    let source = DrippedSource(Ended(), pace: .bandwidth(bytesPerMillisecond: 3), loop: loop)
    source.start(into: notes)
    loop.run()
    #expect(notes.all.filter { $0 != "rest" }.joined() == "abcdef" && notes.all.last == "rest")
  }

  @Test(arguments: [(4, ["abcd", "end"]), (6, ["abcdef", "rest"]), (9, ["abcdef", "rest"])])
  func `ends where a patch truncates it, and else not`(_ length: Int, _ expected: [String]) throws {
    let overrides = Overrides()
    try overrides.take(#"{"patches": [{"path": "/a", "truncate": \#(length)}]}"#)
    let loop = try EventLoop()
    let responder = overrides.patching(Fixed(), on: loop)
    let answer = try #require(try responder.respond(to: HTTPRequest(.get, "/a"), decisions: nil))
    let notes = Notes()
    try #require(answer.content.stream(to: .get)).start(into: notes)
    #expect(notes.all == expected)
  }

  private final class Fixed: Responder {
    func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
      ServedResponse(.stream(Ended()), by: .cassette)
    }
  }
}
