import Synchronization
import TapedeckHTTP
import TapedeckSockets
import Testing

@testable import TapedeckUpstream

/// When a connection is used again, and what never happens on one.
@Suite struct ConnectionTests {
  static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  /// An origin that sends `response` for every request, on as many connections as it is given.
  static func responding(_ response: String) -> ScriptedOrigin {
    ScriptedOrigin { connection in
      while connection.readRequest() != nil { connection.send(response) }
    }
  }

  /// The response, and how many connections five GETs in a row take.
  @Test(
    "B02 B34 connections serve again only after a clean response",
    arguments: [
      (ok, 1),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 1),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: 1\r\n\r\n", 1),
      ("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno", 1),
      ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", 5),
      ("HTTP/1.1 204 No Content\r\n\r\n", 1),
      ("HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n", 1),
      ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 1),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 1),
      ("HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok", 5),
      ("HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\nok", 5),
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n", 5),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nHTTP/1.1 200", 5),
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok", 1),
      (
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        5
      ),
      ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 2\r\n\r\nok", 5),
    ])
  func connectionsServeAgainOnlyAfterACleanResponse(response: String, connections: Int) throws {
    let origin = Self.responding(response)
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    _ = harness.inTurn((0..<5).map { HTTPRequest(.get, "/\($0)") })
    #expect(origin.requests.count == 5)
    #expect(origin.connectionCount == connections)
    #expect(harness.client.connectionsOpened == connections)
    #expect(harness.client.activeCount == 0)
  }

  @Test func connectionsServeAgainAfterHEAD() throws {
    let origin = Self.responding("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    _ = harness.inTurn([HTTPRequest(.head, "/1"), HTTPRequest(.head, "/2"), HTTPRequest(.head, "/3")])
    #expect(origin.requests.count == 3)
    #expect(origin.connectionCount == 1)
  }

  /// When the body comes that a response to HEAD must not have.
  enum Stray: CaseIterable { case withTheHead, beforeTheNextRequest, afterTheNextRequest }

  @Test(
    "B34 B35 the body of a response to HEAD is no response to the next request", arguments: Stray.allCases)
  func theBodyOfAResponseToHEADIsNoResponse(stray: Stray) throws {
    let (first, sent) = (Gate(), Gate())
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
    let origin = ScriptedOrigin { connection in
      guard connection.readRequest()?.hasPrefix("HEAD") == true else {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine")
        return _ = connection.waitForClose()
      }
      connection.send(stray == .withTheHead ? head + "hello" : head)
      if stray == .beforeTheNextRequest {
        first.pass()
        connection.send("hello")
        sent.open()
      }
      if stray == .afterTheNextRequest {
        connection.readRequest()
        connection.send("hello")
      }
      _ = connection.waitForClose()
    }
    defer { origin.stop() }
    let sinks = try ClientHarness(origin).inTurn([HTTPRequest(.head, "/1"), HTTPRequest(.get, "/2")]) {
      index in
      guard index == 0, stray == .beforeTheNextRequest else { return }
      first.open()
      sent.pass()
    }
    #expect(sinks.map(\.bodyText) == ["", "mine"])
    #expect(sinks.allSatisfy { $0.isEnded && $0.violations == 0 })
    #expect(origin.connectionCount == 2)
  }

  /// The origin is alive and may have done what it was asked; only a safe request is sent again.
  @Test(arguments: [HTTPMethod.put, .delete]) func aRequestThatChangesThingsWasRepeatedAfterStrayBytes(
    method: HTTPMethod
  ) throws {
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send(Self.ok)
      connection.readRequest()
      connection.send("hello")
      _ = connection.waitForClose()
    }
    defer { origin.stop() }
    let sinks = try ClientHarness(origin).inTurn([HTTPRequest(.get, "/1"), HTTPRequest(method, "/2")])
    #expect(sinks[1].errorToken == "http_protocol_error")
    #expect(origin.requests.count == 2)
  }

  /// libcurl counted how often it repeated a request by handle, over all exchanges; the sixth was left unrepeated.
  @Test func everyGetThatDiesWithAUsedConnectionIsRepeatedOnce() throws {
    let origin = ScriptedOrigin { connection in
      guard connection.readRequest() != nil else { return }
      connection.send(Self.ok)
      _ = connection.readRequest()
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    let sinks = harness.inTurn((0..<40).map { HTTPRequest(.get, "/\($0)") })
    #expect(sinks.allSatisfy { $0.bodyText == "ok" })
  }

  /// How many connections a GET, a POST and a GET take, by the time for which a connection may rest before the POST.
  @Test(arguments: [(restMilliseconds: 1_000, connections: 1), (0, 2)])
  func postTakesOnlyAConnectionThatWasJustInUse(restMilliseconds: Int, connections: Int) throws {
    let origin = Self.responding(Self.ok)
    defer { origin.stop() }
    let harness = try ClientHarness(origin) { $0.timeouts.reuseMilliseconds = restMilliseconds }
    let requests = [HTTPRequest(.get, "/1"), HTTPRequest(.post, "/2", body: [1]), HTTPRequest(.get, "/3")]
    let sinks = harness.inTurn(requests)
    #expect(sinks.allSatisfy { $0.bodyText == "ok" })
    #expect(origin.connectionCount == connections)
  }

  @Test func postTakesNoConnectionWhoseLastResponseHadNoBody() throws {
    let origin = Self.responding("HTTP/1.1 204 No Content\r\n\r\n")
    defer { origin.stop() }
    _ = try ClientHarness(origin).inTurn([HTTPRequest(.get, "/1"), HTTPRequest(.post, "/2", body: [1])])
    #expect(origin.connectionCount == 2)
  }

  /// How an origin ends a connection on which a second request has come.
  enum End: CaseIterable { case close, reset, strayBytes }

  @Test("B37 F30 a POST whose reused connection dies is sent once", arguments: End.allCases)
  func aPostThatGetsNoResponseIsSentOnce(end: End) throws {
    let origin = ScriptedOrigin { connection in
      guard connection.readRequest()?.hasPrefix("GET") == true else { return }
      connection.send(Self.ok)
      guard connection.readRequest() != nil else { return }
      switch end {
      case .close: break
      case .reset: connection.resetOnClose()
      case .strayBytes: connection.send("hello")
      }
    }
    defer { origin.stop() }
    let sinks = try ClientHarness(origin).inTurn([
      HTTPRequest(.get, "/"), HTTPRequest(.post, "/", body: [0x78]),
    ])
    #expect(sinks[1].failure?.head.status == 502)
    let text = String(decoding: sinks[1].failure?.body ?? [], as: UTF8.self)
    let tells =
      "may or may not have reached the origin, and was not repeated, because POST is not idempotent."
    #expect(text.contains(tells) == (end != .strayBytes))
    #expect(origin.requests.map { $0.prefix(4) } == ["GET ", "POST"])
    #expect(origin.connectionCount == 1)
  }

  @Test("F30 a GET whose reused connection dies is sent once more")
  func aGetWhoseReusedConnectionDiesIsSentOnceMore() throws {
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send(Self.ok)
      // The second request on the first connection gets no response.
      if connection.index == 0 { connection.readRequest() } else { _ = connection.waitForClose() }
    }
    defer { origin.stop() }
    let sinks = try ClientHarness(origin).inTurn([HTTPRequest(.get, "/1"), HTTPRequest(.get, "/2")])
    #expect(sinks[1].bodyText == "ok")
    #expect(sinks[1].violations == 0)
    #expect(origin.requests.map { $0.prefix(6) } == ["GET /1", "GET /2", "GET /2"])
  }

  /// There are two idle connections to try; one repetition, on a new connection, is all we allow.
  @Test("F30 the repetition takes a new connection")
  func theRepetitionTakesANewConnection() throws {
    let both = Gate()
    let count = Mutex(0)
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      if connection.index < 2 {
        // The first two are open at the same time, so that two idle ones remain.
        if count.withLock({
          $0 += 1; return $0
        }) == 2 {
          both.open(); both.open()
        }
        both.pass()
      }
      connection.send(Self.ok)
      if connection.index < 2 { connection.readRequest() } else { _ = connection.waitForClose() }
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    let (first, second, third) = (RecordingSink(), RecordingSink(), RecordingSink())
    let next = {
      guard first.isOver, second.isOver else { return }
      harness.client.fetch(HTTPRequest(.get, "/3")).start(into: third)
    }
    first.onOver = next
    second.onOver = next
    third.onOver = { harness.loop.stop() }
    harness.client.fetch(HTTPRequest(.get, "/1")).start(into: first)
    harness.client.fetch(HTTPRequest(.get, "/2")).start(into: second)
    harness.loop.run()
    #expect(third.bodyText == "ok")
    #expect(third.violations == 0)
    #expect(origin.requests.filter { $0.hasPrefix("GET /3") }.count == 2)
    #expect(origin.connectionCount == 3)
  }

  @Test("B36 F31 a stray response reaches nobody")
  func aStrayResponseReachesNobody() throws {
    let (first, sent) = (Gate(), Gate())
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send(connection.index == 0 ? Self.ok : "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine")
      guard connection.index == 0 else { return _ = connection.waitForClose() }
      first.pass()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray")
      sent.open()
      connection.readRequest()
    }
    defer { origin.stop() }
    let sinks = try ClientHarness(origin).inTurn([HTTPRequest(.get, "/1"), HTTPRequest(.get, "/2")]) {
      index in
      guard index == 0 else { return }
      // In the very turn in which the next request starts, before the loop can look at the socket.
      first.open()
      sent.pass()
    }
    #expect(sinks.map(\.bodyText) == ["ok", "mine"])
    #expect(origin.requests.count == 2)
    #expect(origin.connectionCount == 2)
  }

  @Test("B36 a stray response ends an idle connection")
  func aStrayResponseThatComesWhileIdleEndsTheConnection() throws {
    let (first, sent) = (Gate(), Gate())
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send(connection.index == 0 ? Self.ok : "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine")
      if connection.index == 0 {
        first.pass()
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray")
      }
      // The loop notices by itself and hangs up, without another request.
      if connection.waitForClose(), connection.index == 0 { sent.open() }
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    let (one, two) = (RecordingSink(), RecordingSink())
    one.onOver = { first.open() }
    two.onOver = { harness.loop.stop() }
    harness.client.fetch(HTTPRequest(.get, "/1")).start(into: one)
    let (mailbox, client) = (harness.loop.mailbox, UncheckedBox((harness.client, two)))
    startThread {
      sent.pass()
      mailbox.post { client.value.0.fetch(HTTPRequest(.get, "/2")).start(into: client.value.1) }
    }
    harness.loop.run()
    #expect(two.bodyText == "mine")
    #expect(origin.connectionCount == 2)
  }

  @Test func connectionsAreNotKeptForever() throws {
    let closed = Gate()
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send(Self.ok)
      if connection.waitForClose() { closed.open() }
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin) { $0.timeouts.keepAliveMilliseconds = 20 }
    let sinks = [RecordingSink(), RecordingSink(), RecordingSink()]
    let (mailbox, box) = (harness.loop.mailbox, UncheckedBox((harness, sinks)))
    startThread {
      for round in 1...3 where closed.pass() {
        mailbox.post {
          let (harness, sinks) = box.value
          guard round < 3 else { return harness.loop.stop() }
          harness.client.fetch(HTTPRequest(.get, "/")).start(into: sinks[round])
        }
      }
    }
    harness.client.fetch(HTTPRequest(.get, "/")).start(into: sinks[0])
    harness.loop.run()
    #expect(sinks.map(\.bodyText) == ["ok", "ok", "ok"])
    #expect(origin.connectionCount == 3)
  }

  @Test func anExchangeThatBeginsWithTheEndOfAnotherWaitsItsTurn() throws {
    let origin = Self.responding(Self.ok)
    defer { origin.stop() }
    let harness = try ClientHarness(origin) { $0.maxConnectionsPerLoop = 1 }
    let sinks = [RecordingSink(), RecordingSink(), RecordingSink()]
    sinks[0].onOver = { harness.client.fetch(HTTPRequest(.get, "/3")).start(into: sinks[2]) }
    sinks[2].onOver = { harness.loop.stop() }
    harness.client.fetch(HTTPRequest(.get, "/1")).start(into: sinks[0])
    harness.client.fetch(HTTPRequest(.get, "/2")).start(into: sinks[1])
    harness.loop.run()
    #expect(origin.requests.map { $0.prefix(6) } == ["GET /1", "GET /2", "GET /3"])
    #expect(origin.connectionCount == 1)
  }

  @Test func manyAtOnceDoNotMixUp() throws {
    let origin = ScriptedOrigin { connection in
      while let request = connection.readRequest() {
        let path = request.split(separator: " ")[1]
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)")
      }
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin) { $0.maxConnectionsPerLoop = 8 }
    let sinks = (0..<400).map { _ in RecordingSink() }
    for (index, sink) in sinks.enumerated() {
      sink.onOver = { if sinks.allSatisfy(\.isOver) { harness.loop.stop() } }
      harness.client.fetch(HTTPRequest(.get, "/item/\(index)")).start(into: sink)
    }
    harness.loop.run()
    #expect(sinks.enumerated().allSatisfy { $1.bodyText == "/item/\($0)" })
    #expect(origin.connectionCount == 8)
  }
}

/// Carries loop-bound objects through a thread that only hands them back to their loop.
struct UncheckedBox<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
