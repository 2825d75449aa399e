import TapedeckHTTP
import TapedeckSockets
import Testing

@testable import TapedeckProxy

private func request(_ method: HTTPMethod, _ pairs: [(String, String)], body: [UInt8] = []) throws
  -> HTTPRequest
{
  var fields = HTTPFields()
  for (name, value) in pairs { try fields.append(name, value) }
  return HTTPRequest(method, "/x", fields: fields, body: body)
}

private func status(_ verdict: RequestPolicy.Verdict) -> Int? {
  if case .respond(let response) = verdict { response.head.status } else { nil }
}

@Test func `A90 a request that has passed us before is a loop`() throws {
  let verdict = RequestPolicy.verdict(on: try request(.get, [("Via", "1.0 fred, 1.1 tapedeck")]))
  #expect(status(verdict) == 508)
  #expect(status(RequestPolicy.verdict(on: try request(.get, [("Via", "1.1 fred")]))) == nil)
}

@Test(
  arguments: [
    ("0", 204, nil), ("1", nil, "0"), ("070", nil, "69"), ("-1", 400, nil), ("1x", 400, nil),
    ("1180591620717411303424", 400, nil),
  ] as [(String, Int?, String?)])
func `A91 Max-Forwards of OPTIONS is counted down`(_ hops: String, answered: Int?, onward: String?) throws {
  let verdict = RequestPolicy.verdict(
    on: try request(.options, [("A", "b"), ("max-forwards", hops), ("C", "d")]))
  #expect(status(verdict) == answered)
  guard case .pass(let request) = verdict else { return #expect(onward == nil) }
  #expect(request.fields.text("max-forwards") == onward)
  #expect(request.fields.map { String(decoding: $0.name, as: UTF8.self) } == ["A", "max-forwards", "C"])
}

@Test func `A91 Max-Forwards of other methods is left alone`() throws {
  let get = try request(.get, [("Max-Forwards", "0")])
  #expect(RequestPolicy.verdict(on: get) == .pass(get))
}

@Test func `A92 TRACE is refused and never echoed`() throws {
  let verdict = RequestPolicy.verdict(
    on: try request(.trace, [("Authorization", "Bearer hidden"), ("Cookie", "c=hidden")]))
  guard case .respond(let response) = verdict else { return #expect(Bool(false), "TRACE went on") }
  #expect(response.head.status == 405)
  #expect(response.head.fields.contains("allow"))
  #expect(!String(decoding: response.body, as: UTF8.self).contains("hidden"))
  #expect(status(RequestPolicy.verdict(on: try request(.trace, [], body: [1]))) == 400)
  #expect(status(RequestPolicy.verdict(on: try request(.trace, [("Content-Length", "0")]))) == 400)
}

@Test(arguments: [
  ("127.0.0.1", "127.0.0.1", true), ("localhost", "127.0.0.1", true), ("127.1", "127.0.0.1", true),
  ("2130706433", "127.0.0.1", true), ("0.0.0.0", "127.0.0.1", true), ("::ffff:127.0.0.1", "127.0.0.1", true),
  ("127.0.0.2", "127.0.0.1", false), ("127.0.0.2", "0.0.0.0", true), ("127.0.0.1", "::", true),
  ("192.0.2.1", "0.0.0.0", false), ("192.0.2.1", "127.0.0.1", false),
])
func `A90 our own address is known under every name`(_ host: String, listening: String, isOurs: Bool) {
  let listening = SocketAddress(host: listening, port: 8080)
  #expect(SocketAddress(host: host, port: 8080).reaches(listening: listening) == isOurs)
  #expect(!SocketAddress(host: host, port: 8081).reaches(listening: listening))
}
