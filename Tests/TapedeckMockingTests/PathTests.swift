import MockingSupport
import TapedeckMocking
import Testing

private let base = "http://test.com"

@Suite struct `A. Paths` {
  @Test func `K1 another host does not match`() {
    #expect(captures(base, "/users", "http://foo.com/users") == nil)
    #expect(captures(base, "/users", "http://test.com/users") == [:])
  }

  @Test func `K2 another literal path does not match`() {
    #expect(captures(base, "/users", "http://test.com/comments") == nil)
  }

  @Test func `K3 an empty wildcard does not match`() {
    #expect(captures(base, "/users/:id", "http://test.com/users/") == nil)
  }

  @Test func `K4 a missing component does not match`() {
    #expect(captures(base, "/users/:id/comments", "http://test.com/users/1") == nil)
  }

  @Test func `K5 a differing literal between wildcards does not match`() {
    #expect(
      captures(base, "/users/:user_id/comments/:comment_id", "http://test.com/users/1/whatever/2") == nil)
  }

  @Test func `K6 an extra component does not match`() {
    #expect(captures(base, "/users/:id/comments", "http://test.com/users/1/comments/2") == nil)
  }

  @Test func `K7 an empty base is everything`() {
    #expect(captures("", "/users", "/users") == [:])
    #expect(captures("", "/users", "https://any.where/users") == [:])
  }

  @Test func `K8 a literal path catches nothing`() {
    #expect(captures(base, "/users", "http://test.com/users") == [:])
  }

  @Test func `K9 one wildcard`() {
    #expect(captures(base, "/users/:id", "http://test.com/users/1") == ["id": "1"])
  }

  @Test func `K10 a wildcard and a literal`() {
    #expect(captures(base, "/users/:id/comments", "http://test.com/users/1/comments") == ["id": "1"])
  }

  @Test func `K11 two wildcards around a literal`() {
    #expect(
      captures(base, "/users/:user_id/comments/:comment_id", "http://test.com/users/1/comments/2")
        == ["user_id": "1", "comment_id": "2"])
  }

  @Test func `K12 nothing but wildcards`() {
    #expect(
      captures(base, "/:user_id/:comment_id", "http://test.com/1/2/") == ["user_id": "1", "comment_id": "2"])
  }

  @Test func `K13 the query does not keep a route without one from matching`() {
    #expect(captures(base, "/users/:id", "http://test.com/users/1?a=b") == ["id": "1"])
  }

  @Test(arguments: [("/users/:id", "/users/1?", ["id": "1"]), ("/users", "/users?", [:])])
  func `K14 a bare question mark is an empty query`(
    _ path: String, _ target: String, _ expected: [String: String]
  ) throws {
    let request = try #require(matched(base, path, base + target))
    #expect(request.components == expected)
    #expect(request.queryParameters == [])
  }

  @Test func `K15 one query item`() {
    #expect(
      matched(base, "/users", "http://test.com/users?page=2")?.queryParameters
        == [QueryItem(name: "page", value: "2")])
  }

  @Test func `K16 several query items in order`() {
    let request = matched(base, "/users", "http://test.com/users?page=2&author=hector%20z&page=3&flag&none=")
    #expect(
      request?.queryParameters == [
        QueryItem(name: "page", value: "2"), QueryItem(name: "author", value: "hector z"),
        QueryItem(name: "page", value: "3"), QueryItem(name: "flag", value: nil),
        QueryItem(name: "none", value: ""),
      ])
    #expect(request?.query("page") == "2")
  }

  @Test(arguments: ["", "/"], ["", "/"])
  func `K23 slashes at the end of route and request do not count`(_ ofRoute: String, _ ofRequest: String) {
    #expect(captures(base, "/users/:id\(ofRoute)", "http://test.com/users/1\(ofRequest)") == ["id": "1"])
  }

  @Test func `K24 doubled slashes do not count`() {
    #expect(captures(base, "/users/:id", "http://test.com//users///1") == ["id": "1"])
  }

  @Test func `K28 letter case counts in the path unless it shall not`() {
    #expect(captures(base, "/Users", "http://test.com/users") == nil)
    let router = Router(base)
    router.isPathCaseSensitive = false
    router.get("/Users/:id") { _ in nil }
    #expect(router.match(Request("http://test.com/uSERS/Ab"))?.request.components == ["id": "Ab"])
  }

  @Test func `K30 captures are decoded and the raw value is there`() {
    let request = matched(base, "/users/:name/*rest", "http://test.com/users/John%20Doe/a%2Fb/%C3%A9")
    #expect(request?.components == ["name": "John Doe", "rest": "a/b/é"])
    #expect(request?.rawComponents == ["name": "John%20Doe", "rest": "a%2Fb/%C3%A9"])
  }

  @Test(arguments: ["/my files/café", "/my%20files/caf%C3%A9"])
  func `K31 literals match what they are encoded as`(_ path: String) {
    #expect(captures(base, path, "http://test.com/my%20files/caf%c3%a9") == [:])
    #expect(captures(base, path, "http://test.com/my files/café") == [:])
  }

  @Test func `K32 fragments take no part`() {
    #expect(captures(base, "/users", "http://test.com/users#top") == [:])
    #expect(captures(base, "/users/:id", "http://test.com/users/1?a=b#/x") == ["id": "1"])
    #expect(captures(base, "/users#here", "http://test.com/users") == [:])
  }

  @Test(arguments: [true, false])
  func `K33 literal before wildcard before catch-all, whatever the order`(_ isReversed: Bool) async throws {
    let router = Router()
    let paths = ["/users/me", "/users/:id", "/:kind/:id", "/users/*", "/*"]
    for path in isReversed ? paths.reversed() : paths { router.get(path, handler: says(path)) }
    #expect(try await router.text("/users/me") == "/users/me")
    #expect(try await router.text("/users/1") == "/users/:id")
    #expect(try await router.text("/posts/1") == "/:kind/:id")
    #expect(try await router.text("/users/1/2") == "/users/*")
    #expect(try await router.text("/x") == "/*")
  }

  @Test func `K34 among equals the latest wins`() async throws {
    let router = Router()
    router.get("/:a/x", handler: says("first"))
    router.get("/:b/x", handler: says("second"))
    #expect(try await router.text("/1/x") == "second")
    router.get("/{c}/x/", handler: says("third"))
    #expect(try await router.text("/1/x") == "third")
  }

  @Test func `K33 a walk that leads nowhere goes back`() async throws {
    let router = Router()
    router.get("/a/:x/c", handler: says("wildcard"))
    router.get("/a/b/d", handler: says("literal"))
    router.get("/a/*", handler: says("rest"))
    #expect(try await router.text("/a/b/c") == "wildcard")
    #expect(try await router.text("/a/b/d") == "literal")
    #expect(try await router.text("/a/b/e") == "rest")
  }

  @Test func `K48 braces are a wildcard's other spelling`() {
    #expect(
      captures(base, "/users/{id}/posts/{post}", "http://test.com/users/1/posts/2") == [
        "id": "1", "post": "2",
      ])
  }

  @Test func `K49 a catch-all takes what remains`() {
    #expect(captures(base, "/files/*path", "http://test.com/files/a/b.txt") == ["path": "a/b.txt"])
    #expect(captures(base, "/files/*", "http://test.com/files/a") == ["rest": "a"])
    #expect(captures(base, "/files/*path", "http://test.com/files") == ["path": ""])
  }
}
