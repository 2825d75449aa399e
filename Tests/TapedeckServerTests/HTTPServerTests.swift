import Glibc
import TapedeckHTTP
import TapedeckServer
import TapedeckSockets
import Testing

/// Answers `/stream/N` with N pieces, everything else with its own target and body.
private final class Echo: Responder {
  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    if request.targetText == "/none" { return nil }
    if request.targetText.hasPrefix("/stream/") {
      return ServedResponse(.stream(Pieces(count: Int(request.targetText.dropFirst(8)) ?? 0)), by: .upstream)
    }
    let status = request.targetText == "/empty" ? 204 : 200
    let body = request.target + [UInt8(ascii: "|")] + request.body
    return ServedResponse(
      .response(HTTPResponse(status: status, contentType: "text/plain", body: body)), by: .route)
  }
}

/// A source that minds what the sink demands.
private final class Pieces: ResponseSource {
  static let size = 64 * 1024
  private var left: Int
  private var sink: (any ResponseSink)?
  private let piece = [UInt8](repeating: UInt8(ascii: "x"), count: size)

  init(count: Int) { left = count }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    sink.begin(HTTPResponseHead(status: 200), framing: .chunked)
    resume()
  }

  func resume() {
    while let sink {
      guard left > 0 else {
        self.sink = nil
        return sink.end(trailers: HTTPFields())
      }
      left -= 1
      if piece.withUnsafeBytes({ sink.write($0, endsChunk: true) }) != .more { return }
    }
  }

  func cancel() { sink = nil }
}

private func withServer(_ body: (UInt16) throws -> Void) throws {
  let server = try HTTPServer(
    address: SocketAddress(host: "127.0.0.1", port: 0), threads: 2, makeResponder: { _ in Echo() })
  defer { server.stop(graceMilliseconds: 1000) }
  try body(server.address.port)
}

/// A client that says exactly these bytes, and hears until the server has nothing more to say.
private func talk(_ port: UInt16, _ text: String, finishesSending: Bool = true) throws -> String {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  let connected = withUnsafeBytes(of: &address) {
    connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
  }
  try #require(connected == 0)
  var timeout = timeval(tv_sec: 10, tv_usec: 0)
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  let bytes = Array(text.utf8)
  _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  if finishesSending { shutdown(descriptor, Int32(SHUT_WR)) }
  var answer: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { break }
    answer += buffer[..<count]
  }
  return String(decoding: answer, as: UTF8.self)
}

private func statuses(_ answer: String) -> [String] {
  answer.split(separator: "HTTP/1.1 ", omittingEmptySubsequences: false).dropFirst().map {
    String($0.prefix(3))
  }
}

@Test func `a half-closed client gets its answer`() throws {
  try withServer { port in
    let answer = try talk(port, "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi")
    #expect(answer.hasSuffix("\r\n\r\n/a|hi"))
  }
}

@Test func `a thousand pipelined requests are answered in order`() throws {
  try withServer { port in
    let requests = (0..<1000).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined()
    let answer = try talk(port, requests)
    let order = answer.split(separator: "\r\n\r\n").dropFirst().map { $0.prefix { $0 != "|" } }
    let firstWrong = zip(order, 0..<1000).first { $0 != "/\($1)" }
    #expect(order.count == 1000 && firstWrong == nil)
  }
}

@Test func `pipelined requests behind a stream wait for it`() throws {
  try withServer { port in
    let answer = try talk(
      port, "GET /stream/40 HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(answer.utf8.filter { $0 == UInt8(ascii: "x") }.count >= 40 * Pieces.size)
    #expect(statuses(answer) == ["200", "200"])
    #expect(answer.hasSuffix("\r\n\r\n/b|"))
  }
}

@Test func `HEAD and 204 carry no body`() throws {
  try withServer { port in
    let answer = try talk(
      port,
      "HEAD /a HTTP/1.1\r\nHost: h\r\n\r\nGET /empty HTTP/1.1\r\nHost: h\r\n\r\nGET /c HTTP/1.1\r\nHost: h\r\n\r\n"
    )
    #expect(statuses(answer) == ["200", "204", "200"])
    #expect(!answer.contains("/a|"))
    #expect(answer.hasSuffix("/c|"))
  }
}

@Test func `an HTTP/1.0 client gets no chunks, and the end of the connection`() throws {
  try withServer { port in
    let answer = try talk(port, "GET /stream/2 HTTP/1.0\r\n\r\n", finishesSending: false)
    #expect(!answer.lowercased().contains("transfer-encoding"))
    let body = answer.drop { $0 != "x" }
    #expect(body.utf8.count == 2 * Pieces.size)
  }
}

@Test func `a bad request is answered, then the connection ends, and what follows is not read`() throws {
  try withServer { port in
    let answer = try talk(
      port, "GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\n\r\nGET /c HTTP/1.1\r\nHost: h\r\n\r\n",
      finishesSending: false)
    #expect(statuses(answer) == ["200", "400"])
    #expect(answer.contains("Connection: close"))
  }
}

@Test func `close is honoured, and 100-continue is given`() throws {
  try withServer { port in
    let answer = try talk(
      port, "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
      finishesSending: false)
    #expect(statuses(answer) == ["200"])
    let expecting = try talk(
      port, "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    #expect(expecting == "HTTP/1.1 100 Continue\r\n\r\n")
  }
}

@Test func `what nobody answers is 404`() throws {
  try withServer { port in
    let answer = try talk(port, "GET /none HTTP/1.1\r\nHost: h\r\n\r\n")
    #expect(statuses(answer) == ["404"])
  }
}
