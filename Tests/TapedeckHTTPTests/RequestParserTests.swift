import TestSupport
import Testing

@testable import TapedeckHTTP

/// What a parser made of some bytes.
private enum Outcome: Equatable {
  case requests([HTTPRequest])
  case error(HTTPParseError, after: Int)
}

private func parse(_ bytes: [UInt8], cutAt pieceSize: Int, _ limits: HTTPLimits = HTTPLimits()) -> Outcome {
  var parser = HTTP1RequestParser(limits: limits)
  var requests: [HTTPRequest] = []
  for start in stride(from: 0, to: bytes.count, by: pieceSize) {
    let piece = Array(bytes[start..<min(start + pieceSize, bytes.count)])
    do throws(HTTPParseError) {
      try piece.withRawBytes { buffer throws(HTTPParseError) in
        var offset = 0
        while true {
          switch try parser.next(buffer, at: &offset) {
          case .request(let request): requests.append(request)
          case .continueExpected, .upload: break
          case nil: if offset == buffer.count { return }
          }
        }
      }
    } catch {
      return .error(error, after: requests.count)
    }
  }
  return .requests(requests)
}

/// Every case three ways: whole, byte by byte, and cut in two at every boundary.
private func parse(_ text: String) -> Outcome {
  let bytes = Array(text.utf8)
  let whole = parse(bytes, cutAt: max(1, bytes.count))
  #expect(parse(bytes, cutAt: 1) == whole, "byte by byte")
  for boundary in 1..<max(2, bytes.count) {
    #expect(parse(bytes, cutAt: boundary) == whole, "cut at \(boundary)")
  }
  return whole
}

private func requests(_ text: String) -> [HTTPRequest] {
  guard case .requests(let requests) = parse(text) else { return [] }
  return requests
}

private let host = "Host: h\r\n"

@Test func `a plain GET`() throws {
  let request = try #require(requests("GET /users?page=2 HTTP/1.1\r\n\(host)Accept:  */* \r\n\r\n").first)
  #expect(request.method == .get)
  #expect(request.targetText == "/users?page=2")
  #expect(request.path.elementsEqual("/users".utf8))
  #expect(request.query?.elementsEqual("page=2".utf8) == true)
  #expect(request.fields.text("accept") == "*/*")
  #expect(request.authority == Array("h".utf8))
  #expect(request.keepsAlive)
}

@Test func `header case, order and duplicates are kept`() throws {
  let request = try #require(requests("GET / HTTP/1.1\r\n\(host)X-b: 1\r\nx-A: 2\r\nX-b: 3\r\n\r\n").first)
  #expect(request.fields.map { String(decoding: $0.name, as: UTF8.self) } == ["Host", "X-b", "x-A", "X-b"])
  #expect(request.fields.values(of: "x-b").map { String(decoding: $0, as: UTF8.self) } == ["1", "3"])
}

@Test func `bytes above ASCII in a value are kept`() throws {
  let head = Array("GET / HTTP/1.1\r\n\(host)X: ".utf8) + [0xE9, 0xFF] + Array("\r\n\r\n".utf8)
  guard case .requests(let requests) = parse(head, cutAt: 1) else { return #expect(Bool(false)) }
  #expect(requests.first?.fields.first("x")?.elementsEqual([0xE9, 0xFF]) == true)
}

@Test func `fixed and chunked bodies`() {
  #expect(
    requests("POST / HTTP/1.1\r\n\(host)Content-Length: 5\r\n\r\nhello").first?.body == Array("hello".utf8))
  let chunked = requests(
    "POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n5;a=\"b\"\r\nhello\r\n6\r\n world\r\n0\r\nX-T: 1\r\n\r\n"
  ).first
  #expect(chunked?.body == Array("hello world".utf8))
  #expect(chunked?.trailers.text("x-t") == "1")
}

@Test func `pipelined requests come out in order`() {
  let text =
    "GET /1 HTTP/1.1\r\n\(host)\r\nPOST /2 HTTP/1.1\r\n\(host)Content-Length: 2\r\n\r\nhiGET /3 HTTP/1.1\r\n\(host)\r\n"
  #expect(requests(text).map(\.targetText) == ["/1", "/2", "/3"])
}

@Test(arguments: [
  ("GET http://o:81/p?q HTTP/1.1\r\nHost: other\r\n\r\n", "/p?q", "o:81"),
  ("GET http://o?x=1 HTTP/1.1\r\nHost: o\r\n\r\n", "/?x=1", "o"),
  ("OPTIONS http://o HTTP/1.1\r\nHost: o\r\n\r\n", "*", "o"),
  ("OPTIONS * HTTP/1.1\r\nHost: o\r\n\r\n", "*", "o"),
  ("GET /a/../b//%2e%7E?x=%zz&&= HTTP/1.1\r\nHost: o\r\n\r\n", "/a/../b//%2e%7E?x=%zz&&=", "o"),
])
func `targets`(_ text: String, target: String, authority: String) throws {
  let request = try #require(requests(text).first)
  #expect(request.targetText == target)
  #expect(request.authority == Array(authority.utf8))
}

@Test func `field lines said again are read as the first time`() throws {
  let lines = "\(host)X-Long: a value of several words\r\nContent-Length: 2\r\n\r\n"
  let text = [
    "POST /1 HTTP/1.1\r\n\(lines)ab", "PUT /22?x=1 HTTP/1.1\r\n\(lines)cd",
    "POST http://o:80/3 HTTP/1.1\r\n\(lines)ef", "POST /4 HTTP/1.0\r\n\(lines)gh",
    "\r\nPOST /5 HTTP/1.1\r\n\(lines)ij",
    "POST /6 HTTP/1.1\r\n\(lines.dropLast())Connection: close\r\n\r\nkl",
    "POST /7 HTTP/1.1\r\n\(lines)mn",
  ].joined()
  let all = requests(text)
  try #require(all.count == 7)
  let bodies = ["ab", "cd", "ef", "gh", "ij", "kl", "mn"]
  #expect(all.map { String(decoding: $0.body, as: UTF8.self) } == bodies)
  #expect(
    all.map { String(decoding: $0.authority, as: UTF8.self) } == ["h", "h", "o:80", "h", "h", "h", "h"])
  #expect(all.map(\.keepsAlive) == [true, true, true, false, true, false, true])
  for index in [1, 3, 4, 6] { #expect(all[index].fields == all[0].fields) }
  // RFC 9112 §3.2.2: the authority of the target replaces what Host says.
  #expect(all[2].fields.text("host") == "o:80")
  #expect(all[5].fields.count == 4)
}

@Test func `what HTTP 1_0 may go without is missed in HTTP 1_1 all the same`() {
  #expect(
    parse("GET /1 HTTP/1.0\r\nA: b\r\n\r\nGET /2 HTTP/1.1\r\nA: b\r\n\r\n") == .error(.badHost, after: 1))
}

@Test func `field lines said again count against the limit of their own head`() {
  let lines = "\(host)X: \(String(repeating: "a", count: 500))\r\n\r\n"
  var limits = HTTPLimits()
  limits.headBytes = 600
  for cut in [1, 7, 4096] {
    let text = "GET /1 HTTP/1.1\r\n\(lines)GET /\(String(repeating: "2", count: 100)) HTTP/1.1\r\n\(lines)"
    #expect(parse(Array(text.utf8), cutAt: cut, limits) == .error(.headTooLarge, after: 1))
  }
}

@Test(arguments: [
  ("GET / HTTP/1.0\r\n\r\n", false), ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false),
  ("GET / HTTP/1.1\r\nHost: h\r\n\r\n", true),
  ("GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n", false),
])
func `persistence`(_ text: String, keepsAlive: Bool) throws {
  #expect(try #require(requests(text).first).keepsAlive == keepsAlive)
}

@Test(arguments: [
  ("GET  / HTTP/1.1\r\n\(host)\r\n", HTTPParseError.badRequestLine),
  ("GET / HTTP/1.1\n\(host)\n", .badRequestLine),
  ("GET /\r\n\r\n", .badRequestLine),
  ("GET / HTTP/2.0\r\n\(host)\r\n", .unsupportedVersion),
  ("GET / http/1.1\r\n\(host)\r\n", .badRequestLine),
  ("G=T / HTTP/1.1\r\n\(host)\r\n", .badRequestLine),
  ("GET /a\u{7F} HTTP/1.1\r\n\(host)\r\n", .badTarget),
  ("GET /#f HTTP/1.1\r\n\(host)\r\n", .badTarget),
  ("GET admin HTTP/1.1\r\n\(host)\r\n", .badTarget),
  ("GET http://u:p@o/ HTTP/1.1\r\n\(host)\r\n", .badTarget),
  ("GET ftp://o/ HTTP/1.1\r\n\(host)\r\n", .badTarget),
  ("CONNECT o:443 HTTP/1.1\r\n\(host)\r\n", .connectUnsupported),
  ("GET / HTTP/1.1\r\n\r\n", .badHost),
  ("GET / HTTP/1.1\r\n\(host)\(host)\r\n", .badHost),
  ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", .badHost),
  ("GET / HTTP/1.1\r\n\(host)Name : v\r\n\r\n", .badField),
  ("GET / HTTP/1.1\r\n\(host): v\r\n\r\n", .badField),
  ("GET / HTTP/1.1\r\n\(host)X: a\r\n b\r\n\r\n", .badField),
  ("GET / HTTP/1.1\r\n\(host)X: a\u{0}b\r\n\r\n", .badField),
  ("GET / HTTP/1.1\r\n\(host)X: a\rb\r\n\r\n", .badField),
  ("POST / HTTP/1.1\r\n\(host)Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", .badContentLength),
  ("POST / HTTP/1.1\r\n\(host)Content-Length: +5\r\n\r\nhello", .badContentLength),
  ("POST / HTTP/1.1\r\n\(host)Content-Length: 18446744073709551621\r\n\r\nhello", .badContentLength),
  (
    "POST / HTTP/1.1\r\n\(host)Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG",
    .conflictingFraming
  ),
  ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chun\u{212A}ed\r\n\r\n0\r\n\r\n", .badTransferEncoding),
  ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", .unsupportedTransferCoding),
  ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", .badTransferEncoding),
  ("POST / HTTP/1.0\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .badTransferEncoding),
  ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n", .badChunk),
  ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n", .badChunk),
  ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n5;\r\nhello\r\n0\r\n\r\n", .badChunk),
  ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n", .badChunk),
  ("POST / HTTP/1.1\r\n\(host)Expect: 200-ok\r\nContent-Length: 1\r\n\r\nx", .unsupportedExpectation),
])
func `what has no single meaning is refused`(_ text: String, error: HTTPParseError) {
  #expect(parse(text) == .error(error, after: 0))
}

@Test func `a good request before a bad one is answered first`() {
  #expect(
    parse("GET /1 HTTP/1.1\r\n\(host)\r\nGET /2 HTTP/9.9\r\n\r\n") == .error(.unsupportedVersion, after: 1))
}

@Test func `limits hold before memory grows`() {
  let long = String(repeating: "a", count: 20_000)
  #expect(
    parse(Array("GET /\(long) HTTP/1.1\r\n\(host)\r\n".utf8), cutAt: 1000) == .error(.targetTooLong, after: 0)
  )
  let fields = (0..<101).map { "X\($0): 1\r\n" }.joined()
  #expect(
    parse(Array("GET / HTTP/1.1\r\n\(host)\(fields)\r\n".utf8), cutAt: 100)
      == .error(.tooManyFields, after: 0))
  #expect(
    parse(
      Array("GET / HTTP/1.1\r\n\(host)X: \(String(repeating: "a", count: 70_000))\r\n\r\n".utf8), cutAt: 4096)
      == .error(.headTooLarge, after: 0))
}

@Test func `mutations give requests or an error, never a trap`() {
  let seed = Array(
    "POST /a?b=c HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\nX: y\r\n\r\n5;a=b\r\nhello\r\n0\r\nT: 1\r\n\r\n"
      .utf8)
  var random = SeededGenerator(42)
  for _ in 0..<20_000 {
    var bytes = seed
    for _ in 0...random.below(3) { random.mutate(&bytes) }
    let whole = parse(bytes, cutAt: max(1, bytes.count))
    #expect(parse(bytes, cutAt: 1 + random.below(7)) == whole)
  }
}
