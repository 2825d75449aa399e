import TapedeckHTTP
import TapedeckSockets
import Testing

@testable import TapedeckUpstream

@Suite struct LifetimeTests {
  @Test func nothingOutlivesTheLoop() throws {
    let origin = ConnectionTests.responding(ConnectionTests.ok)
    defer { origin.stop() }
    weak var client: UpstreamClient?
    weak var pool: UpstreamClient?
    weak var loop: EventLoop?
    weak var exchange: UpstreamExchange?
    weak var sink: RecordingSink?
    do {
      let harness = try ClientHarness(origin)
      (client, pool, loop) = (harness.client, harness.client, harness.loop)
      let (one, owned) = (harness.client.fetch(HTTPRequest(.get, "/")), RecordingSink())
      (exchange, sink) = (one, owned)
      owned.onOver = { harness.loop.stop() }
      one.start(into: owned)
      harness.loop.run()
    }
    #expect(sink == nil)
    #expect(exchange == nil)
    #expect(client == nil)
    #expect(pool == nil)
    #expect(loop == nil)
  }

  /// An `OriginExchange` of the proxy is the sink of the exchange that it holds.
  @Test func a400OverPlainHTTPHeldItsSinkForGood() throws {
    let origin = ConnectionTests.responding("HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\n\r\nbad")
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    let exchange = harness.client.fetch(HTTPRequest(.get, "/"))
    weak var sink: RecordingSink?
    do {
      let owned = RecordingSink()
      sink = owned
      owned.onOver = { harness.loop.stop() }
      exchange.start(into: owned)
      harness.loop.run()
      #expect(owned.bodyText == "bad")
    }
    #expect(sink == nil)
    withExtendedLifetime(exchange) {}
  }
}
