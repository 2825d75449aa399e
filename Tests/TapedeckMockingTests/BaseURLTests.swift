import MockingSupport
import TapedeckMocking
import Testing

@Suite struct `A. Base URLs` {
  @Test func `K17 a base with a scheme wants that scheme`() {
    #expect(captures("http://kakapo.com", "/any", "http://kakapo.com/any") == [:])
    #expect(captures("http://kakapo.com", "/any", "https://kakapo.com/any") == nil)
  }

  @Test(arguments: ["http", "https", "ssh", "kakapo"])
  func `K18 a base without takes any scheme`(_ scheme: String) {
    #expect(captures("kakapo.com", "/any", "\(scheme)://kakapo.com/any") == [:])
  }

  @Test(arguments: ["api.kakapo.com", "a.b.kakapo.com"])
  func `K19 a base without a scheme takes any subdomain`(_ host: String) {
    #expect(captures("kakapo.com", "/any", "https://\(host)/any") == [:])
    #expect(captures("https://kakapo.com", "/any", "https://\(host)/any") == nil)
  }

  @Test func `K20 components of the base count`() {
    #expect(
      captures("http://test.com/api/v3/", "/users/:id", "http://test.com/api/v3/users/1") == ["id": "1"])
    #expect(captures("http://test.com/api/v3/", "/users/:id", "http://test.com/api/v2/users/1") == nil)
    #expect(captures("test.com/api", "/users", "http://api.test.com/api/users") == [:])
    #expect(captures("/api", "/users", "http://any.where/api/users") == [:])
  }

  @Test(arguments: [
    ("https://a.test/users/:id", "https://a.test/users/1", true),
    ("https://A.test/users/:id", "https://a.TEST:443/users/1", true),
    ("https://a.test/users/:id", "http://a.test/users/1", false),
    ("https://a.test/users/:id", "https://b.test/users/1", false),
    ("https://a.test:8443/users/:id", "https://a.test/users/1", false),
  ])
  func `a route may have the host`(_ route: String, _ url: String, _ matches: Bool) {
    #expect(captures("", route, url) == (matches ? ["id": "1"] : nil))
  }

  @Test func `routes of several hosts stand side by side, before one for every host`() async throws {
    let router = Router()
    router.get("https://a.test/users") { _ in ["at": "a"] }
    router.group("https://b.test/v1") { group in group.get("/users") { _ in ["at": "b"] } }
    router.get("/users") { _ in ["at": "any"] }
    let mocked = MockRoute(method: .get, endpoint: "https://c.test/users", json: #"{"at":"c"}"#)
    try router.mock([mocked]) { _ in [] }
    for (url, owner) in [
      ("https://a.test/users", "a"), ("https://b.test/v1/users", "b"), ("https://c.test/users", "c"),
      ("https://d.test/users", "any"),
    ] {
      let response = try #require(try await router.respond(to: Request(url)))
      #expect(String(decoding: response.body, as: UTF8.self) == #"{"at":"\#(owner)"}"#)
    }
    #expect(router.remove(.get, "https://a.test/users") == 1)
    let response = try #require(try await router.respond(to: Request("https://a.test/users")))
    #expect(String(decoding: response.body, as: UTF8.self) == #"{"at":"any"}"#)
  }

  @Test func `a host behind a base is refused`() {
    #expect(throws: PathPatternError.hostInside("http://a.test https://b.test/users")) {
      try Router("http://a.test").register(.get, "https://b.test/users") { _ in nil }
    }
  }

  @Test(arguments: [":version", "{version}", "*"])
  func `K21 wildcards in the base are none`(_ wildcard: String) {
    #expect(captures("http://test.com/api/\(wildcard)/", "/users", "http://test.com/api/v3/users") == nil)
  }

  @Test(arguments: ["", "/"], ["", "/"])
  func `K22 slashes where base and path meet do not count`(_ ofBase: String, _ ofPath: String) {
    #expect(
      captures("http://test.com\(ofBase)", "\(ofPath)users/:id", "http://test.com/users/1") == ["id": "1"])
  }

  @Test func `K25 a path begins where the base ends`() {
    #expect(captures("hubs.example.com", "/v3/x", "https://hubs.example.com/leaderboard/v3/x") == nil)
    #expect(captures("hubs.example.com", "/v3/x", "https://hubs.example.com/v3/x") == [:])
  }

  @Test(arguments: [
    "https://nottest.com/users", "https://x.org/test.com/users", "https://x.org/users?test.com/users",
    "https://test.com.evil.org/users", "https://test.com@x.org/users",
  ])
  func `K26 a host that only looks like the base's does not match`(_ url: String) {
    #expect(captures("test.com", "/users", url) == nil)
  }

  @Test func `K27 a port is compared where the base has one`() {
    #expect(captures("http://localhost:8080", "/users", "http://localhost:8080/users") == [:])
    #expect(captures("http://localhost:8080", "/users", "http://localhost:8081/users") == nil)
    #expect(captures("http://localhost:8080", "/users", "http://localhost/users") == nil)
    #expect(captures("http://localhost", "/users", "http://localhost:8080/users") == [:])
    #expect(captures("localhost:8080", "/users", "https://localhost:8080/users") == [:])
    #expect(captures("https://localhost:443", "/users", "https://localhost/users") == [:])
    #expect(captures("http://[::1]:80", "/users", "http://[::1]/users") == [:])
    #expect(captures("[::1]", "/users", "http://[::1]:99/users") == [:])
  }

  @Test func `K28 letter case does not count in scheme and host`() {
    #expect(captures("HTTP://Test.com", "/users", "http://tEST.COM/users") == [:])
    #expect(captures("Test.com", "/users", "HTTPS://api.TEST.com/users") == [:])
  }

  @Test func `K29 the base itself, without its last slash, matches`() {
    #expect(captures("http://test.com/api/", "", "http://test.com/api") == [:])
    #expect(captures("http://test.com/api/", "/", "http://test.com/api/") == [:])
    #expect(captures("http://test.com/", "", "http://test.com") == [:])
  }
}
