import TapedeckHTTP
import TapedeckSockets
import Testing

@testable import TapedeckUpstream

/// Responses that a proxy must refuse, most of which libcurl 7.88.1 calls a success.
@Suite struct MalformedResponseTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var id: String
    var text: String
    var token = "http_protocol_error"
    var testDescription: String { id }
  }

  static let ok = "HTTP/1.1 200 OK\r\n"
  static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  static let refusedHeads: [Row] = [
    Row(id: "B04 lengths 5, 3", text: ok + "Content-Length: 5\r\nContent-Length: 3\r\n\r\nhello"),
    Row(id: "B04 lengths 3, 5", text: ok + "Content-Length: 3\r\nContent-Length: 5\r\n\r\nhello"),
    Row(id: "B05 length list", text: ok + "Content-Length: 5, 6\r\n\r\nhello"),
    Row(id: "B05 list with a gap", text: ok + "Content-Length: 5,\r\n\r\nhello"),
    Row(id: "B05 list and field", text: ok + "Content-Length: 5, 5\r\nContent-Length: 6\r\n\r\nhello"),
    Row(id: "B06 length 5abc", text: ok + "Content-Length: 5abc\r\n\r\nhello"),
    Row(id: "B06 length +5", text: ok + "Content-Length: +5\r\n\r\nhello"),
    Row(id: "B07 length 0x5", text: ok + "Content-Length: 0x5\r\n\r\nhello"),
    Row(id: "B08 20 nines", text: ok + "Content-Length: 99999999999999999999\r\n\r\nhello"),
    Row(id: "B09 length -5", text: ok + "Content-Length: -5\r\n\r\nhello"),
    Row(id: "B09 empty length", text: ok + "Content-Length: \r\n\r\nhello"),
    Row(
      id: "B10 length and chunked",
      text: ok + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
    Row(
      id: "B11 chunked twice", text: ok + "Transfer-Encoding: chunked, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    ),
    Row(id: "B12 coding xyz", text: ok + "Transfer-Encoding: xyz\r\n\r\nhello"),
    Row(
      id: "B13 length and chunked in 1.0",
      text:
        "HTTP/1.0 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
    Row(id: "B19 cut in the head", text: ok + "Content-Len", token: "http_response_incomplete"),
    Row(id: "B19 cut after a line", text: ok + "Content-Length: 5\r\n", token: "http_response_incomplete"),
    Row(id: "B23 empty", text: "", token: "http_response_incomplete"),
    Row(id: "B24 blank before colon", text: ok + "Content-Length : 5\r\n\r\nhello"),
    Row(id: "B26 folded length", text: ok + "Content-Length:\r\n 5\r\n\r\nhello"),
    Row(id: "B27 bare CR", text: ok + "X: a\rb\r\nContent-Length: 5\r\n\r\nhello"),
    Row(id: "B28 NUL", text: ok + "X: a\u{0}b\r\nContent-Length: 5\r\n\r\nhello"),
    Row(id: "B28 no colon", text: ok + "nonsense\r\nContent-Length: 5\r\n\r\nhello"),
    Row(id: "B30 HTTP/0.9", text: "hello"),
    Row(id: "B30 two digits", text: "HTTP/1.1 99 X\r\n\r\n"),
    Row(id: "B30 four digits", text: "HTTP/1.1 1000 X\r\n\r\n"),
    Row(id: "B30 no status", text: "HTTP/1.1\r\n\r\n"),
    Row(id: "B30 version 3.7", text: "HTTP/3.7 200 OK\r\n\r\n"),
    Row(id: "B30 leading CRLF", text: "\r\n" + ok + "\r\n"),
    Row(id: "B31 lower case", text: "http/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
    Row(id: "B31 version 2.0", text: "HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
    Row(id: "B33 101 unasked", text: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nbytes"),
    Row(id: "F13 HTTP/2 preface", text: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    Row(
      id: "B39 a line of 1 MB", text: ok + "X: " + String(repeating: "x", count: 1 << 20) + "\r\n\r\n",
      token: "http_response_header_section_size"),
    Row(
      id: "B40 10,000 lines", text: ok + String(repeating: "X: y\r\n", count: 10_000) + "\r\n",
      token: "http_response_header_section_size"),
    Row(
      id: "B32 50 × 100",
      text: String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 50) + ok + "Content-Length: 0\r\n\r\n",
      token: "http_response_header_section_size"),
  ]

  @Test(arguments: refusedHeads) func aRefusedHeadIs502(row: Row) throws {
    let sink = try response(row.text)
    #expect(sink.head == nil)
    #expect(sink.failure?.head.status == 502)
    #expect(sink.errorToken == row.token, "\(sink.failureText)")
    #expect(!sink.isEnded)
    #expect(sink.violations == 0)
  }

  static let brokenBodies: [Row] = [
    Row(id: "B01 short", text: ok + "Content-Length: 10\r\n\r\nhello", token: "http_response_incomplete"),
    Row(id: "B14 size 0x7", text: chunked + "0x7\r\nX: y\r\n\r\n\r\n0\r\n\r\n"),
    Row(id: "B15 size with junk", text: chunked + "5 junk!!\r\nhello\r\n0\r\n\r\n"),
    Row(id: "B15 blank before the size", text: chunked + " 5\r\nhello\r\n0\r\n\r\n"),
    Row(id: "B15 blank inside the size", text: chunked + "0 5\r\nhello\r\n0\r\n\r\n"),
    Row(id: "B16 bare LF", text: chunked + "5\nhello\n0\n\n"),
    Row(id: "B17 size +5", text: chunked + "+5\r\nhello\r\n0\r\n\r\n"),
    Row(id: "B17 17 digits", text: chunked + "00000000000000005\r\nhello\r\n0\r\n\r\n"),
    Row(id: "B17 overflow", text: chunked + "FFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n"),
    Row(id: "B17 overrun", text: chunked + "5\r\nhello!\r\n0\r\n\r\n"),
    Row(id: "B18 no last chunk", text: chunked + "5\r\nhello\r\n", token: "http_response_incomplete"),
    Row(
      id: "B18 no final line end", text: chunked + "5\r\nhello\r\n0\r\n", token: "http_response_incomplete"),
    Row(
      id: "B18 cut in a trailer", text: chunked + "5\r\nhello\r\n0\r\nX: 1\r\n",
      token: "http_response_incomplete"
    ),
    Row(id: "trailer without colon", text: chunked + "5\r\nhello\r\n0\r\nnonsense\r\n\r\n"),
  ]

  @Test(arguments: brokenBodies) func aBrokenBodyNeverEnds(row: Row) throws {
    let sink = try response(row.text)
    #expect(sink.head?.status == 200)
    #expect(sink.errorToken == row.token, "\(sink.failureText)")
    #expect(!sink.isEnded)
    #expect(sink.violations == 0)
  }

  @Test("B21 F17 a reset in a body without length is no end")
  func aResetInsideACloseDelimitedBodyIsIncomplete() throws {
    let gate = Gate()
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\n\r\nsome")
      gate.pass()
      connection.resetOnClose()
    }
    defer { origin.stop() }
    let harness = try ClientHarness(origin)
    let sink = RecordingSink()
    sink.onWrite = { _ in
      gate.open()
      return .more
    }
    sink.onOver = { harness.loop.stop() }
    harness.client.fetch(HTTPRequest(.get, "/")).start(into: sink)
    harness.loop.run()
    #expect(sink.bodyText == "some")
    #expect(sink.failure != nil)
    #expect(!sink.isEnded)
  }
}
