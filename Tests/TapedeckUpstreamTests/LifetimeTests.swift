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

  /// A `LiveExchange` is the sink of the exchange that it holds.
  @Test func a400OverPlainHTTPHeldItsSinkForGood() throws {
    let origin = ConnectionTests.answering("HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\n\r\nbad")
    defer { origin.stop() }
    let asking = try Asking(origin)
    let exchange = asking.client.fetch(HTTPRequest(.get, "/"))
    weak var sink: RecordingSink?
    do {
      let ears = RecordingSink()
      sink = ears
      ears.onOver = { asking.loop.stop() }
      exchange.start(into: ears)
      asking.loop.run()
      #expect(ears.bodyText == "bad")
    }
    #expect(sink == nil)
    withExtendedLifetime(exchange) {}
  }
}
