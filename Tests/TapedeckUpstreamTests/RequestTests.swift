import TapedeckHTTP
import TapedeckSockets
import Testing

@testable import TapedeckUpstream

/// What the origin sees on the wire, byte for byte.
@Suite struct RequestTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var request: HTTPRequest
    var wire: String
    var adjust: @Sendable (inout UpstreamConfiguration) -> Void = { _ in }
    var prefix = ""
    var testDescription: String { name }
  }

  static func request(
    _ method: String, _ target: String, _ lines: [(String, String)] = [], body: String = "",
    authority: String = "", trailers: [(String, String)] = []
  ) -> HTTPRequest {
    var fields = HTTPFields()
    for (name, value) in lines { try? fields.append(name, value) }
    var request = HTTPRequest(
      HTTPMethod(rawValue: method), target, fields: fields, body: Array(body.utf8))
    request.authority = Array(authority.utf8)
    for (name, value) in trailers { try? request.trailers.append(name, value) }
    return request
  }

  static let rows: [Row] = [
    Row(name: "nothing is added", request: request("GET", "/"), wire: "GET / HTTP/1.1\nHost: ORIGIN\n\n"),
    Row(
      name: "order, case and duplicates stay",
      request: request(
        "GET", "/a",
        [
          ("X-b", "2"), ("host", "me:8080"), ("x-A", "1"), ("X-b", "3"), ("ACCEPT", "*/*"),
          ("user-agent", "me"),
          ("cookie", "a=1"), ("Cookie", "b=2"), ("authorization", "Bearer t"),
        ]),
      wire:
        "GET /a HTTP/1.1\nHost: ORIGIN\nX-b: 2\nx-A: 1\nX-b: 3\nACCEPT: */*\nuser-agent: me\ncookie: a=1\n"
        + "Cookie: b=2\nauthorization: Bearer t\n\n"),
    Row(
      name: "an empty value stays empty", request: request("GET", "/", [("X-Empty", ""), ("Accept", "")]),
      wire: "GET / HTTP/1.1\nHost: ORIGIN\nX-Empty:\nAccept:\n\n"),
    Row(
      name: "hop-by-hop fields stay behind",
      request: request(
        "GET", "/",
        [
          ("Connection", "keep-alive, X-Hop"), ("X-Hop", "1"), ("TE", "trailers"), ("Upgrade", "h2c"),
          ("Keep-Alive", "5"), ("Proxy-Connection", "close"), ("Proxy-Authorization", "x"), ("X", "1"),
        ]), wire: "GET / HTTP/1.1\nHost: ORIGIN\nX: 1\nTE: trailers\nConnection: TE\n\n"),
    Row(
      name: "A89 of TE only trailers goes on",
      request: request("GET", "/", [("TE", "gzip;q=0.5, Trailers"), ("X", "1")]),
      wire: "GET / HTTP/1.1\nHost: ORIGIN\nX: 1\nTE: trailers\nConnection: TE\n\n"),
    Row(
      name: "A89 TE without trailers stays behind", request: request("GET", "/", [("TE", "gzip")]),
      wire: "GET / HTTP/1.1\nHost: ORIGIN\n\n"),
    Row(
      name: "A52 trailers follow the body",
      request: request(
        "PUT", "/", [("Transfer-Encoding", "chunked"), ("Trailer", "X-Sum")], body: "hello",
        trailers: [("X-Sum", "42"), ("x-sum", "43")]),
      wire: "PUT / HTTP/1.1\nHost: ORIGIN\nTrailer: X-Sum\nTransfer-Encoding: chunked\n\n5\nhello\n0\n"
        + "X-Sum: 42\nx-sum: 43\n\n"),
    Row(
      name: "A52 trailers follow an empty body",
      request: request("POST", "/", [("Content-Length", "0")], trailers: [("X-Sum", "0")]),
      wire: "POST / HTTP/1.1\nHost: ORIGIN\nTransfer-Encoding: chunked\n\n0\nX-Sum: 0\n\n"),
    Row(
      name: "the target is not touched",
      request: request("GET", "/a/../b//./%2e%2E/%zz;x=1?q=a b&&=%00?/../x".replacing(" ", with: "%20")),
      wire: "GET /a/../b//./%2e%2E/%zz;x=1?q=a%20b&&=%00?/../x HTTP/1.1\nHost: ORIGIN\n\n"),
    Row(
      name: "the prefix goes before the target", request: request("GET", "/users?x"),
      wire: "GET /v2/users?x HTTP/1.1\nHost: ORIGIN\n\n", prefix: "/v2/"),
    Row(
      name: "the asterisk stays", request: request("OPTIONS", "*"),
      wire: "OPTIONS * HTTP/1.1\nHost: ORIGIN\n\n", prefix: "/v2"),
    Row(
      name: "encodings become identity, in place",
      request: request("GET", "/", [("A", "1"), ("accept-Encoding", "gzip, br"), ("B", "2")]),
      wire: "GET / HTTP/1.1\nHost: ORIGIN\nA: 1\naccept-Encoding: identity\nB: 2\n\n"),
    Row(
      name: "encodings pass when asked", request: request("GET", "/", [("Accept-Encoding", "gzip, br")]),
      wire: "GET / HTTP/1.1\nHost: ORIGIN\nAccept-Encoding: gzip, br\n\n",
      adjust: { $0.passesEncodings = true }),
    Row(
      name: "the client's host passes when asked",
      request: request("GET", "/", [("Host", "me.test:8080")], authority: "me.test:8080"),
      wire: "GET / HTTP/1.1\nHost: me.test:8080\n\n", adjust: { $0.preservesHost = true }),
    Row(
      name: "a body with its length",
      request: request(
        "POST", "/", [("Content-Type", "text/plain"), ("content-length", "0005"), ("X", "1")], body: "hello"),
      wire: "POST / HTTP/1.1\nHost: ORIGIN\nContent-Type: text/plain\ncontent-length: 5\nX: 1\n\nhello"),
    Row(
      name: "a body without type", request: request("POST", "/", [("Content-Length", "5")], body: "hello"),
      wire: "POST / HTTP/1.1\nHost: ORIGIN\nContent-Length: 5\n\nhello"),
    Row(
      name: "a chunked body gets its length",
      request: request("PUT", "/", [("Transfer-Encoding", "chunked"), ("Trailer", "X")], body: "hello"),
      wire: "PUT / HTTP/1.1\nHost: ORIGIN\nContent-Length: 5\n\nhello"),
    Row(
      name: "an empty chunked body too", request: request("POST", "/", [("Transfer-Encoding", "chunked")]),
      wire: "POST / HTTP/1.1\nHost: ORIGIN\nContent-Length: 0\n\n"),
    Row(
      name: "an expectation was met already",
      request: request("POST", "/", [("Expect", "100-continue"), ("Content-Length", "5")], body: "hello"),
      wire: "POST / HTTP/1.1\nHost: ORIGIN\nContent-Length: 5\n\nhello"),
    Row(
      name: "POST without body and length", request: request("POST", "/"),
      wire: "POST / HTTP/1.1\nHost: ORIGIN\n\n"),
    Row(
      name: "POST of nothing", request: request("POST", "/", [("Content-Length", "0")]),
      wire: "POST / HTTP/1.1\nHost: ORIGIN\nContent-Length: 0\n\n"),
    Row(
      name: "GET with a body", request: request("GET", "/", [("Content-Length", "5")], body: "hello"),
      wire: "GET / HTTP/1.1\nHost: ORIGIN\nContent-Length: 5\n\nhello"),
    Row(
      name: "HEAD with a body", request: request("HEAD", "/", [("Content-Length", "5")], body: "hello"),
      wire: "HEAD / HTTP/1.1\nHost: ORIGIN\nContent-Length: 5\n\nhello"),
    Row(name: "HEAD", request: request("HEAD", "/"), wire: "HEAD / HTTP/1.1\nHost: ORIGIN\n\n"),
    Row(
      name: "DELETE with a body", request: request("DELETE", "/", [("Content-Length", "2")], body: "{}"),
      wire: "DELETE / HTTP/1.1\nHost: ORIGIN\nContent-Length: 2\n\n{}"),
    Row(name: "a lower-case method", request: request("get", "/"), wire: "get / HTTP/1.1\nHost: ORIGIN\n\n"),
    Row(
      name: "an unknown method", request: request("M-SEARCH", "/"),
      wire: "M-SEARCH / HTTP/1.1\nHost: ORIGIN\n\n"),
    Row(
      name: "conditions and ranges are the client's",
      request: request("GET", "/", [("Range", "bytes=0-4"), ("If-None-Match", "\"a\""), ("Referer", "r")]),
      wire: "GET / HTTP/1.1\nHost: ORIGIN\nRange: bytes=0-4\nIf-None-Match: \"a\"\nReferer: r\n\n"),
  ]

  @Test(arguments: rows) func theWireIsExactly(row: Row) throws {
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
      connection.send("ok")
    }
    defer { origin.stop() }
    let sink = try ClientHarness(origin, prefix: row.prefix, row.adjust).once(row.request)
    let wire = row.wire.replacing("ORIGIN", with: "127.0.0.1:\(origin.port)")
      .split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
    #expect(origin.requests == [wire])
    #expect(sink.isEnded)
  }

  @Test func headerBytesThatAreNoTextPassUnchanged() throws {
    var fields = HTTPFields()
    try fields.append(name: Array("X".utf8), value: [0xFF, 0xC3, 0xE9])
    let request = HTTPRequest(.get, "/", fields: fields)
    let sent = OutgoingRequest.fields(
      of: request, authority: "h", preservesHost: false, passesEncodings: false)
    let outgoing = OutgoingRequest(request, fields: sent, prefix: "", added: HTTPFields())
    #expect(
      outgoing.start.contains([0x0A, UInt8(ascii: "X"), UInt8(ascii: ":"), 0x20, 0xFF, 0xC3, 0xE9, 0x0D]))
  }

  @Test func aLargeBodyArrivesWhole() throws {
    let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 % 251 + 1) & 0x7F }
    let origin = ScriptedOrigin { connection in
      connection.readRequest()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    defer { origin.stop() }
    let request = HTTPRequest(
      .post, "/", fields: try fields(("Content-Length", "\(body.count)")), body: body)
    let sink = try ClientHarness(origin).once(request)
    #expect(sink.isEnded)
    #expect(origin.requests.first?.utf8.suffix(body.count).elementsEqual(body) == true)
    #expect(origin.requests.first?.contains("Expect") == false)
  }

  @Test(arguments: ["/a b", "/a\r\nX: y", "", "/\u{7F}"])
  func aTargetThatWouldSplitTheRequestIsNotSent(target: String) throws {
    let origin = ScriptedOrigin { _ in }
    defer { origin.stop() }
    let sink = try ClientHarness(origin).once(HTTPRequest(.get, target))
    #expect(sink.failure?.head.status == 400)
    #expect(origin.connectionCount == 0)
  }

  @Test func oneClientCarriesMixedRequestsWithoutLeftovers() throws {
    let origin = ScriptedOrigin { connection in
      while connection.readRequest() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
        connection.send("ok")
      }
    }
    defer { origin.stop() }
    let requests = [
      Self.request("POST", "/1", [("Content-Type", "a/b"), ("Content-Length", "5")], body: "hello"),
      Self.request("GET", "/2"), Self.request("HEAD", "/3"), Self.request("PUT", "/4"),
      Self.request("DELETE", "/5", [("Content-Length", "1")], body: "x"), Self.request("GET", "/6"),
    ]
    let sinks = try ClientHarness(origin).inTurn(requests)
    let host = "Host: 127.0.0.1:\(origin.port)\r\n"
    #expect(sinks.map(\.bodyText) == ["ok", "ok", "", "ok", "ok", "ok"])
    #expect(
      origin.requests == [
        "POST /1 HTTP/1.1\r\n\(host)Content-Type: a/b\r\nContent-Length: 5\r\n\r\nhello",
        "GET /2 HTTP/1.1\r\n\(host)\r\n", "HEAD /3 HTTP/1.1\r\n\(host)\r\n",
        "PUT /4 HTTP/1.1\r\n\(host)\r\n",
        "DELETE /5 HTTP/1.1\r\n\(host)Content-Length: 1\r\n\r\nx",
        "GET /6 HTTP/1.1\r\n\(host)\r\n",
      ])
  }
}
