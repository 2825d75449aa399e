import TapedeckHTTP
import TapedeckSockets
import Testing

@testable import TapedeckUpstream

/// What the client gets when the origin cannot be reached.
@Suite struct FailureTests {
  @Test("F01 a closed port is refused")
  func aClosedPortIsRefused() throws {
    let listener = try Listener(SocketAddress(host: "127.0.0.1", port: 0))
    let port = listener.address.port
    _ = consume listener
    let sink = try ClientHarness("http://127.0.0.1:\(port)").once(HTTPRequest(.get, "/secret?token=hunter2"))
    #expect(sink.failure?.head.status == 502)
    #expect(sink.errorToken == "connection_refused")
    #expect(sink.failure?.head.fields.text("content-type") == "application/problem+json")
    #expect(sink.failureText.contains("http://127.0.0.1:\(port): Connection refused."))
    #expect(!sink.failureText.contains("hunter2"))
  }

  @Test("F02 an unknown name is a DNS error")
  func anUnknownNameIsADNSError() throws {
    let sink = try ClientHarness("http://x.invalid").once(HTTPRequest(.get, "/"))
    #expect(sink.failure?.head.status == 502)
    #expect(sink.errorToken == "dns_error")
    #expect(sink.failureText.contains("x.invalid"))
  }

  @Test("F03 leaving during a lookup does not hold up the loop")
  func leavingDuringALookupDoesNotHoldUpTheLoop() throws {
    let harness = try ClientHarness("http://x.invalid")
    let sink = RecordingSink()
    let exchange = harness.client.fetch(HTTPRequest(.get, "/"))
    exchange.start(into: sink)
    let end = harness.loop.makeTimer {
      exchange.cancel()
      harness.loop.stop()
    }
    end.set(MonotonicTime.now)
    harness.loop.run()
    #expect(harness.client.activeCount == 0)
    #expect(!sink.isOver || sink.errorToken == "dns_error")
  }

  @Test("F08 plain HTTP on a TLS port is a TLS error")
  func plainHTTPOnATLSPortIsATLSError() throws {
    let origin = ScriptedOrigin { connection in
      connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
      _ = connection.waitForClose()
    }
    defer { origin.stop() }
    let sink = try ClientHarness("https://127.0.0.1:\(origin.port)").once(HTTPRequest(.get, "/"))
    #expect(sink.failure?.head.status == 502)
    #expect(sink.errorToken == "tls_protocol_error", "\(sink.failureText)")
  }

  @Test("F08 a handshake that stalls is 504")
  func aHandshakeThatStallsIs504() throws {
    let origin = ScriptedOrigin { _ = $0.waitForClose() }
    defer { origin.stop() }
    let harness = try ClientHarness("https://127.0.0.1:\(origin.port)") {
      $0.timeouts.connectMilliseconds = 50
    }
    let sink = harness.once(HTTPRequest(.get, "/"))
    #expect(sink.failure?.head.status == 504)
    #expect(sink.errorToken == "connection_timeout", "\(sink.failureText)")
  }

  @Test("F09 a reset before the response is 502")
  func aResetBeforeTheResponseIs502() throws {
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.resetOnClose()
    }
    defer { origin.stop() }
    let sink = try ClientHarness(origin).once(HTTPRequest(.post, "/"))
    #expect(sink.failure?.head.status == 502)
    #expect(sink.errorToken == "connection_terminated", "\(sink.failureText)")
  }

  @Test func aMissingCertificateFileIsFoundAtOnce() throws {
    #expect(throws: UpstreamError.self) {
      try ClientHarness("https://localhost") { $0.caCertificatePath = "/nowhere/ca.pem" }
    }
  }

  @Test func theProblemIsWellFormed() {
    let response = UpstreamFailure(.protocolError, "a \"quoted\" \\ back\u{1}slash ü").response
    #expect(
      String(decoding: response.body, as: UTF8.self) == """
        {
          "title": "The origin's response is not valid HTTP/1.1",
          "status": 502,
          "detail": "a \\"quoted\\" \\\\ back\\u0001slash ü"
        }

        """)
    #expect(
      response.head.fields.text("proxy-status")
        == #"tapedeck; error=http_protocol_error; details="a \"quoted\" \\ back?slash ??""#)
  }

  @Test func theVersionNamesLibcurlAndItsTLS() {
    #expect(UpstreamClient.libcurlVersion.contains("."))
    #expect(UpstreamClient.libcurlVersion.contains("("))
  }
}
