import TapedeckHTTP
import TapedeckSockets
import Testing

@testable import TapedeckUpstream

@Suite struct ResponseTests {
  @Test func aBodyWithLengthArrives() throws {
    let sink = try response("HTTP/1.1 200 Fine\r\nDate: x\r\nContent-Length: 5\r\nX: 1\r\nx: 2\r\n\r\nhello")
    #expect(sink.head?.status == 200)
    #expect(sink.head.map { String(decoding: $0.reason, as: UTF8.self) } == "Fine")
    #expect(sink.head?.fields == (try fields(("Date", "x"), ("Content-Length", "5"), ("X", "1"), ("x", "2"))))
    #expect(sink.framing == .length(5))
    #expect(sink.bodyText == "hello")
    #expect(sink.events.suffix(2) == [.write(5, endsChunk: false), .end])
    #expect(sink.violations == 0)
  }

  @Test("B45 chunks keep their boundaries, trailers come last")
  func chunksKeepTheirBoundariesAndTrailers() throws {
    let sink = try response(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
        + "5;a=b\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\nX-Sum: 42\r\nContent-Length: 3\r\n\r\n")
    #expect(sink.framing == .chunked)
    #expect(sink.head?.fields == (try fields(("Trailer", "X-Sum"))))
    #expect(sink.bodyText == "hello world")
    #expect(
      sink.events == [
        .begin(200), .write(5, endsChunk: true), .write(1, endsChunk: true), .write(5, endsChunk: true), .end,
      ])
    #expect(sink.trailers == (try fields(("X-Sum", "42"))))
  }

  @Test("B20 a body may end with the connection")
  func aBodyMayEndWithTheConnection() throws {
    let sink = try response("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nall of it")
    #expect(sink.framing == .untilClose)
    #expect(sink.bodyText == "all of it")
    #expect(sink.isEnded)
  }

  @Test(
    "B34 responses without body end with their head",
    arguments: [
      ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 200),
      ("HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 200),
      ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200),
      ("GET", "HTTP/1.1 204 No Content\r\n\r\n", 204),
      ("GET", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", 204),
      ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\nETag: \"a\"\r\n\r\n", 304),
      ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200),
    ])
  func responsesWithoutBodyEndWithTheirHead(method: String, text: String, status: Int) throws {
    let sink = try response(text, to: HTTPRequest(HTTPMethod(rawValue: method), "/"))
    #expect(sink.events == [.begin(status), .end])
    #expect(sink.body.isEmpty)
  }

  @Test func aHeadResponseKeepsItsLength() throws {
    let sink = try response(
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", to: HTTPRequest(.head, "/"))
    #expect(sink.head?.fields.text("content-length") == "5")
  }

  @Test("B02 bytes beyond Content-Length are dropped")
  func bytesBeyondTheLengthAreDropped() throws {
    let sink = try response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\n")
    #expect(sink.bodyText == "hello")
    #expect(sink.isEnded)
  }

  @Test func leadingZerosOfALengthAreNotPassedOn() throws {
    let sink = try response("HTTP/1.1 200 OK\r\nContent-Length: 0005\r\n\r\nhello")
    #expect(sink.head?.fields.text("content-length") == "5")
    #expect(sink.bodyText == "hello")
  }

  @Test("B42 what Connection names stays behind")
  func hopByHopFieldsStayBehind() throws {
    let sink = try response(
      "HTTP/1.1 200 OK\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nX-End: 2\r\n"
        + "Content-Length: 0\r\n\r\n")
    #expect(sink.head?.fields == (try fields(("X-End", "2"), ("Content-Length", "0"))))
  }

  @Test("B41 forty cookies stay forty")
  func fortyCookiesStayForty() throws {
    let cookies = (0..<40).map { "Set-Cookie: c\($0)=\($0); Path=/\r\n" }.joined()
    let sink = try response("HTTP/1.1 200 OK\r\n\(cookies)Content-Length: 0\r\n\r\n")
    #expect(sink.head?.fields.values(of: "set-cookie").count == 40)
  }

  @Test func bytesThatAreNoTextPassUnchanged() throws {
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send(Array("HTTP/1.1 200 OK\r\nX: ".utf8) + [0xFF, 0xE9] + Array("\r\n".utf8))
      connection.send(Array("Content-Length: 4\r\n\r\n".utf8) + [0, 0xFF, 0x0A, 0])
    }
    defer { origin.stop() }
    let sink = try ClientHarness(origin).once(HTTPRequest(.get, "/"))
    #expect(sink.head?.fields.first("x").map(Array.init) == [0xFF, 0xE9])
    #expect(sink.body == [0, 0xFF, 0x0A, 0])
  }

  @Test("B29 lines may end in a bare LF")
  func linesMayEndInABareLineFeed() throws {
    let sink = try response("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello")
    #expect(sink.bodyText == "hello")
  }

  @Test("B25 a folded field is unfolded")
  func aFoldedFieldIsUnfolded() throws {
    let sink = try response("HTTP/1.1 200 OK\r\nX: a\r\n  b\r\nContent-Length: 0\r\n\r\n")
    #expect(sink.head?.fields.text("x") == "a b")
  }

  @Test("B32 interim responses are passed on, none but 100")
  func interimResponsesArePassedOn() throws {
    let sink = try response(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    #expect(sink.events == [.informational(103), .begin(200), .write(2, endsChunk: false), .end])
    #expect(sink.interim.first?.fields == (try fields(("Link", "</a>"))))
    #expect(sink.head?.fields.contains("link") == false)
  }

  @Test(
    "B38 B44 F28 every final status passes verbatim",
    arguments: [200, 301, 302, 401, 407, 417, 421, 425, 426, 429, 451, 503, 599, 999])
  func everyStatusPassesVerbatim(status: Int) throws {
    let sink = try response(
      "HTTP/1.1 \(status) S\r\nLocation: http://127.0.0.1:1/\r\nWWW-Authenticate: Basic realm=\"x\"\r\n"
        + "Content-Length: 2\r\n\r\nok")
    #expect(sink.head?.status == status)
    #expect(sink.bodyText == "ok")
  }

  @Test("F22 an event stream arrives event by event")
  func aResponseArrivesPieceByPiece() throws {
    let gate = Gate()
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 0\n\n")
      for event in 1..<100 {
        guard gate.pass() else { return }
        connection.send("data: \(event)\n\n")
      }
      gate.pass()
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    let sink = RecordingSink()
    // The origin goes on only when the event before has reached the sink.
    sink.onWrite = { _ in
      gate.open()
      return .more
    }
    sink.onOver = { harness.loop.stop() }
    harness.client.fetch(HTTPRequest(.get, "/")).start(into: sink)
    harness.loop.run()
    #expect(sink.events.count == 102)
    #expect(sink.bodyText == (0..<100).map { "data: \($0)\n\n" }.joined())
  }

  @Test func chunksCutAnywhereAreOneBody() throws {
    let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: 1\r\n\r\n"
    let origin = ScriptedOrigin { connection in
      var one: Int32 = 1
      setNoDelay(connection.descriptor, &one)
      connection.readRequest()
      for byte in text.utf8 { connection.send([byte]) }
      _ = connection.waitForClose()
    }
    defer { origin.stop() }
    let sink = try ClientHarness(origin).once(HTTPRequest(.get, "/"))
    #expect(sink.bodyText == "hello")
    #expect(sink.trailers?.text("x") == "1")
  }
}
