import Glibc
import Synchronization
import TapedeckHTTP
import TapedeckSockets
import Testing

@testable import TapedeckUpstream

/// Back-pressure, cancelling and time.
@Suite struct FlowTests {
  static let megabytes = 32
  static let block: [UInt8] = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 % 251) }

  /// An origin that sends many megabytes, framed by length, by chunks or by the end of the connection.
  static func flood(_ framing: BodyFraming) -> ScriptedOrigin {
    ScriptedOrigin { connection in
      connection.readRequest()
      switch framing {
      case .length: connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(megabytes << 20)\r\n\r\n")
      case .chunked: connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      default: connection.send("HTTP/1.1 200 OK\r\n\r\n")
      }
      for _ in 0..<megabytes {
        if framing == .chunked { connection.send("100000\r\n") }
        guard connection.send(block) else { return }
        if framing == .chunked { connection.send("\r\n") }
      }
      if framing == .chunked { connection.send("0\r\n\r\n") }
    }
  }

  @Test("F24 a slow sink holds the origin back", arguments: [BodyFraming.length(0), .chunked, .untilClose])
  func aSlowSinkHoldsTheOriginBack(framing: BodyFraming) throws {
    let origin = Self.flood(framing)
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    let sink = RecordingSink()
    sink.keepsBody = false
    let exchange = harness.client.fetch(HTTPRequest(.get, "/"))
    var total = 0
    var isIntact = true
    var sinceWait = 0
    var mostSinceWait = 0
    let resume = harness.loop.makeTimer {
      sinceWait = 0
      exchange.resume()
    }
    sink.onWrite = { sink in
      guard case .write(let count, _)? = sink.events.last else { return .gone }
      total += count
      sinceWait += count
      mostSinceWait = max(mostSinceWait, sinceWait)
      isIntact = isIntact && total <= Self.megabytes << 20
      // The sink says `wait` to every piece; a later turn says go on.
      resume.set(MonotonicTime.now)
      return .wait
    }
    sink.onOver = { harness.loop.stop() }
    exchange.start(into: sink)
    harness.loop.run()
    #expect(sink.isEnded)
    #expect(total == Self.megabytes << 20)
    #expect(isIntact)
    #expect(mostSinceWait <= 64 * 1024)
    #expect(sink.violations == 0)
  }

  @Test func bytesSurvivePausing() throws {
    let text = (0..<200_000).map { "\($0) " }.joined()
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    let sink = RecordingSink()
    let exchange = harness.client.fetch(HTTPRequest(.get, "/"))
    var writes = 0
    let resume = harness.loop.makeTimer { exchange.resume() }
    sink.onWrite = { _ in
      writes += 1
      guard writes % 3 == 0 else { return .more }
      // Now and then the go-ahead comes before the sink has even said `wait`.
      if writes % 2 == 0 { exchange.resume() }
      resume.set(MonotonicTime.now)
      return .wait
    }
    sink.onOver = { harness.loop.stop() }
    exchange.start(into: sink)
    harness.loop.run()
    #expect(sink.bodyText == text)
    #expect(sink.isEnded)
  }

  @Test func aPausedExchangeDoesNotTimeOut() throws {
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
      connection.send("cd")
      _ = connection.waitForClose()
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin) { $0.timeouts.readIdleMilliseconds = 20 }
    let sink = RecordingSink()
    let exchange = harness.client.fetch(HTTPRequest(.get, "/"))
    let resume = harness.loop.makeTimer { exchange.resume() }
    sink.onWrite = { sink in
      guard !sink.isOver, !resume.isSet, sink.body.count < 4 else { return .more }
      resume.set(MonotonicTime.now.adding(milliseconds: 100))
      return .wait
    }
    sink.onOver = { harness.loop.stop() }
    exchange.start(into: sink)
    harness.loop.run()
    #expect(sink.bodyText == "abcd")
    #expect(sink.isEnded)
  }

  enum Leaving: CaseIterable { case cancelInWrite, gone, cancelLater, cancelInBegin, cancelBeforeResponse }

  @Test("F23 leaving closes the origin's connection", arguments: Leaving.allCases)
  func leavingClosesTheOriginsConnection(how: Leaving) throws {
    let closed = Gate()
    let asked = Gate()
    let isClosed = Mutex(false)
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      asked.open()
      if how != .cancelBeforeResponse {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
      }
      if connection.waitForClose() { isClosed.withLock { $0 = true } }
      closed.open()
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    let sink = RecordingSink()
    let exchange = harness.client.fetch(HTTPRequest(.get, "/"))
    let later = harness.loop.makeTimer { exchange.cancel() }
    sink.onBegin = { if how == .cancelInBegin { exchange.cancel() } }
    sink.onWrite = { _ in
      if how == .cancelInWrite { exchange.cancel() }
      if how == .cancelLater { later.set(MonotonicTime.now) }
      return how == .gone ? .gone : .more
    }
    exchange.start(into: sink)
    let (mailbox, box) = (harness.loop.mailbox, UncheckedBox((exchange, harness.loop)))
    startThread {
      if how == .cancelBeforeResponse {
        asked.pass()
        mailbox.post { box.value.0.cancel() }
      }
      closed.pass()
      mailbox.post { box.value.1.stop() }
    }
    harness.loop.run()
    #expect(isClosed.withLock { $0 })
    #expect(!sink.isOver)
    #expect(sink.violations == 0)
    #expect(harness.client.activeCount == 0)
  }

  @Test func cancellingAnotherFromInsideASinkIsSafe() throws {
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
      _ = connection.waitForClose()
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    let sinks = (0..<8).map { _ in RecordingSink() }
    let exchanges = sinks.map { _ in harness.client.fetch(HTTPRequest(.get, "/")) }
    var isFirst = true
    for sink in sinks {
      sink.onWrite = { _ in
        if isFirst { for exchange in exchanges { exchange.cancel() } }
        isFirst = false
        return .more
      }
    }
    let end = harness.loop.makeTimer { harness.loop.stop() }
    sinks[0].onBegin = { end.set(MonotonicTime.now.adding(milliseconds: 50)) }
    for (exchange, sink) in zip(exchanges, sinks) { exchange.start(into: sink) }
    for sink in sinks.dropFirst() { sink.onBegin = sinks[0].onBegin }
    harness.loop.run()
    #expect(sinks.allSatisfy { !$0.isOver && $0.violations == 0 })
    #expect(harness.client.activeCount == 0)
  }

  @Test("F11 silence before the response is 504")
  func silenceBeforeTheResponseIs504() throws {
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      _ = connection.waitForClose()
    }
    defer { origin.stop() }
    let sink = try ClientHarness(origin) { $0.timeouts.firstByteMilliseconds = 30 }.once(
      HTTPRequest(.get, "/"))
    #expect(sink.failure?.head.status == 504)
    #expect(sink.errorToken == "http_response_timeout")
  }

  @Test("F18 silence in the body breaks it off")
  func silenceInTheBodyBreaksItOff() throws {
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
      _ = connection.waitForClose()
    }
    defer { origin.stop() }
    let sink = try ClientHarness(origin) { $0.timeouts.readIdleMilliseconds = 30 }.once(
      HTTPRequest(.get, "/"))
    #expect(sink.bodyText == "some")
    #expect(sink.failure?.head.status == 504)
    #expect(sink.errorToken == "connection_read_timeout")
  }

  @Test("F22 an event stream may rest")
  func anEventStreamMayRest() throws {
    let gate = Gate()
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\n\r\ndata: 1\n\n")
      gate.pass()
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin) { $0.timeouts.readIdleMilliseconds = 10 }
    let sink = RecordingSink()
    let later = harness.loop.makeTimer { gate.open() }
    sink.onWrite = { _ in
      later.set(MonotonicTime.now.adding(milliseconds: 100))
      return .more
    }
    sink.onOver = { harness.loop.stop() }
    harness.client.fetch(HTTPRequest(.get, "/")).start(into: sink)
    harness.loop.run()
    #expect(sink.isEnded)
  }

  @Test("F25 an origin that stops reading is 504")
  func anOriginThatStopsReadingIs504() throws {
    let gate = Gate()
    let origin = ScriptedOrigin { _ in gate.pass() }
    defer {
      gate.open()
      origin.stop()
    }
    let body = [UInt8](repeating: 0x78, count: 32 << 20)
    let sink = try ClientHarness(origin) { $0.timeouts.firstByteMilliseconds = 50 }
      .once(HTTPRequest(.post, "/", body: body))
    #expect(sink.failure?.head.status == 504)
    #expect(sink.errorToken == "connection_write_timeout", "\(sink.failureText)")
  }

  @Test("B46 F26 an early response ends the upload")
  func anEarlyResponseEndsTheUpload() throws {
    let closed = Gate()
    let origin = ScriptedOrigin { connection in
      connection.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig")
      if connection.waitForClose() { closed.open() }
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    let sink = RecordingSink()
    harness.client.fetch(HTTPRequest(.post, "/", body: [UInt8](repeating: 0x78, count: 64 << 20)))
      .start(into: sink)
    let (mailbox, box) = (harness.loop.mailbox, UncheckedBox(harness.loop))
    startThread {
      closed.pass()
      mailbox.post { box.value.stop() }
    }
    harness.loop.run()
    #expect(sink.head?.status == 413)
    #expect(sink.bodyText == "big")
    #expect(sink.isEnded)
  }

  @Test func waitingTooLongInLineIs503() throws {
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      _ = connection.waitForClose()
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin) {
      $0.maxConnectionsPerLoop = 1
      $0.timeouts.connectMilliseconds = 50
    }
    let (running, waiting) = (RecordingSink(), RecordingSink())
    let exchange = harness.client.fetch(HTTPRequest(.get, "/1"))
    waiting.onOver = {
      exchange.cancel()
      harness.loop.stop()
    }
    exchange.start(into: running)
    harness.client.fetch(HTTPRequest(.get, "/2")).start(into: waiting)
    harness.loop.run()
    #expect(waiting.failure?.head.status == 503)
    #expect(waiting.errorToken == "connection_limit_reached")
    #expect(!running.isOver)
  }

  @Test func shuttingDownFailsWhatRuns() throws {
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
      _ = connection.waitForClose()
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    let (sink, late) = (RecordingSink(), RecordingSink())
    // While a response is passed on; the call of the sink must return first.
    sink.onWrite = { _ in
      harness.client.shutDown()
      return .more
    }
    sink.onOver = { harness.client.fetch(HTTPRequest(.get, "/")).start(into: late) }
    late.onOver = { harness.loop.stop() }
    harness.client.fetch(HTTPRequest(.get, "/")).start(into: sink)
    harness.loop.run()
    #expect(sink.failure?.head.status == 503)
    #expect(late.failure?.head.status == 503)
    #expect(sink.violations == 0)
  }

  @Test func theExchangeKnowsItsAddressAndStart() throws {
    let origin = ConnectionTests.responding(ConnectionTests.ok)
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    let exchange = harness.client.fetch(HTTPRequest(.get, "/"))
    let sink = RecordingSink()
    sink.onOver = { harness.loop.stop() }
    #expect(exchange.startTime == nil)
    exchange.start(into: sink)
    harness.loop.run()
    #expect(exchange.remoteAddress == "127.0.0.1:\(origin.port)")
    #expect(exchange.startTime != nil)
  }
}
