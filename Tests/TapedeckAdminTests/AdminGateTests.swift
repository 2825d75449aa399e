import Synchronization
import TapedeckHTTP
import Testing

@testable import TapedeckAdmin

/// Who is admitted to the admin API, and why others are not.
@Suite struct AdminGateTests {
  private static let token = "a-token-of-twenty-eight-chars"
  private static let port = 9090

  private static func gate(_ address: String = "127.0.0.1:9090", speaksTLS: Bool = false) throws -> AdminGate
  {
    var listener = try #require(AdminListener(address))
    listener.speaksTLS = speaksTLS
    let gate = AdminGate(token: try AdminToken(token), access: PageAccess(), listener: listener)
    gate.listeningPort.store(port, ordering: .releasing)
    return gate
  }

  private static func request(_ authority: String, _ fields: [(String, String)] = []) throws -> HTTPRequest {
    var request = HTTPRequest(.get, "/v1/health")
    request.authority = Array(authority.utf8)
    for (name, value) in fields { try request.fields.append(name, value) }
    return request
  }

  @Test(arguments: [
    ("127.0.0.1:9090", true), ("localhost:9090", true), ("LocalHost:9090", true), ("[::1]:9090", true),
    ("", false), ("127.0.0.1", false), ("127.0.0.1:9091", false), ("127.0.0.2:9090", false),
    ("evil.example:9090", false), ("127.0.0.1:9090.evil.example", false), ("localhost.:9090", false),
    ("[::1]", false), ("0.0.0.0:9090", false),
  ])
  func `a listener of this machine is addressed as such`(_ authority: String, _ isAdmitted: Bool) throws {
    let refusal = try Self.gate().refusalOfSender(try Self.request(authority))
    #expect(refusal?.status == (isAdmitted ? nil : 421))
  }

  @Test func `a listener that other machines reach has names that only they know`() throws {
    let gate = try Self.gate("0.0.0.0:9090")
    #expect(gate.refusalOfSender(try Self.request("tapedeck.internal:9090")) == nil)
    let page = try Self.request("tapedeck.internal:9090", [("Origin", "http://evil.example")])
    #expect(gate.refusalOfSender(page)?.status == 403)
  }

  @Test(arguments: [
    ("http://127.0.0.1:9090", true), ("https://127.0.0.1:9090", false), ("http://localhost:9090", false),
    ("http://127.0.0.1:9091", false), ("http://127.0.0.1:9090/", false), ("null", false), ("", false),
    ("HTTP://127.0.0.1:9090", false), ("http://127.0.0.1:9090.evil.example", false),
  ])
  func `of web pages, only ours is admitted`(_ origin: String, _ isAdmitted: Bool) throws {
    let request = try Self.request("127.0.0.1:9090", [("Origin", origin)])
    #expect(try Self.gate().refusalOfSender(request)?.status == (isAdmitted ? nil : 403))
  }

  @Test func `two origins are none`() throws {
    let ours = ("Origin", "http://127.0.0.1:9090")
    #expect(try Self.gate().refusalOfSender(try Self.request("127.0.0.1:9090", [ours, ours]))?.status == 403)
  }

  @Test(arguments: [
    ("none", true), ("same-origin", true), ("same-site", false), ("cross-site", false), ("", false),
    ("Same-Origin", false),
  ])
  func `what a browser says of the page is heeded`(_ site: String, _ isAdmitted: Bool) throws {
    let request = try Self.request("127.0.0.1:9090", [("Sec-Fetch-Site", site)])
    #expect(try Self.gate().refusalOfSender(request)?.status == (isAdmitted ? nil : 403))
  }

  @Test func `a listener with TLS does not respond to plain HTTP`() throws {
    let gate = try Self.gate(speaksTLS: true)
    var request = try Self.request("127.0.0.1:9090")
    #expect(gate.refusalOfSender(request)?.status == 403)
    request.scheme = .https
    #expect(gate.refusalOfSender(request) == nil)
  }

  @Test(arguments: [
    ("Bearer \(token)", true), ("bearer \(token)", true), ("BEARER \(token)", true), (token, false),
    ("Bearer  \(token)", false), ("Bearer \(token.dropLast())", false),
    ("Bearer \(token)x", false), ("Bearer \(token.uppercased())", false), ("Bearer ", false),
    ("Bearer", false),
    ("Basic \(token)", false), ("", false), ("Bearer \(token)\(token)", false),
  ])
  func `the token is needed as it is`(_ value: String, _ isAdmitted: Bool) throws {
    let request = try Self.request("127.0.0.1:9090", [("Authorization", value)])
    let refusal = try Self.gate().refusalOfToken(request)
    #expect(refusal?.status == (isAdmitted ? nil : 401))
    #expect(refusal?.fields.contains("www-authenticate") == (isAdmitted ? nil : true))
  }

  @Test func `two tokens are none, nor is none`() throws {
    let field = ("Authorization", "Bearer \(Self.token)")
    #expect(
      try Self.gate().refusalOfToken(try Self.request("127.0.0.1:9090", [field, field]))?.status == 401)
    #expect(try Self.gate().refusalOfToken(try Self.request("127.0.0.1:9090"))?.status == 401)
  }
}
