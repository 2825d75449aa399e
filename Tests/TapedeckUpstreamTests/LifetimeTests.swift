import TapedeckHTTP
import TapedeckSockets
import Testing

@testable import TapedeckUpstream

@Suite struct LifetimeTests {
  @Test func nothingOutlivesTheLoop() throws {
    let origin = ConnectionTests.answering(ConnectionTests.ok)
    defer { origin.stop() }
    weak var client: UpstreamClient?
    weak var loop: EventLoop?
    weak var exchange: UpstreamExchange?
    weak var sink: RecordingSink?
    do {
      let asking = try Asking(origin)
      (client, loop) = (asking.client, asking.loop)
      let (one, ears) = (asking.client.fetch(HTTPRequest(.get, "/")), RecordingSink())
      (exchange, sink) = (one, ears)
      ears.onOver = { asking.loop.stop() }
      one.start(into: ears)
      asking.loop.run()
    }
    #expect(sink == nil)
    #expect(exchange == nil)
    #expect(client == nil)
    #expect(loop == nil)
  }
}
