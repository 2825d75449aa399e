import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import Testing

@Suite struct `A. Queries, predicates and header fields` {
  @Test func `K35 a wildcard in the query`() {
    #expect(
      captures("http://test.com", "/users/:id?flag=:param", "http://test.com/users/1?flag=true")
        == ["id": "1", "param": "true"])
    #expect(
      captures("", "/users/:id?flag={param}", "/users/1?flag=a%20b") == ["id": "1", "param": "a b"])
  }

  @Test func `K36 nothing but a query`() {
    #expect(captures("http://test.com", "?flag=:param", "http://test.com?flag=true") == ["param": "true"])
    #expect(captures("http://test.com", "?flag=:param", "http://test.com/?flag=true") == ["param": "true"])
    #expect(captures("http://test.com", "?flag=:param", "http://test.com/") == nil)
  }

  @Test func `K37 a literal in the query catches nothing and stays in the list`() {
    let request = matched("http://test.com", "/users?flag=true", "http://test.com/users?flag=true")
    #expect(request?.components == [:])
    #expect(request?.queryParameters == [QueryItem(name: "flag", value: "true")])
  }

  @Test func `K38 other items and their order do not matter`() {
    #expect(
      captures("", "/posts/:post_id?author=:auth&page=2", "/posts/1?x=y&page=2&author=hector&z")
        == ["post_id": "1", "auth": "hector"])
  }

  @Test func `K38 of several items of one name the first counts`() {
    #expect(captures("", "/a?x=1", "/a?x=1&x=2") == [:])
    #expect(captures("", "/a?x=1", "/a?x=2&x=1") == nil)
  }

  @Test func `K39 a missing name does not match`() {
    #expect(captures("", "/users?flag=:param", "/users?other=1") == nil)
    #expect(captures("", "/users?flag=:param", "/users") == nil)
    #expect(captures("", "/users?flag", "/users?flag=anything") == [:])
    #expect(captures("", "/users?flag=true", "/users?flag") == [:])
  }

  @Test func `K40 another literal does not match`() {
    #expect(captures("", "/users?flag=true", "/users?flag=false") == nil)
  }

  @Test func `K41 two queries on one path`() async throws {
    let router = Router()
    router.get("/users?author=max", handler: says("author"))
    router.get("/users?location=austria", handler: says("location"))
    router.get("?author=max", handler: says("bare"))
    #expect(try await router.text("/users?author=max") == "author")
    #expect(try await router.text("/users?location=austria") == "location")
    #expect(try await router.text("/?author=max") == "bare")
  }

  @Test func `K42 a query alone does not take longer paths`() {
    #expect(captures("http://test.com", "?flag=:param", "http://test.com/users?flag=true") == nil)
  }

  @Test func `K43 another order of the query is the same route`() async throws {
    let router = Router()
    router.get("/users?called=:called&author=max", handler: says("old"))
    router.get("/users?author=max&called=:called", handler: says("new"))
    #expect(try await router.text("/users?called=x&author=max") == "new")
    #expect(router.count == 1)
  }

  @Test func `K44 a query route goes before one without, whatever the order`() async throws {
    for isReversed in [true, false] {
      let router = Router()
      if isReversed { router.get("/users", handler: says("plain")) }
      router.get("/users?page=:page", handler: says("page"))
      router.get("/users?page=:page&size=:size", handler: says("both"))
      if !isReversed { router.get("/users", handler: says("plain")) }
      #expect(try await router.text("/users?page=1") == "page")
      #expect(try await router.text("/users?size=5&page=1") == "both")
      #expect(try await router.text("/users") == "plain")
      #expect(try await router.text("/users?size=5") == "plain")
    }
  }

  @Test func `K45 a false predicate leaves the request to the next route, then to nobody`() async throws {
    let router = Router()
    router.get("/users/:id", handler: says("plain"))
    router.get("/users/:id", handler: says("special")).when { $0.components["id"] == "1" }
    #expect(try await router.text("/users/1") == "special")
    #expect(try await router.text("/users/2") == "plain")
    let alone = Router()
    alone.get("/users", handler: says("never")).when { _ in false }
    #expect(try await alone.text("/users") == nil)
  }

  @Test func `K46 a predicate sees components, query, header fields and body`() async throws {
    let router = Router()
    router.post("/users/:id", handler: says("yes")).when { request in
      request.components == ["id": "1"] && request.query("q") == "2" && request.header("x-a") == "3"
        && request.text == "4" && request.method == .post
    }
    #expect(try await router.text("/users/1?q=2", .post, headers: ["X-A": "3"], body: "4") == "yes")
    #expect(try await router.text("/users/1?q=2", .post, headers: ["X-A": "3"], body: "5") == nil)
  }

  @Test func `K46 all predicates of a route must hold`() async throws {
    let router = Router()
    router.get("/a", handler: says("both")).when { $0.query("x") != nil }.when { $0.query("y") != nil }
    #expect(try await router.text("/a?x=1") == nil)
    #expect(try await router.text("/a?x=1&y=1") == "both")
  }

  @Test func `K47 all header fields that a route wants must be there`() async throws {
    let router = Router()
    router.get("/users", handler: says("plain"))
    router.get("/users", handler: says("versioned")).headers(["Accept-Version": "2", "X-Any": "*"])
    #expect(try await router.text("/users") == "plain")
    #expect(try await router.text("/users", headers: ["accept-version": "2"]) == "plain")
    #expect(try await router.text("/users", headers: ["accept-version": "2", "x-any": "z"]) == "versioned")
    #expect(try await router.text("/users", headers: ["accept-version": "3", "x-any": "z"]) == "plain")
    #expect(
      try await router.text(
        "/users", headers: ["accept-version": "1", "ACCEPT-VERSION": "2", "x-any": "z"]) == "versioned")
  }

  @Test func `patterns that make no sense are refused`() {
    for path in ["/{}", "/:", "/*rest/more"] {
      #expect(throws: PathPatternError.self) { try Router().register(.get, path, handler: says("")) }
    }
  }
}
