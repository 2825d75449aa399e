import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// What counts as drift: all that differs though the key is the same, and nothing else.
@Suite struct DriftTests {
  @Test(arguments: [
    ("query:ignore=ts", "GET /a?ts=1&x=1", "GET /a?x=1&ts=2", [#"query "ts": "1" → "2""#]),
    ("query:ignore=ts", "GET /a?ts=1&x=1", "GET /a?x=1", [#"query "ts": "1" → (absent)"#]),
    ("query:ignore=ts", "GET /a?ts=1&x=1", "GET /a?x=1&ts=1", []),
    ("query:ignore=ts", "GET /a?ts=1", "GET /a?%74s=1", []),
    ("body:ignore=$.n", #"POST /a | {"n": 1, "x": 1}"#, #"POST /a | {"x": 1, "n": 2}"#, ["$.n: 1 → 2"]),
    ("body:ignore=$.n", #"POST /a | {"n": 1, "x": 1}"#, #"POST /a | {"x":1,"n":1}"#, []),
    ("body:ignore=$.n", #"POST /a | !{"n": 1}"#, #"POST /a | !{"n": 2}"#, ["$.n: 1 → 2"]),
    (
      "body:ignore=$..t", #"POST /a | [{"t": 1}, {"t": 2}]"#, #"POST /a | [{"t": 1}, {"t": 3}]"#,
      ["$[1].t: 2 → 3"]
    ),
    ("body:ignore=csrf", "POST /a | csrf=1&q=2", "POST /a | q=2&csrf=3", [#"form "csrf": "1" → "3""#]),
    ("method,path", "GET /a?x=1", "GET /a?x=2", [#"query "x": "1" → "2""#]),
    ("method,path,query", #"POST /a | {"x": 1}"#, #"POST /a | {"x": 2}"#, ["$.x: 1 → 2"]),
    ("method,path,query", #"POST /a | {"x": 1}"#, "POST /a", ["body: json of 8 bytes → (absent)"]),
    ("method,path,query", "POST /a | !one", "POST /a | !two", [#"body: "one" → "two""#]),
    ("path", "GET /a", #"POST /a | {"x": 1}"#, ["method: GET → POST", "body: (absent) → json of 8 bytes"]),
    ("method", "GET /a", "GET /b", ["path: /a → /b"]),
    ("body:bytes", "POST /a | !x", "POST /a | !x", []),
    ("headers:X-A", "GET /a", "GET /a", []),
  ])
  func isListed(spec: String, recorded: String, asked: String, drift: [String]) throws {
    let matcher = RequestMatcher(try MatchSpec([spec]).rules())
    let (old, new) = (NearMissRankingTests.sent(recorded), NearMissRankingTests.sent(asked).request)
    #expect(matcher.key(for: old.request) == matcher.key(for: new))
    #expect(matcher.drift(of: new, from: old.recordedRequest).map(\.description) == drift)
  }

  @Test func `fields that make the variant are no drift`() throws {
    let matcher = RequestMatcher(try MatchSpec(["query:ignore=ts"]).rules())
    let old = exchange("GET", "/a?ts=1", headers: [("X-Amz-Target", "A.B")])
    let new = exchange("GET", "/a?ts=2", headers: [("Range", "bytes=0-1"), ("If-Match", "secret")])
    #expect(matcher.drift(of: new.request, from: old.recordedRequest).map(\.field) == [#"query "ts""#])
  }

  @Test func headersNeverCount() throws {
    let matcher = RequestMatcher(try MatchSpec(["query:ignore=ts,headers:X-Tenant"]).rules())
    let old = exchange("GET", "/a?ts=1", headers: [("X-Tenant", "1"), ("Date", "now"), ("traceparent", "1")])
    let new = exchange(
      "GET", "/a?ts=1", headers: [("User-Agent", "x"), ("X-Tenant", "1"), ("Date", "later")])
    #expect(matcher.drift(of: new.request, from: old.recordedRequest).isEmpty)
  }

  /// A body too large to be held is known by its digest.
  @Test func largeBodiesCount() throws {
    let folder = try TemporaryDirectory()
    let size = 6 << 20
    var large = exchange("PUT", "/a", sends: [UInt8](repeating: 7, count: size))
    try record([large], into: folder("c"))
    let cassette = try Cassette.load(folder("c"), match: MatchSpec(["method,path"]))
    let stored = cassette.interactions[0].interaction
    #expect(cassette.matcher.drift(of: large.request, from: stored.recordedRequest).isEmpty)
    large.request.body[size / 2] = 8
    #expect(
      cassette.matcher.drift(of: large.request, from: stored.recordedRequest).map(\.field).first?.hasPrefix(
        "body") == true)
  }
}
