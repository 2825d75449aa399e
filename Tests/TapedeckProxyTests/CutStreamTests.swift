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

  private func hears(behind source: any ResponseSource) -> [String] {
    stream.onStart = { [loop] in loop.stop() }
    source.start(into: Notes())
    loop.run()
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
}
