import TapedeckHTTP
import TapedeckMocking
import TapedeckSockets
import Testing

@testable import TapedeckProxy

/// A stream that comes to rest, and hears what becomes of its client.
private final class CutStream: ResponseSource, Responder {
  var onStart: () -> Void = {}
  private(set) var heard: [String] = []

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    ServedResponse(.stream(self), by: .cassette)
  }

  func start(into sink: any ResponseSink) {
    sink.begin(HTTPResponseHead(status: 200), framing: .chunked)
    _ = Array("abcdef".utf8).withUnsafeBytes { sink.write($0, endsChunk: true) }
    onStart()
  }

  func resume() {}
  func cancel() { heard.append("cancelled") }
  func clientLeft() { heard.append("left") }
  func clientFinished() { heard.append("finished") }
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

@Suite struct `A stream that its client left` {
  private let loop: EventLoop
  private let stream = CutStream()

  init() throws { loop = try EventLoop() }

  private func route(_ declare: (Router) -> Void) throws -> RouteSource {
    let router = Router()
    declare(router)
    let match = try #require(router.match(Request(http: HTTPRequest(.get, "/a")), at: .server))
    return RouteSource(match, next: stream, loop: loop)
  }

  private func hears(behind source: any ResponseSource, waits: Bool = true) -> [String] {
    if waits { stream.onStart = { [loop] in loop.stop() } }
    source.start(into: Notes())
    if waits { loop.run() }
    source.clientFinished()
    source.clientLeft()
    return stream.heard
  }

  @Test func `is told behind a route with latency`() throws {
    let source = try route { router in
      router.latency = 0.001
      router.get("/a") { $0.continue() }
    }
    #expect(hears(behind: source).prefix(2) == ["finished", "left"])
  }

  @Test func `is told behind a handler that waits for it`() throws {
    let source = try route { router in
      router.get("/a") { request in try await request.continue() }
    }
    #expect(hears(behind: source).prefix(2) == ["finished", "left"])
  }

  @Test func `is told behind a fault that withholds it`() {
    let source = WithheldSource(stream, until: nil, awaitsAnswer: true, end: .reset, loop: loop)
    #expect(hears(behind: source, waits: false).first == "left")
  }
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
    try OverridesFile.load(
      Array(#"{"patches": [{"path": "/a", "truncate": \#(length)}]}"#.utf8), named: "o.json", into: overrides)
    let loop = try EventLoop()
    let responder = PatchResponder(overrides.patches, before: Fixed(), loop: loop)
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
