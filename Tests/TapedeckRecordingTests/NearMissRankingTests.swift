import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// Which recording a person would call nearest, in the ways clients are wrong.
@Suite struct NearMissRankingTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var why: String
    var asked: String
    /// The first is the nearest; the order is not that of the files.
    var recorded: [String]
    var testDescription: String { why }
  }

  /// Requests as `METHOD target`, and behind a bar the body: JSON, or a form where it holds `=`, or text after a `!`.
  static let rows = [
    Row(
      why: "another id of the same kind before another kind", asked: "GET /users/2",
      recorded: ["GET /users/1", "GET /orders/1", "GET /users"]),
    Row(
      why: "another page of the same list", asked: "GET /users?page=3&size=10",
      recorded: ["GET /users?page=2&size=10", "GET /users", "GET /users?size=20&sort=name"]),
    Row(
      why: "another value before a missing name", asked: "GET /search?q=b&lang=en",
      recorded: ["GET /search?q=a&lang=en", "GET /search?q=b"]),
    Row(
      why: "another method of the same place before another place", asked: "PATCH /users/7",
      recorded: ["PUT /users/7", "PATCH /orders/7"]),
    Row(
      why: "a slash too many", asked: "GET /users/",
      recorded: ["GET /users", "GET /users/1", "GET /"]),
    Row(
      why: "a case that is wrong", asked: "GET /Users/1",
      recorded: ["GET /users/1", "GET /users/2", "GET /Orders/1"]),
    Row(
      why: "encoding that is not needed", asked: "GET /users/a%40b.c",
      recorded: ["GET /users/a@b.c", "GET /users/a"]),
    Row(
      why: "a prefix that the client forgot", asked: "GET /users",
      recorded: ["GET /api/v1/users", "GET /health", "GET /api/v1/orders"]),
    Row(
      why: "a prefix that the client put twice", asked: "GET /api/v1/users/1",
      recorded: ["GET /users/1", "GET /api/v1/orders/1", "GET /health"]),
    Row(
      why: "another version of the same API", asked: "GET /v2/users/1",
      recorded: ["GET /v1/users/1", "GET /v2/orders/9"]),
    Row(
      why: "a typing mistake", asked: "GET /user/profile",
      recorded: ["GET /users/profile", "GET /tasks/profile"]),
    Row(
      why: "one field of a body", asked: #"POST /users | {"name": "Bob", "age": 3, "role": "admin"}"#,
      recorded: [
        #"POST /users | {"name": "Ada", "age": 3, "role": "admin"}"#,
        #"POST /users | {"name": "Eve", "age": 9, "role": "guest"}"#, "GET /users",
      ]),
    Row(
      why: "a field that came in addition", asked: #"POST /users | {"name": "Ada", "nonce": "x"}"#,
      recorded: [#"POST /users | {"name": "Ada"}"#, #"POST /users | {"name": "Bob", "age": 1, "x": 2}"#]),
    Row(
      why: "the same GraphQL operation with another variable",
      asked: #"POST /graphql | {"operationName": "User", "query": "query User", "variables": {"id": 2}}"#,
      recorded: [
        #"POST /graphql | {"operationName": "User", "query": "query User", "variables": {"id": 1}}"#,
        #"POST /graphql | {"operationName": "Users", "query": "query Users", "variables": {"id": 2}}"#,
      ]),
    Row(
      why: "the same method of JSON-RPC",
      asked: #"POST /rpc | {"jsonrpc": "2.0", "id": 9, "method": "eth_call", "params": [1]}"#,
      recorded: [
        #"POST /rpc | {"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [1]}"#,
        #"POST /rpc | {"jsonrpc": "2.0", "id": 9, "method": "eth_send", "params": [2]}"#,
      ]),
    Row(
      why: "JSON that nearly is the same before a form that is something else",
      asked: #"POST /login | {"user": "a", "password": "b", "otp": 1}"#,
      recorded: [#"POST /login | {"user": "c", "password": "d", "otp": 2}"#, "POST /login | user=a"]),
    Row(
      why: "a form with another token", asked: "POST /login | user=a&password=b&csrf=2",
      recorded: ["POST /login | user=a&password=b&csrf=1", "POST /login | user=c&password=d&csrf=2"]),
    Row(
      why: "the text that has most in common",
      asked: "POST /soap | !<Envelope><Body><Get><id>2</id></Get></Body></Envelope>",
      recorded: [
        "POST /soap | !<Envelope><Body><Get><id>17</id></Get></Body></Envelope>",
        "POST /soap | !<Envelope><Header/><Body><List/></Body></Envelope>",
      ]),
    Row(
      why: "a body where none was before another place", asked: #"POST /jobs/1/start | {"force": true}"#,
      recorded: ["POST /jobs/1/start", #"POST /jobs/2/stop | {"force": true}"#]),
  ]

  static func sent(_ text: String) -> Interaction {
    let parts = text.split(separator: " | ", maxSplits: 1).map(String.init)
    let words = parts[0].split(separator: " ").map(String.init)
    guard parts.count == 2 else { return exchange(words[0], words[1]) }
    if parts[1].hasPrefix("!") {
      return exchange(
        words[0], words[1], headers: [("Content-Type", "text/xml")], sends: Array(parts[1].utf8.dropFirst()))
    }
    let isForm = parts[1].contains("=")
    let type = isForm ? "application/x-www-form-urlencoded" : "application/json"
    return exchange(words[0], words[1], headers: [("Content-Type", type)], sends: Array(parts[1].utf8))
  }

  @Test(arguments: rows) func theNearestIs(row: Row) throws {
    let folder = try TemporaryDirectory()
    try record(row.recorded.map(Self.sent), into: folder("c"))
    let cassette = try Cassette.load(folder("c"))
    let asked = Self.sent(row.asked).request
    #expect(cassette.sequence(for: asked) == nil)
    let found = cassette.nearest(to: asked, limit: row.recorded.count)
    let expected = Self.sent(row.recorded[0]).request
    let ranking = found.map {
      "\($0.distance) \($0.interaction.fileName) \($0.differences.map(\.description))"
    }
    #expect(found.first?.interaction.interaction.request.target == expected.target, "\(ranking)")
    #expect(found.first?.interaction.interaction.request.body == expected.body, "\(ranking)")
    #expect(found.first.map { !$0.differences.isEmpty } == true)
  }

  /// Where the rules leave something out, it neither differs nor counts.
  @Test func whatTheRulesIgnoreIsNoDifference() throws {
    let folder = try TemporaryDirectory()
    try record(
      [
        #"POST /a?ts=1 | {"n": 1, "name": "Ada", "x": 1}"#,
        #"POST /a?ts=2 | {"n": 2, "name": "Bob", "x": 2}"#,
      ].map(Self.sent), into: folder("c"))
    let spec = try MatchSpec(["query:ignore=ts,body:ignore=$.n"])
    let cassette = try Cassette.load(folder("c"), match: spec)
    let found = cassette.nearest(to: Self.sent(#"POST /a?ts=2 | {"n": 2, "name": "Ada", "x": 9}"#).request)
    #expect(found[0].differences.map(\.description) == ["$.x: 1 → 9"])
    #expect(found[1].differences.count == 2)
  }

  @Test func headersAndHostThatAreComparedAreNamed() throws {
    let folder = try TemporaryDirectory()
    let recorder = try CassetteRecorder.open(
      folder("c"), origins: .one(nil), replacing: false, match: MatchSpec(["host,headers:X-Tenant"]),
      isDurable: false)
    var sent = exchange("GET", "/a", headers: [("X-Tenant", "one")])
    sent.request.authority = Array("one.test".utf8)
    try recorder.record(sent, arrival: 0)
    _ = try recorder.seal()
    var asked = HTTPRequest(.get, "/a")
    asked.authority = Array("two.test:80".utf8)
    let found = try Cassette.load(folder("c")).nearest(to: asked)
    #expect(
      found.first?.differences.map(\.description) == [
        "host: one.test → two.test", #"header x-tenant: "one" → (absent)"#,
      ])
  }

  @Test(arguments: [
    ("GET /a?ts=1", "GET /a?ts=2", ["query:ignore=ts"]),
    ("GET /a", "GET /a?a%2Cb=2", ["query:ignore=a%2Cb"]),
    (
      #"POST /a | {"n": {"x": 1}, "e": [{"t": 1}, {"t": 2}]}"#,
      #"POST /a | {"n": {"x": 2}, "e": [{"t": 3}, {"t": 4}]}"#,
      ["body:ignore=$.e[*].t", "body:ignore=$.e[*].t", "body:ignore=$.n.x"]
    ),
    ("POST /a | csrf=1", "POST /a | csrf=2", ["body:ignore=csrf"]),
    ("POST /a | !\"a\"", "POST /a | ! \"a\"", ["body:json"]),
    ("POST /a | !x", "POST /a | !y", [nil]), ("GET /a", "GET /b", [nil]),
  ])
  func namesTheWordThatWouldIgnoreIt(recorded: String, asked: String, words: [String?]) throws {
    let folder = try TemporaryDirectory()
    try record([Self.sent(recorded)], into: folder("c"))
    let found = try Cassette.load(folder("c")).nearest(to: Self.sent(asked).request)
    let ignoring = found.first?.differences.map(\.ignoredBy) ?? []
    #expect(ignoring == words)
    guard case let items = ignoring.compactMap({ $0 }), items.count == words.count else { return }
    let cassette = try Cassette.load(folder("c"), match: try MatchSpec(items))
    #expect(cassette.sequence(for: Self.sent(asked).request) != nil, "with that word it matches")
  }
}
