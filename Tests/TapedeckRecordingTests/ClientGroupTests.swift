import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// DESIGN §6, *Other clients*.
@Suite struct ClientGroupTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private static func whoami(_ headers: [(String, String)], _ body: String, vary: String? = nil)
    -> Interaction
  {
    exchange(
      "GET", "/whoami", headers: headers,
      answers: [("Content-Type", "text/plain")] + (vary.map { [("Vary", $0)] } ?? []), body: Array(body.utf8))
  }

  private static func bearer(_ token: String) -> [(String, String)] { [("Authorization", "Bearer \(token)")] }

  private func ask(
    _ cassette: Cassette, _ headers: [(String, String)], _ policy: ExhaustionPolicy = .repeatLast,
    cursors: ReplayCursors? = nil
  ) -> String? {
    let request = HTTPRequest(.get, "/whoami", fields: fields(headers))
    guard
      let turn = cassette.sequence(for: request)?.next(for: request, onExhausted: policy, cursors: cursors),
      case .bytes(let body) = turn.interaction.interaction.response.body
    else { return nil }
    return String(decoding: body, as: UTF8.self) + (turn.isOtherClient ? "*" : "")
  }

  private func load(_ interactions: [Interaction], isRedacted: Bool = true) throws -> Cassette {
    let recorder = try CassetteRecorder.open(
      folder("c"), origins: .one("http://origin.test"), replacing: false,
      redaction: RedactionChoice(isOff: !isRedacted), isDurable: false)
    for interaction in interactions { try recorder.record(interaction) }
    _ = try recorder.seal()
    return try Cassette.load(folder("c"))
  }

  private static let tokens = [
    "alice": "a1b2c3d4e5f6a7b8", "bob": "b1b2c3d4e5f6a7b8", "carol": "c1b2c3d4e5f6a7b8",
  ]
  private static let users = ["alice", "bob", "carol"]

  @Test(arguments: [true, false], [["carol", "alice", "bob"], ["bob", "bob", "alice", "carol", "alice"]])
  func `three users in any order get their own`(isRedacted: Bool, order: [String]) throws {
    let cassette = try load(
      Self.users.map { Self.whoami(Self.bearer(Self.tokens[$0] ?? ""), $0) }, isRedacted: isRedacted)
    for cursors in [nil, ReplayCursors()] {
      for user in order {
        #expect(ask(cassette, Self.bearer(Self.tokens[user] ?? ""), cursors: cursors) == user)
      }
    }
    #expect(cassette.unused.isEmpty == (Set(order).count == 3))
  }

  @Test func `each client goes through its own responses`() throws {
    let (alice, bob) = (Self.bearer("alice-token-0123456789"), Self.bearer("bob-token-0123456789"))
    let cassette = try load([
      Self.whoami(alice, "a1"), Self.whoami(bob, "b1"), Self.whoami(alice, "a2"), Self.whoami(bob, "b2"),
    ])
    #expect(
      [bob, bob, alice, bob, alice, alice].map { ask(cassette, $0) } == ["b1", "b2", "a1", "b2", "a2", "a2"])
    cassette.rewind()
    #expect([alice, alice, alice].map { ask(cassette, $0, .loop) } == ["a1", "a2", "a1"])
    cassette.rewind()
    #expect([alice, alice, alice, bob].map { ask(cassette, $0, .miss) } == ["a1", "a2", nil, "b1"])
  }

  @Test func `a client that was not recorded gets the responses in order, noted`() throws {
    let cassette = try load(Self.users.map { Self.whoami(Self.bearer(Self.tokens[$0] ?? ""), $0) })
    let dave = Self.bearer("d1b2c3d4e5f6a7b8")
    #expect((0..<4).map { _ in ask(cassette, dave) } == ["alice*", "bob*", "carol*", "carol*"])
    #expect(ask(cassette, Self.bearer(Self.tokens["alice"] ?? "")) == "alice")
  }

  @Test func `one client's responses are given to any, as ever`() throws {
    let cassette = try load(["1", "2", "3"].map { Self.whoami(Self.bearer("recorded-token-1"), $0) })
    #expect((0..<3).map { ask(cassette, Self.bearer("new-token-\($0)")) } == ["1", "2", "3"])
  }

  @Test func `a token that changed on the way goes on where it stood`() throws {
    let (old, new) = (Self.bearer("first-token-0123"), Self.bearer("second-token-0123"))
    let cassette = try load([Self.whoami(old, "1"), Self.whoami(old, "2"), Self.whoami(new, "3")])
    #expect([old, old].map { ask(cassette, $0) } == ["1", "2"])
    #expect(ask(cassette, Self.bearer("a-token-of-this-run")) == "3*")
  }

  @Test func `an unknown token never gets the refusal of a request without one`() throws {
    let cassette = try load([Self.whoami([], "401"), Self.whoami(Self.bearer("recorded-token-1"), "200")])
    #expect(ask(cassette, []) == "401")
    for _ in 0..<3 { #expect(ask(cassette, Self.bearer("token-of-this-run")) == "200*") }
  }

  @Test func `fields that Vary names tell clients apart, Accept-Encoding does not`() throws {
    let vary = "Accept-Language, Accept-Encoding"
    let cassette = try load([
      Self.whoami([("Accept-Language", "de"), ("Accept-Encoding", "gzip")], "hallo", vary: vary),
      Self.whoami([("Accept-Language", "en"), ("Accept-Encoding", "br")], "hello", vary: vary),
    ])
    #expect(ask(cassette, [("Accept-Language", "en"), ("Accept-Encoding", "gzip")]) == "hello")
    #expect(ask(cassette, [("Accept-Language", "de")]) == "hallo")
    #expect(ask(cassette, [("Accept-Language", "fr")]) == "hallo*")
  }

  @Test func `credentials decide where a field that Vary names is new in every run`() throws {
    let users = Self.users.map { user in
      Self.whoami(Self.bearer(Self.tokens[user] ?? "") + [("Origin", "http://a:1")], user, vary: "Origin")
    }
    let cassette = try load(users)
    #expect(ask(cassette, Self.bearer(Self.tokens["bob"] ?? "") + [("Origin", "http://a:2")]) == "bob*")
  }

  @Test(arguments: [
    "*", "Accept-Encoding", "Cookie, Authorization", "accept-encoding , *", "If-None-Match, Range",
  ])
  func `what Vary says beside fields of clients means nothing here`(value: String) {
    #expect(ClientIdentity.varying(fields([("Vary", value)])).isEmpty)
  }

  private static func identity(_ headers: [(String, String)], _ redaction: Redaction) -> [UInt8]? {
    ClientIdentity(HTTPRequest(.get, "/", fields: fields(headers)), varying: [], redaction).credentials
  }

  private static let signature =
    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20261121/us-east-1/s3/aws4_request, "
    + "SignedHeaders=host, Signature="

  @Test(
    arguments: [
      (
        [("Authorization", "Bearer a1b2c3d4")],
        [("authorization", "Bearer a1b2c3d4"), ("Cookie", "sid=x1y2z3")], true
      ),
      ([("Authorization", "Bearer a1b2c3d4")], [("Authorization", "Bearer b1b2c3d4")], false),
      ([("Authorization", signature + "abc123def")], [("Authorization", signature + "999888777")], true),
      (
        [("Authorization", signature + "abc123def")],
        [("Authorization", signature.replacing("IOSFODNN7", with: "JQSFODNN8") + "abc123def")], false
      ),
      (
        [("Authorization", #"Digest username="Mufasa", nonce="a1", response="b2c3""#)],
        [("Authorization", #"Digest username="Mufasa", nonce="d4", response="e5f6""#)], true
      ),
      (
        [("Cookie", "theme=dark; sid=x1y2z3")], [("Cookie", "sid=x1y2z3; _ga=GA1.2.3; csrftoken=q9w8e7")],
        true
      ),
      ([("Cookie", "sid=x1y2z3")], [("Cookie", "sid=x1y2z4")], false),
      ([("Cookie", "theme=dark")], [], true),
      ([("X-Api-Key", "k1k1k1k1")], [("X-Api-Key", "k2k2k2k2")], false),
      ([("Authorization", "OAuth a1b2c3d4e5f6")], [("Authorization", "OAuth f6e5d4c3b2a1")], false),
      ([("Authorization", "OAuth a1b2c3d4e5f6")], [("authorization", "oauth a1b2c3d4e5f6")], true),
      ([("Cookie", "sid=x1y2z3")], [], false),
    ] as [([(String, String)], [(String, String)], Bool)])
  func `who asks`(left: [(String, String)], right: [(String, String)], isSame: Bool) {
    for redaction in [Redaction.off, Redaction(upstream: "http://origin.test")] {
      #expect((Self.identity(left, redaction) == Self.identity(right, redaction)) == isSame)
    }
  }

  @Test func `a user of Basic is one, whatever the password, where nothing is hidden`() {
    // alice:one and alice:two
    let pair = ["YWxpY2U6b25l", "YWxpY2U6dHdv"].map {
      Self.identity([("Authorization", "Basic \($0)")], .off)
    }
    #expect(pair[0] == pair[1])
  }

  @Test(arguments: [
    ("session=1", true), ("sid=1", true), ("connect.sid=1", true), ("JSESSIONID=1", true),
    ("PHPSESSID=1", true),
    ("__Host-session=1", true), ("laravel_session=1", true), ("ASP.NET_SessionId=1", true),
    ("auth_token=1", true),
    (".AspNetCore.Identity.Application=1", true), ("SSESS0a1b=1", true), ("theme=1", false),
    ("csrftoken=1", false),
    ("XSRF-TOKEN=1", false), ("_ga=1", false), ("_hjSession_1=1", false), ("lang=1", false), ("", false),
  ])
  func `session cookies`(pair: String, isOne: Bool) {
    #expect(ClientIdentity.isSessionCookie(Array(pair.utf8)) == isOne)
  }
}
