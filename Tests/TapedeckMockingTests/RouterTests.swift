import MockingSupport
import Synchronization
import TapedeckHTTP
import TapedeckMocking
import Testing

@Suite struct `B. Routers` {
  @Test func `K50 a new router has no latency and tells its base`() {
    let router = Router("http://www.test.com")
    #expect(router.latency == 0)
    #expect(router.baseURL == "http://www.test.com")
    #expect(router.isEmpty)
  }

  @Test func `K51 methods of one path are independent`() async throws {
    let router = Router()
    router.get("/a", handler: says("get"))
    router.post("/a", handler: says("post"))
    router.put("/a", handler: says("put"))
    router.del("/a", handler: says("delete"))
    router.patch("/a", handler: says("patch"))
    for (method, name) in [
      (HTTPMethod.get, "get"), (.post, "post"), (.put, "put"), (.delete, "delete"), (.patch, "patch"),
    ] {
      #expect(try await router.text("/a", method) == name)
    }
    #expect(try await router.text("/a", .head) == nil)
  }

  @Test func `K52 registering again replaces`() async throws {
    let router = Router()
    router.get("/users/:id", handler: says("old"))
    #expect(try await router.text("/users/1") == "old")
    router.get("users/{user}/", handler: says("new"))
    #expect(try await router.text("/users/1") == "new")
    #expect(router.routes == ["GET users/{user}/"])
  }

  @Test func `K62 routes are removed one by one or all`() async throws {
    let router = Router()
    let route = router.get("/a", handler: says("a"))
    router.get("/b", handler: says("b"))
    router.get("/b", handler: says("b too")).when { _ in true }
    router.post("/b", handler: says("post"))
    #expect(route.remove())
    #expect(!route.remove())
    #expect(try await router.text("/a") == nil)
    #expect(router.remove(.get, "/b") == 2)
    #expect(try await router.text("/b") == nil)
    #expect(try await router.text("/b", .post) == "post")
    #expect(router.remove(.get, "/nothing") == 0)
    router.removeAll()
    #expect(router.isEmpty)
    #expect(try await router.text("/b", .post) == nil)
  }

  @Test func `K63 any method can be registered`() async throws {
    let router = Router()
    router.head("/a") { _ in Response(statusCode: 203, text: "head") }
    router.options("/a", handler: says("options"))
    router.on("PURGE")("/a", handler: says("purge"))
    router.any("/a", handler: says("any"))
    router.any("/b", handler: says("other"))
    let head = try await router.answered("/a", .head)
    #expect((head.head.status, head.body) == (203, []), "an answer to HEAD has no body")
    #expect(try await router.text("/a", .options) == "options")
    #expect(try await router.text("/a", HTTPMethod(rawValue: "PURGE")) == "purge")
    #expect(try await router.text("/a", .get) == "any")
    #expect(try await router.text("/b", .put) == "other")
  }

  @Test func `K64 groups have a path and conditions in common`() async throws {
    let router = Router("http://test.com")
    router.group("/v1") { v1 in
      v1.get("/users", handler: says("v1"))
      v1.group("admin/") { $0.get("users/:id", handler: says("admin")) }
      v1.get("?ping", handler: says("ping"))
    }
    router.group("v2", headers: ["X-Key": "k"], latency: 0) { $0.query("no") == nil }
      .get("users", handler: says("v2"))
    #expect(try await router.text("http://test.com/v1/users") == "v1")
    #expect(try await router.text("http://test.com/v1/admin/users/3") == "admin")
    #expect(try await router.text("http://test.com/v1?ping") == "ping")
    #expect(try await router.text("http://test.com/v2/users") == nil)
    #expect(try await router.text("http://test.com/v2/users", headers: ["x-key": "k"]) == "v2")
    #expect(try await router.text("http://test.com/v2/users?no=1", headers: ["x-key": "k"]) == nil)
    #expect(try await router.text("http://test.com/users") == nil)
  }

  @Test func `K65 an override is taken back`() async throws {
    let router = Router()
    router.get("/users", handler: says("normal"))
    let override = router.get("/users", handler: says("down"))
    #expect(try await router.text("/users") == "down")
    #expect(override.restore())
    #expect(try await router.text("/users") == "normal")
    #expect(!override.restore())
  }

  @Test func `K65 overrides of a scope end with it`() async throws {
    let router = Router()
    router.get("/users", handler: says("normal"))
    router.get("/gone", handler: says("there"))
    try await router.withOverrides { () async throws in
      router.get("/users", handler: says("down"))
      router.get("/new", handler: says("new"))
      router.remove(.get, "/gone")
      router.nilStatusCode = 404
      #expect(try await router.text("/users") == "down")
      #expect(try await router.text("/new") == "new")
      #expect(try await router.text("/gone") == nil)
    }
    #expect(try await router.text("/users") == "normal")
    #expect(try await router.text("/new") == nil)
    #expect(try await router.text("/gone") == "there")
    #expect(router.nilStatusCode == 200)
  }

  @Test func `K66 a one-shot handler answers once`() async throws {
    let router = Router()
    router.get("/users", handler: says("default"))
    router.get("/users", handler: says("once")).once()
    router.get("/users", handler: says("twice")).times(2)
    var answers: [String?] = []
    for _ in 0..<5 { answers.append(try await router.text("/users")) }
    #expect(answers == ["twice", "twice", "once", "default", "default"])
  }

  @Test func `K66 looking does not use a one-shot handler up`() async throws {
    let router = Router()
    router.get("/users", handler: says("once")).once()
    #expect(router.handles(Request("/users")))
    #expect(router.handles(Request("/users")))
    #expect(try await router.text("/users") == "once")
    #expect(!router.handles(Request("/users")))
  }

  @Test func `K66 of many who ask at once, one gets it`() async throws {
    let router = Router()
    router.get("/users", handler: says("default"))
    router.get("/users", handler: says("once")).once()
    let answers = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<200 { group.addTask { try await router.text("/users") } }
      return try await group.reduce(into: [String?]()) { $0.append($1) }
    }
    #expect(answers.count { $0 == "once" } == 1)
    #expect(answers.count { $0 == "default" } == 199)
  }

  @Test func `narrowing a route brings back what it had replaced`() async throws {
    let router = Router()
    router.get("/a", handler: says("first"))
    let second = router.get("/a", handler: says("second"))
    router.get("/a", handler: says("third")).headers(["X": "1"])
    #expect(try await router.text("/a") == "second")
    #expect(try await router.text("/a", headers: ["x": "1"]) == "third")
    second.when { _ in false }
    #expect(try await router.text("/a") == "first")
  }
}

@Suite struct `B. Registries` {
  private func text(_ registry: RouterRegistry, _ url: String) async throws -> String? {
    guard let match = registry.match(Request(url)),
      case .response(let response) = await match.response(next: nil)
    else { return nil }
    return response.text
  }

  @Test func `K53 two routers on different bases`() async throws {
    let registry = RouterRegistry()
    registry.register("http://www.test.com").get("/users/:id", handler: says("one"))
    registry.register("other.com").get("/users/:id", handler: says("two"))
    #expect(try await text(registry, "http://www.test.com/users/1") == "one")
    #expect(try await text(registry, "https://www.other.com/users/1") == "two")
  }

  @Test func `K54 of nested bases the one answers whose remainder matches`() async throws {
    let registry = RouterRegistry()
    for base in ["http://host.com", "http://host.com/v1", "http://host.com/v1/foo/bar"] {
      registry.register(base).get("/users/:id", handler: says(base))
    }
    #expect(try await text(registry, "http://host.com/v1/users/1") == "http://host.com/v1")
    #expect(try await text(registry, "http://host.com/users/1") == "http://host.com")
    #expect(try await text(registry, "http://host.com/v1/foo/bar/users/1") == "http://host.com/v1/foo/bar")
  }

  @Test func `K55 routers of one base add up, and the first one goes first`() async throws {
    let registry = RouterRegistry()
    for path in ["/a", "/b", "/c"] { registry.register("http://test.com").get(path, handler: says(path)) }
    for path in ["/a", "/b", "/c"] { #expect(try await text(registry, "http://test.com\(path)") == path) }
    registry.register("http://test.com").get("/a", handler: says("later"))
    #expect(try await text(registry, "http://test.com/a") == "/a")
    registry.register("http://test.com", overriding: true).get("/a", handler: says("override"))
    #expect(try await text(registry, "http://test.com/a") == "override")
  }

  @Test func `K56 a router never answers for another host`() async throws {
    let registry = RouterRegistry()
    registry.register("http://test.com").get("/users", handler: says("no"))
    #expect(try await text(registry, "http://kakapo.com/users") == nil)
  }

  @Test func `K57 unregistering a base removes all of its routers`() async throws {
    let registry = RouterRegistry()
    for base in ["http://a.com", "http://b.com", "http://a.com", "http://c.com"] {
      registry.register(base).get("/x", handler: says(base))
    }
    #expect(registry.unregister("http://a.com") == 2)
    #expect(registry.unregister("http://b.com") == 1)
    #expect(try await text(registry, "http://a.com/x") == nil)
    #expect(try await text(registry, "http://b.com/x") == nil)
    #expect(try await text(registry, "http://c.com/x") == "http://c.com")
  }

  @Test func `K58 after all are gone, nothing answers, and registering works again`() async throws {
    let registry = RouterRegistry()
    for base in ["http://a.com", "http://b.com"] { registry.register(base).get("/x", handler: says(base)) }
    registry.unregisterAll()
    #expect(try await text(registry, "http://a.com/x") == nil)
    #expect(try await text(registry, "http://b.com/x") == nil)
    registry.register("http://a.com").get("/x", handler: says("again"))
    #expect(try await text(registry, "http://a.com/x") == "again")
  }

  @Test func `K59 routers that were unregistered are let go of`() {
    let registry = RouterRegistry()
    weak let first = registry.register("http://a.com")
    weak let second = registry.register("http://b.com")
    weak let third = registry.register("http://c.com")
    first?.get("/x") { _ in nil }.when { _ in true }
    registry.unregister("http://a.com")
    #expect(first == nil)
    #expect(second != nil)
    registry.unregisterAll()
    #expect(second == nil)
    #expect(third == nil)
  }

  @Test func `K60 a request that is under way ends well when its router goes`() async throws {
    let registry = RouterRegistry()
    registry.register("http://a.com").get("/x", handler: says("still here"))
    let match = try #require(registry.match(Request("http://a.com/x")))
    registry.unregisterAll()
    guard case .response(let response) = await match.response(next: nil) else {
      Issue.record("no answer")
      return
    }
    #expect(response.text == "still here")
  }

  @Test func `K61 registering and asking at once`() async throws {
    let registry = RouterRegistry()
    registry.register("http://stays.com").get("/x", handler: says("here"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask { () async throws in
          for round in 0..<100 {
            let base = "http://\(worker).com"
            let router = registry.register(base)
            let route = router.get("/\(round)", handler: says("\(round)"))
            #expect(try await text(registry, "\(base)/\(round)") == "\(round)")
            #expect(try await text(registry, "http://stays.com/x") == "here")
            route.when { _ in true }.remove()
            registry.unregister(base)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(registry.routers.count == 1)
  }

  @Test func `K67 isolated registries do not see one another`() async throws {
    let (one, other) = (RouterRegistry(), RouterRegistry())
    one.register("http://a.com").get("/x", handler: says("one"))
    other.register("http://a.com").get("/x", handler: says("other"))
    other.register("http://b.com").get("/x", handler: says("other"))
    #expect(try await text(one, "http://a.com/x") == "one")
    #expect(try await text(other, "http://a.com/x") == "other")
    #expect(try await text(one, "http://b.com/x") == nil)
  }
}
