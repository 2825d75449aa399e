import TapedeckHTTP
import TapedeckServer
import TapedeckSockets
import TestSupport
import Testing

/// Sends a piece after a while, and rests behind it.
private final class Resting: Responder, ResponseSource {
  private let loop: EventLoop
  private var timer: LoopTimer?

  init(_ loop: EventLoop) { self.loop = loop }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    ServedResponse(.stream(self), by: .upstream)
  }

  func start(into sink: any ResponseSink) {
    sink.begin(HTTPResponseHead(status: 200), framing: .chunked)
    timer = loop.makeTimer {
      _ = Array("last".utf8).withUnsafeBytes { sink.write($0, endsChunk: true) }
      sink.rest()
    }
    timer?.set(MonotonicTime.now.adding(milliseconds: 200))
  }

  func resume() {}
  func cancel() { timer = nil }
}

@Test func `a stream that comes to rest while the server stops is not waited for`() throws {
  let server = try HTTPServer(
    address: SocketAddress(host: "127.0.0.1", port: 0), threads: 1, makeResponder: { Resting($0) })
  let client = try Client(server.address.port)
  client.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
  #expect(client.status() == 200)
  let began = MonotonicTime.now
  server.stop(graceMilliseconds: 60_000)
  #expect(MonotonicTime.now < began.adding(milliseconds: 30_000))
  #expect(client.read() != nil)
}
