import TapedeckHTTP
import TapedeckMocking
import Testing

@testable import TapedeckFormats
@testable import TapedeckProxy
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// What is said when nothing answers, and which command is suggested.
@Suite struct MissTests {
  private static let json = "application/json"

  private static func request(_ line: String, _ body: String = "") -> HTTPRequest {
    let words = line.split(separator: " ").map(String.init)
    var request = HTTPRequest(HTTPMethod(rawValue: words[0]), words[1], body: Array(body.utf8))
    request.authority = Array("127.0.0.1:8080".utf8)
    if !body.isEmpty {
      request.fields.append(
        literal: "Content-Type", body.contains("{") ? json : "application/x-www-form-urlencoded")
    }
    return request
  }

  private func cassette(_ requests: [HTTPRequest], match: String? = nil) -> Cassette {
    let matcher = RequestMatcher((try? match.map { try MatchSpec([$0]).rules() }) ?? MatchRules())
    let answers = requests.enumerated().map { index, request in
      let interaction = Interaction(
        request: request, response: RecordedResponse(head: HTTPResponseHead(status: 200), body: .bytes([])))
      return StoredInteraction("file-\(index).json", interaction, key: matcher.key(for: request))
    }
    return Cassette(
      path: "Cassettes/api", manifest: nil, upstream: "https://api.test", matcher: matcher,
      recordedRules: MatchRules(),
      interactions: answers, warnings: [])
  }

  private func explanation(_ change: (inout ProxyConfiguration) -> Void = { _ in }) -> MissExplanation {
    var configuration = ProxyConfiguration()
    configuration.cassette = "Cassettes/api"
    change(&configuration)
    return MissExplanation(configuration)
  }

  private static let record =
    "tapedeck serve --mode new_episodes --upstream https://api.test --cassette Cassettes/api"
  private static let replay = "tapedeck replay --cassette Cassettes/api"

  @Test(
    arguments: [
      ("GET /a?ts=1&x=1", "", "GET /a?ts=2&x=1", "", [replay + " --match 'query:ignore=ts'", record]),
      ("GET /a?x=1", "", "GET /a?x=1&_=17", "", [replay + " --match 'query:ignore=_'", record]),
      ("GET /a?x=1", "", "GET /a?x=2", "", [record]),
      (
        "POST /a", #"{"nonce": "a", "sent_at": 1, "n": 1}"#, "POST /a",
        #"{"nonce": "b", "sent_at": 2, "n": 1}"#,
        [replay + " --match 'body:ignore=$.nonce,body:ignore=$.sent_at'", record]
      ),
      ("POST /a", #"{"nonce": "a", "n": 1}"#, "POST /a", #"{"nonce": "b", "n": 2}"#, [record]),
      (
        "POST /a", #"{"id": "8c5f6e7a-1f3b-4c2d-9e8f-0000000000a1"}"#, "POST /a",
        #"{"id": "1c5f6e7a-2f3b-4c2d-9e8f-0000000000a2"}"#, [replay + " --match 'body:ignore=$.id'", record]
      ),
      (
        "POST /a", #"{"at": "2026-11-21T05:30:00Z", "e": 1795225953}"#, "POST /a",
        #"{"at": "2026-11-22T05:30:00.5+01:00", "e": 1795225954}"#,
        [replay + " --match 'body:ignore=$.at,body:ignore=$.e'", record]
      ),
      (
        "POST /a", #"{"e": [{"ts": 1}, {"ts": 2}]}"#, "POST /a", #"{"e": [{"ts": 3}, {"ts": 4}]}"#,
        [replay + " --match 'body:ignore=$.e[*].ts'", record]
      ),
      (
        "POST /a", "csrf_token=1&q=1", "POST /a", "csrf_token=2&q=1",
        [replay + " --match 'body:ignore=csrf_token'", record]
      ),
      ("POST /a", #"{"name": "it is 2026"}"#, "POST /a", #"{"name": "it is 2027"}"#, [record]),
      ("POST /a", "", "GET /a", "", [record]), ("GET /a", "", "GET /b", "", [record]),
    ] as [(String, String, String, String, [String])])
  func suggests(recorded: String, recordedBody: String, asked: String, askedBody: String, commands: [String])
  {
    let cassette = cassette([Self.request(recorded, recordedBody)])
    let miss = explanation().miss(Self.request(asked, askedBody), cassette: cassette, recorded: 0)
    #expect(miss.fixes.map(\.command) == commands)
    #expect(miss.fixes.allSatisfy { !$0.because.isEmpty })
  }

  /// The command works: with what it says, the request matches.
  @Test func whatIsSuggestedMatches() throws {
    let recorded = Self.request("POST /a?ts=1", #"{"nonce": "a", "meta": {"sent at": 1}, "n": 1}"#)
    let asked = Self.request("POST /a?ts=2", #"{"nonce": "b", "meta": {"sent at": 2}, "n": 1}"#)
    let miss = explanation().miss(asked, cassette: cassette([recorded]), recorded: 0)
    let command = try #require(miss.fixes.first?.command)
    let quoted = try #require(command.split(separator: "--match ").last)
    let spec = quoted.split(separator: "'").joined()
    let matcher = RequestMatcher(try MatchSpec([spec]).rules())
    #expect(matcher.key(for: recorded) == matcher.key(for: asked))
  }

  @Test func rulesOfThisRunAreInTheCommandToo() {
    let cassette = cassette([Self.request("GET /a?ts=1&x=1")], match: "method,path,query:ignore=x")
    let miss = explanation().miss(Self.request("GET /a?ts=2&x=3"), cassette: cassette, recorded: 0)
    #expect(
      miss.fixes.first?.command
        == "tapedeck replay --cassette Cassettes/api --match 'method,path,query,query:ignore=x,query:ignore=ts'"
    )
  }

  @Test func anExhaustedRecordingIsSaidToBe() {
    let request = Self.request("GET /a")
    let miss = explanation().miss(request, cassette: cassette([request, request]), recorded: 2)
    #expect(
      miss.detail == "GET /a was recorded 2 times in cassette Cassettes/api, and asked once more (mode none)")
    #expect(
      miss.fixes.map(\.command) == [
        Self.replay + " --on-exhausted repeat", Self.record + " --on-exhausted miss",
      ])
  }

  @Test func withoutACassetteThereIsStillACommand() {
    let miss = explanation {
      $0.cassette = nil; $0.verb = "serve"
    }.miss(Self.request("GET /a"), cassette: nil, recorded: 0)
    #expect(miss.detail == "GET /a: there is no cassette and no upstream to ask (mode none)")
    #expect(miss.nearest.isEmpty)
    #expect(
      miss.fixes.map(\.command) == ["tapedeck serve --mode new_episodes --upstream URL --cassette NAME"])
  }

  @Test func aProgramWithoutACassetteIsToldTheNearestRouteAndNoCommand() {
    let router = Router()
    router.get("/users/{id}") { _ in Response(statusCode: 200) }
    let explanation = explanation {
      $0.cassette = nil; $0.router = router
    }
    let miss = explanation.miss(Self.request("GET /user/1"), cassette: nil, recorded: 0)
    #expect(
      miss.detail == "No route takes GET /user/1. Nearest: GET /users/{id} (its path is another).")
    #expect(miss.fixes.isEmpty)
  }

  /// Each kind of rule in force stays in force in what is suggested.
  @Test(arguments: [
    "method,path,headers:x-a,host", "method,path,body:json", "method,path,query,query:ignore=a b",
    "method,path,body,body:ignore=$.a['b c']", "method,path,body:bytes",
  ])
  func theFixRepeatsTheRulesInForce(spec: String) throws {
    let cassette = cassette([Self.request("GET /a")], match: spec)
    let miss = explanation().miss(Self.request("GET /b"), cassette: cassette, recorded: 0)
    let command = try #require(miss.fixes.last?.command)
    let quoted = try #require(command.split(separator: "--match ").last)
    let rules = try MatchSpec([quoted.split(separator: "'").joined()]).rules()
    #expect(command.contains("--mode new_episodes"))
    // Quotes inside of the shell's quotes are looked at by the tests that run the command.
    if !spec.contains("'") { #expect(rules == cassette.matcher.rules) }
  }

  @Test func theFixRepeatsHowItWasStarted() {
    let miss = explanation {
      $0.verb = "run"; $0.upstream = "https://o.test"; $0.mode = .once
      $0.caCertificate = "my ca.pem"; $0.overridesFile = "o.json"; $0.onExhausted = .loop
    }.miss(Self.request("GET /a?ts=1"), cassette: cassette([Self.request("GET /a?ts=2")]), recorded: 0)
    #expect(
      miss.fixes.map(\.command) == [
        "tapedeck run --mode once --upstream https://o.test --cacert 'my ca.pem' --cassette Cassettes/api "
          + "--match 'query:ignore=ts' --on-exhausted loop --overrides o.json -- COMMAND",
        "tapedeck run --mode new_episodes --upstream https://o.test --cacert 'my ca.pem' --cassette Cassettes/api "
          + "--on-exhausted loop --overrides o.json -- COMMAND",
      ])
  }

  @Test func aFixThatWouldNotMakeTheRequestMatchIsNotGiven() {
    // As volatile as they look, a body that is no JSON has no places that can be ignored.
    let recorded = Self.request("POST /a", "1795225953")
    let miss = explanation().miss(
      Self.request("POST /a", "1795225954"), cassette: cassette([recorded]), recorded: 0)
    #expect(miss.fixes.count == 1)
  }

  @Test func anOtherModeIsAskedForAgain() {
    let miss = explanation {
      $0.mode = .once; $0.upstream = "http://o.test"
    }.miss(
      Self.request("GET /a?ts=1"), cassette: cassette([Self.request("GET /a?ts=2")]), recorded: 0)
    #expect(
      miss.fixes.first?.command
        == "tapedeck serve --mode once --upstream http://o.test --cassette Cassettes/api --match 'query:ignore=ts'"
    )
  }

  @Test func theRefusalCannotBeReadAsMarkup() throws {
    let asked = Self.request("POST /a", #"{"x": "<script>alert(1)</script>\u001b[2J"}"#)
    let miss = explanation().miss(
      asked, cassette: cassette([Self.request("POST /a", #"{"x": 1}"#)]), recorded: 0)
    let response = miss.problem(status: 502)
    #expect(!response.body.contains(UInt8(ascii: "<")))
    #expect(response.head.fields.text("x-content-type-options") == "nosniff")
    let problem = try JSONValue(parsing: response.body)
    #expect(problem["curl"]?.text?.contains("<script>") == true)
    #expect(problem["nearest"]?[0]?["differences"]?[0]?.text?.hasPrefix(#"$.x: 1 → "<script>"#) == true)
    #expect(!miss.lines.joined().utf8.contains(0x1B))
  }

  @Test func longRequestsAreToldInShort() {
    let asked = Self.request("GET /a?q=" + String(repeating: "x", count: 10_000))
    let members = (0..<200).map { #""f\#($0)": \#($0)"# }.joined(separator: ",")
    let far = Self.request("POST /a", "{\(members)}")
    let miss = explanation().miss(asked, cassette: cassette([far, far, far]), recorded: 0)
    #expect(miss.target.utf8.count < 2100)
    #expect(miss.detail.utf8.count < 3000)
  }

  @Test(arguments: [
    ("GET /a?x=1&ts=1", "GET /a?ts=2&x=1", true), ("GET /a?x=1", "GET /a?x=2", false),
    ("GET /a?x=1", "GET /b?x=1", false), ("GET /known?nonce=1", "GET /known?nonce=2", true),
    ("GET /a", "PUT /a", false),
  ])
  func missesOfOneSortAreOne(left: String, right: String, isOne: Bool) {
    let cassette = cassette([Self.request("GET /known")], match: "query:ignore=ts")
    let sorts = [left, right].map {
      explanation().miss(Self.request($0), cassette: cassette, recorded: 0).sort
    }
    #expect((sorts[0] == sorts[1]) == isOne, "\(sorts)")
  }
}
