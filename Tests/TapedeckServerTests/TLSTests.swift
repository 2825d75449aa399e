import Synchronization
import TapedeckHTTP
import TapedeckServer
import TapedeckSockets
import TestSupport
import Testing

/// Answers with the scheme and the length of the body, or with `/size/N` bytes.
private final class Plain: Responder {
  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    let body =
      request.targetText.hasPrefix("/size/")
      ? [UInt8](repeating: UInt8(ascii: "x"), count: Int(request.targetText.dropFirst(6)) ?? 0)
      : Array("\(request.scheme) \(request.body.count)!".utf8)
    return ServedResponse(
      .response(HTTPResponse(status: 200, contentType: "text/plain", body: body)), by: .route)
  }
}

private final class Notices: Sendable {
  private let told = Mutex<[String]>([])
  func tell(_ text: String) { told.withLock { $0.append(text) } }
  var all: [String] { told.withLock { $0 } }
}

private struct Served {
  let port: UInt16
  let authority: CertificateAuthority
  let notices: Notices
}

private func withTLS(
  domains: [ServerName] = [], _ change: (inout ServerConfiguration) -> Void = { _ in },
  _ body: (Served) throws -> Void
) throws {
  let authority = try CertificateAuthority(domains: domains)
  let notices = Notices()
  var configuration = ServerConfiguration()
  configuration.tls = try TLSServer(authority) { notices.tell($0) }
  change(&configuration)
  let server = try HTTPServer(
    address: SocketAddress(host: "127.0.0.1", port: 0), threads: 2, configuration: configuration,
    makeResponder: { _ in Plain() })
  defer { server.stop(graceMilliseconds: 1000) }
  try body(Served(port: server.address.port, authority: authority, notices: notices))
}

private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
private let tls12: Int32 = 0x0303
private let tls13: Int32 = 0x0304

@Test(arguments: [tls12, tls13], [TLSClient.Pieces.whole, .bytes])
func `a client that trusts the authority is served`(version: Int32, pieces: TLSClient.Pieces) throws {
  try withTLS { served in
    let client = try TLSClient(
      served.port, name: "api.example.com", trusting: served.authority.certificatePEM, version: version,
      protocols: ["h2", "http/1.1"], pieces: pieces)
    #expect(client.shakeHands() == nil)
    #expect(client.version == (version == tls12 ? "TLSv1.2" : "TLSv1.3"))
    #expect(client.chosenProtocol == "http/1.1")
    client.say(get + get)
    #expect(client.hear(until: "https 0!").contains("https 0!"))
    let body = String(repeating: "y", count: pieces == .whole ? 300_000 : 30_000)
    client.say(
      "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: \(body.count)\r\n\r\n\(body)")
    #expect(client.hearAll()?.contains("https \(body.count)!") == true)
    #expect(served.notices.all == [])
  }
}

@Test func `plain HTTP is served on the same port`() throws {
  try withTLS { served in
    let client = try Client(served.port)
    client.say(get)
    #expect(client.status() == 200)
  }
}

@Test func `a large response reaches a slow reader whole`() throws {
  try withTLS { served in
    let client = try TLSClient(served.port)
    #expect(client.shakeHands() == nil)
    client.say("GET /size/5000000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    #expect((client.hearAll() ?? "").utf8.count > 5_000_000)
  }
}

@Test(arguments: [tls12, tls13])
func `a session is resumed for its own name only`(version: Int32) throws {
  try withTLS { served in
    func resumed(_ name: String, _ session: TLSClient.Session?) throws -> (Bool, TLSClient.Session?) {
      let client = try TLSClient(
        served.port, name: name, trusting: served.authority.certificatePEM, version: version,
        resuming: session)
      #expect(client.shakeHands() == nil)
      client.say(get)
      _ = client.hear(until: "!")
      let result = (client.isResumed, client.session)
      client.sayGoodbye()
      return result
    }
    let (_, session) = try resumed("one.example.com", nil)
    for _ in 0..<8 {
      let (again, _) = try resumed("one.example.com", session)
      #expect(again)
    }
    let (other, _) = try resumed("two.example.com", session)
    #expect(!other)
  }
}

@Test func `a client of HTTP/2 only is refused, and the log says so`() throws {
  try withTLS { served in
    let client = try TLSClient(served.port, name: "api.example.com", protocols: ["h2"])
    #expect(client.shakeHands() == "tlsv1 alert no application protocol")
    #expect(
      served.notices.all == [
        "a TLS client for api.example.com was refused: it speaks \"h2\" only, and this listener http/1.1"
      ])
  }
}

@Test func `a client that does not trust the certificate is named in the log`() throws {
  let other = try CertificateAuthority()
  try withTLS { served in
    let client = try TLSClient(
      served.port, name: "api.example.com", trusting: other.certificatePEM, version: tls12)
    #expect(client.shakeHands() != nil)
    while served.notices.all.isEmpty {}
    #expect(served.notices.all[0].hasPrefix("a client does not trust the certificate for api.example.com"))
  }
}

@Test(arguments: ["a b", "*.example.com", "a..b", String(repeating: "a", count: 64), "é.example"])
func `a name that is none is refused`(name: String) throws {
  try withTLS { served in
    let client = try TLSClient(served.port, name: name)
    #expect(client.shakeHands() == "tlsv1 unrecognized name")
    #expect(served.notices.all.count == 1)
  }
}

@Test(arguments: ["API.Example.COM", "api.example.com.", "a_b.example.com", "xn--bcher-kva.example"])
func `names are normalized`(name: String) throws {
  try withTLS { served in
    let client = try TLSClient(served.port, name: name, trusting: nil)
    #expect(client.shakeHands() == nil)
  }
}

@Test func `a name outside of the constraints is refused`() throws {
  let domain = try #require(ServerName("example.com"))
  try withTLS(domains: [domain]) { served in
    let trusted = served.authority.certificatePEM
    let inside = try TLSClient(served.port, name: "api.example.com", trusting: trusted)
    #expect(inside.shakeHands() == nil)
    let outside = try TLSClient(served.port, name: "example.org")
    #expect(outside.shakeHands() == "tlsv1 unrecognized name")
    #expect(served.notices.all.count == 1)
  }
}

@Test func `without a name the address is certified`() throws {
  try withTLS { served in
    let client = try TLSClient(served.port, name: nil, trusting: served.authority.certificatePEM)
    #expect(client.shakeHands() == nil)
  }
}

@Test func `goodbye is said, and a client that cuts off gets its response`() throws {
  try withTLS { served in
    let polite = try TLSClient(served.port)
    #expect(polite.shakeHands() == nil)
    polite.say(get)
    polite.sayGoodbye()
    #expect(polite.hearAll()?.hasPrefix("HTTP/1.1 200") == true)
    let rude = try TLSClient(served.port)
    #expect(rude.shakeHands() == nil)
    rude.say(get)
    rude.cutOff()
    #expect(rude.hearAll()?.hasPrefix("HTTP/1.1 200") == true)
  }
}

@Test func `handshakes are bounded in number and time`() throws {
  try withTLS({
    $0.maxHandshakes = 2
    $0.handshakeTimeoutMilliseconds = 300
  }) { served in
    let halves = try (0..<2).map { _ in try Client(served.port) }
    for half in halves { half.say("\u{16}\u{03}\u{01}") }
    let one = try Client(served.port)
    one.say("\u{16}\u{03}\u{01}")
    #expect(one.read() == nil)
    let plain = try Client(served.port)
    plain.say(get)
    #expect(plain.status() == 200)
    for half in halves { #expect(half.endsOrderly()) }
    let later = try TLSClient(served.port)
    #expect(later.shakeHands() == nil)
  }
}

@Test func `garbage behind a hello gets an alert`() throws {
  try withTLS { served in
    let client = try TLSClient(served.port)
    client.trailing = Array("GET / HTTP/1.1\r\n\r\n".utf8)
    _ = client.shakeHands()
    client.say(get)
    #expect(client.hear()?.isEmpty ?? true)
  }
}
