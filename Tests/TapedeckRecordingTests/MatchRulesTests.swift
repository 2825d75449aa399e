import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// Keys by rules: which requests become one, and which stay two.
@Suite struct MatchRulesTests {
  typealias Sent = MatchingTests.Sent
  private static let json = MatchingTests.json
  private static let form = MatchingTests.form

  private static func multipart(_ boundary: String, _ parts: [(String, String)]) -> Sent {
    let body = parts.map { name, content in
      "--\(boundary)\r\nContent-Type: text/plain\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=x\r\n\r\n\(content)\r\n"
    }.joined()
    return Sent("POST /p", "multipart/form-data; boundary=\(boundary)", body + "--\(boundary)--\r\n")
  }

  static let same: [(String, Sent, Sent)] = [
    ("path", Sent("GET /a?x=1"), Sent("POST /a", json, "{}")),
    ("method,path", Sent("GET /a?x=1"), Sent("GET /a?y=1")),
    ("method,path,query", Sent("POST /a", json, "[1]"), Sent("POST /a", "text/plain", "x")),
    ("query:ignore=ts", Sent("GET /a?ts=1&x=1"), Sent("GET /a?x=1&ts=2&ts=3")),
    ("query:ignore=ts", Sent("GET /a?ts=1"), Sent("GET /a")),
    ("query:ignore=ts", Sent("GET /a?t%73=1"), Sent("GET /a")),
    ("query:ignore=utm_*", Sent("GET /a?utm_source=x&utm_=2"), Sent("GET /a")),
    ("query:ignore=%24top", Sent("GET /a?$top=1"), Sent("GET /a?%24top=2")),
    ("query:ignore=a%20b", Sent("GET /a?a+b=1"), Sent("GET /a?a%20b=2")),
    ("query:ignore=*", Sent("GET /a?b=1"), Sent("GET /a?c=1")),
    (
      "body:ignore=$.nonce", Sent("POST /a", json, #"{"a":1,"nonce":2}"#),
      Sent("POST /a", json, #"{"nonce":"x", "a":1}"#)
    ),
    (
      "body:ignore=$.nonce", Sent("POST /a", json, #"{"a":1,"nonce":{"b":[1]}}"#),
      Sent("POST /a", json, #"{"a":1}"#)
    ),
    (
      "body:ignore=$..id", Sent("POST /a", json, #"[{"id":1,"b":{"id":2}}]"#),
      Sent("POST /a", json, #"[{"id":3,"b":{}}]"#)
    ),
    ("body:ignore=$.a,$.b", Sent("POST /a", json, #"{"a":1,"b":2}"#), Sent("POST /a", json, "{}")),
    ("body:ignore=$.n", Sent("POST /a", form, #"{"n":1}"#), Sent("POST /a", "text/plain", #" {"n":2}"#)),
    ("body:ignore=$", Sent("POST /a", json, "1"), Sent("POST /a", json, "[2]")),
    ("body:ignore=csrf", Sent("POST /a", form, "csrf=1&q=2"), Sent("POST /a", form, "q=2&csrf=3")),
    (
      "body:ignore=csrf", multipart("x", [("csrf", "1"), ("q", "2")]),
      multipart("y", [("csrf", "3"), ("q", "2")])
    ),
    ("body:ignore=csrf*", multipart("x", [("csrf_token", "1")]), multipart("y", [("csrf_token", "3")])),
    ("body:json", Sent("POST /a", "text/plain", #"{"a": 1}"#), Sent("POST /a", "", #"{"a":1}"#)),
    ("body:json,body:ignore=$.n", Sent("POST /a", "text/plain", #"{"n":1}"#), Sent("POST /a", "", "{}")),
    ("body:form", Sent("POST /a", "text/plain", "a=1&b=2"), Sent("POST /a", "", "b=2&a=1")),
    (
      "body:multipart", Sent("POST /a", "x/y", "--b\r\n\r\nx\r\n--b--"),
      Sent("POST /a", "", "--c\r\n\r\nx\r\n--c--")
    ),
    ("body:bytes", Sent("POST /a", json, "[1]"), Sent("POST /a", "text/plain", "[1]")),
    ("headers:X-A", Sent("GET /a"), Sent("GET /a")),
  ]

  static let different: [(String, Sent, Sent)] = [
    ("path", Sent("GET /a"), Sent("GET /b")), ("method,path", Sent("GET /a"), Sent("POST /a")),
    ("query:ignore=ts", Sent("GET /a?ts=1&x=1"), Sent("GET /a?ts=1&x=2")),
    ("query:ignore=ts", Sent("GET /a?TS=1"), Sent("GET /a")),
    ("query:ignore=ts", Sent("GET /a?ts2=1"), Sent("GET /a")),
    ("query:ignore=%2A", Sent("GET /a?b=1"), Sent("GET /a")),
    (
      "body:ignore=$.nonce", Sent("POST /a", json, #"{"b":{"nonce":1}}"#),
      Sent("POST /a", json, #"{"b":{"nonce":2}}"#)
    ),
    ("body:ignore=$.nonce", Sent("POST /a", json, #"{"nonce":1}"#), Sent("POST /a", json, "")),
    ("body:ignore=$.nonce", Sent("POST /a", form, "nonce=1"), Sent("POST /a", form, "nonce=2")),
    ("body:ignore=$.nonce", Sent("POST /a", "", "[nonce"), Sent("POST /a", "", "[")),
    ("body:ignore=csrf", Sent("POST /a", form, "csrf=1&q=2"), Sent("POST /a", form, "csrf=1&q=3")),
    (
      "body:ignore=csrf", multipart("x", [("csrf", "1"), ("q", "2")]),
      multipart("x", [("csrf", "1"), ("q", "3")])
    ),
    ("body:bytes", Sent("POST /a", json, #"{"a":1}"#), Sent("POST /a", json, #"{"a": 1}"#)),
    ("body:json", Sent("POST /a", "text/plain", "{a}"), Sent("POST /a", "text/plain", "{a }")),
    ("body:multipart", Sent("POST /a", "", "x"), Sent("POST /a", "", "y")),
    ("path,body", Sent("GET /a"), Sent("GET /a", "text/plain", "x")),
  ]

  private static func key(_ spec: String, _ sent: Sent) throws -> MatchKey {
    RequestMatcher(try MatchSpec([spec]).rules()).key(for: sent.request)
  }

  @Test(arguments: same) func oneKey(spec: String, left: Sent, right: Sent) throws {
    #expect(try Self.key(spec, left) == Self.key(spec, right))
  }

  @Test(arguments: different) func twoKeys(spec: String, left: Sent, right: Sent) throws {
    #expect(try Self.key(spec, left) != Self.key(spec, right))
  }

  private func request(_ headers: [(String, String)] = [], host: String = "") -> HTTPRequest {
    var request = HTTPRequest(.get, "/a", fields: fields(headers))
    request.authority = Array(host.utf8)
    return request
  }

  @Test func headersThatAreAskedForAreCompared() throws {
    let matcher = RequestMatcher(try MatchSpec(["headers:X-Tenant,Accept"]).rules())
    let key = matcher.key(for: request([("x-tenant", "1"), ("Accept", "a"), ("Date", "now")]))
    #expect(key == matcher.key(for: request([("ACCEPT", "a"), ("X-Tenant", "1")])))
    for other in [
      [("X-Tenant", "2"), ("Accept", "a")], [("X-Tenant", "1")], [("X-Tenant", "a"), ("Accept", "1")],
      [("X-Tenant", "1"), ("Accept", "a"), ("Accept", "a")], [("X-Tenant", "1"), ("Accept", "")], [],
    ] {
      #expect(key != matcher.key(for: request(other)), "\(other)")
    }
  }

  @Test(arguments: [
    ("a.test", "a.test:80", true), ("A.Test:8080", "a.test:9090", true), ("[::1]:80", "[::1]", true),
    ("a.test", "b.test", false), ("[::1]", "[::2]", false), ("", "a", false),
  ])
  func hostsAreComparedWithoutTheirPorts(left: String, right: String, isSame: Bool) throws {
    let matcher = RequestMatcher(try MatchSpec(["host"]).rules())
    #expect((matcher.key(for: request(host: left)) == matcher.key(for: request(host: right))) == isSame)
    #expect(RequestMatcher().key(for: request(host: left)) == RequestMatcher().key(for: request(host: right)))
  }

  /// File names are made from these: they are what they were.
  @Test(arguments: [
    (Sent("GET /users/1?page=2&a=b"), "a096418bb658be7068b2d13c58b376e8dc3da2f124fef190fcb7e55b9375276b"),
    (
      Sent("POST /users", json, #"{"name":"Ada","id":1}"#),
      "1ad07b529086937732558af2cb61cf60dac1936f4a4cba9813eeb31f2d7653cb"
    ),
  ])
  func keysOfTheDefaultRulesStay(sent: Sent, digest: String) {
    #expect(RequestMatcher().key(for: sent.request).digest.hex == digest)
  }

  @Test func rulesChangeTheKeysOfOnlyThoseTheyConcern() throws {
    let plain = Sent("GET /users/1?page=2")
    for spec in ["query:ignore=ts", "body:ignore=$.nonce", "body:json"] {
      #expect(try Self.key(spec, plain) == RequestMatcher().key(for: plain.request), "\(spec)")
    }
  }
}
