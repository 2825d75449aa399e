import TapedeckHTTP
import TapedeckSockets
import Testing

@testable import TapedeckUpstream

/// Plain http spoken on a port that expects TLS.
@Suite struct TLSPortTests {
  static let pages = [
    "HTTP/1.1 400 Bad Request\r\nServer: nginx/1.22.1\r\nContent-Type: text/html\r\nContent-Length: 120\r\n"
      + "Connection: close\r\n\r\n<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head>"
      + "<body><hr><center>nginx</center></body></html>\n",
    "HTTP/1.1 400 Bad Request\r\nServer: Apache\r\nConnection: close\r\n\r\n<p>Your browser sent a request that this "
      + "server could not understand.<br />\nReason: You're speaking plain HTTP to an SSL-enabled server port.<br />\n",
    "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n",
    "HTTP/1.1 400\r\nTransfer-Encoding: chunked\r\n\r\n3c\r\nBad Request\r\nThis combination of host and port requires TLS.\r\n0\r\n\r\n",
  ]

  @Test(arguments: pages) func aPageOfATLSPortIsAFailure(page: String) throws {
    let sink = try response(page)
    #expect(sink.head == nil)
    #expect(sink.failure?.head.status == 502)
    #expect(sink.failureText.contains("the port expects TLS"), "\(sink.failureText)")
    #expect(sink.failureText.contains("the origin is https://127.0.0.1:"))
    #expect(sink.violations == 0)
  }

  @Test(arguments: [1, 7]) func aTLSAlertIsAFailure(count: Int) throws {
    let alert: [UInt8] = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send(Array(alert.prefix(count)))
    }
    defer { origin.stop() }
    let sink = try ClientHarness(origin).once(HTTPRequest(.get, "/"))
    #expect(sink.failureText.contains("the port expects TLS"), "\(sink.failureText)")
  }

  @Test func hangingUpOnPlainHTTPIsToldWithTheWayOut() throws {
    let sink = try response("")
    #expect(sink.errorToken == "http_response_incomplete")
    #expect(sink.failureText.contains("If the port expects TLS, the origin is https://127.0.0.1:"))
  }

  @Test(arguments: [0, 20, 5000, 200_000]) func another400PassesUnchanged(count: Int) throws {
    let body = String(repeating: "x", count: count)
    let sink = try response("HTTP/1.1 400 Bad Request\r\nX: 1\r\n\r\n\(body)")
    #expect(sink.head?.status == 400)
    #expect(sink.bodyText == body)
    #expect(sink.isEnded)
    #expect(sink.violations == 0)
  }
}
