import CCurl
import Glibc
import TapedeckHTTP
import TapedeckSockets
import Testing

@testable import TapedeckUpstream

/// A connection that libcurl made belongs to one exchange or to the pool, and to nothing else.
@Suite struct ConnectionOwnershipTests {
  /// Two handles of one multi handle connect, the second when the first has become too old for libcurl; returns how
  /// often the first was lost, and whether its descriptor is still open.
  private func connectTwice(_ adjust: (CurlHandle) -> Void) throws -> (losses: Int, isOpen: Bool) {
    let origin = ScriptedOrigin { _ = $0.waitForClose() }
    defer { origin.stop() }
    let configuration = UpstreamConfiguration(
      origin: try UpstreamOrigin("http://127.0.0.1:\(origin.port)"))
    let loop = try EventLoop()
    let connector = try Connector(loop: loop)
    let handles = try (0..<2).map { _ in try CurlHandle(configuration, connector) }
    var losses = 0
    handles[0].onLost = { losses += 1 }
    // libcurl's own clock, of whole seconds: older than 1 is 2.
    let later = loop.makeTimer { #expect(connector.connect(handles[1])) }
    for (index, handle) in handles.enumerated() {
      #expect(td_easy_set_long(handle.easy, CURLOPT_MAXAGE_CONN, 1) == CURLE_OK)
      adjust(handle)
      handle.onConnected = { code in
        #expect(code == CURLE_OK)
        #expect(handle.takeConnection())
        if index == 0 { later.set(MonotonicTime.now.adding(milliseconds: 2_100)) } else { loop.stop() }
      }
    }
    #expect(connector.connect(handles[0]))
    loop.run()
    let isOpen = !handles[0].isLost && fcntl(handles[0].descriptor, F_GETFD) >= 0
    for handle in handles {
      handle.onConnected = { _ in }
      connector.disconnect(handle)
    }
    #expect(connector.taken.isEmpty)
    return (losses, isOpen)
  }

  /// What libcurl does when connections share its cache. If it ever stops, only the next test counts.
  @Test func libcurlClosesConnectionsInUseOfASharedCache() throws {
    let version = UpstreamClient.libcurlVersion
    guard version.hasPrefix("7.88.") else { return }
    let (losses, isOpen) = try connectTwice {
      #expect(td_easy_set_pointer($0.easy, CURLOPT_SHARE, nil) == CURLE_OK)
    }
    #expect(losses == 1)
    #expect(!isOpen)
  }

  @Test func libcurlLeavesConnectionsInUseAlone() throws {
    let (losses, isOpen) = try connectTwice { _ in }
    #expect(losses == 0)
    #expect(isOpen)
  }

  enum Moment: CaseIterable { case beforeTheHead, insideTheBody, whilePaused }

  @Test("a connection that libcurl closes all the same ends its exchange", arguments: Moment.allCases)
  func aConnectionThatLibcurlClosesEndsItsExchange(moment: Moment) throws {
    let (ready, closed) = (Gate(), Gate())
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      if moment != .beforeTheHead { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome") }
      ready.open()
      if connection.waitForClose() { closed.open() }
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    let sink = RecordingSink()
    let exchange = harness.client.fetch(HTTPRequest(.post, "/"))
    let close = {
      let connector = harness.client.connector
      #expect(connector.taken.count == 1)
      // As the close callback says it, but for the close: this libcurl has not closed it.
      connector.taken.values.first?.lose()
      exchange.resume()
    }
    sink.onWrite = { _ in
      if moment == .insideTheBody { close() }
      return moment == .whilePaused ? .wait : .more
    }
    sink.onOver = { harness.loop.stop() }
    exchange.start(into: sink)
    let (mailbox, box) = (harness.loop.mailbox, UncheckedBox(close))
    startThread {
      ready.pass()
      if moment != .insideTheBody { mailbox.post { box.value() } }
    }
    harness.loop.run()
    #expect(closed.pass())
    #expect(sink.failure != nil)
    #expect(sink.failureText.contains("libcurl closed the connection"), "\(sink.failureText)")
    #expect(sink.violations == 0)
    #expect(harness.client.activeCount == 0)
  }

  /// The pool checks its idle connections itself, whatever libcurl does with them.
  @Test func anIdleConnectionThatLibcurlClosesIsNotUsedAgain() throws {
    let origin = ConnectionTests.responding(ConnectionTests.ok)
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    let sinks = harness.inTurn([HTTPRequest(.get, "/1"), HTTPRequest(.get, "/2")]) { index in
      let connector = harness.client.connector
      if index == 0 { connector.taken.values.first?.lose() }
    }
    #expect(sinks.map(\.bodyText) == ["ok", "ok"])
    #expect(origin.connectionCount == 2)
  }

  @Test func anExchangeThatLeavesTheLineIsForgotten() throws {
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      _ = connection.waitForClose()
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin) { $0.maxConnectionsPerLoop = 1 }
    let running = harness.client.fetch(HTTPRequest(.get, "/1"))
    running.start(into: RecordingSink())
    weak var waiting: UpstreamExchange?
    do {
      let exchange = harness.client.fetch(HTTPRequest(.get, "/2"))
      exchange.start(into: RecordingSink())
      exchange.cancel()
      waiting = exchange
    }
    #expect(waiting == nil)
    running.cancel()
  }
}
