import TapedeckMocking
import Testing

// What a unit test gets from the product `TapedeckMocking`: `import TapedeckMocking` alone, and no proxy in the build.
// The target depends on nothing else, so a name that is not re-exported does not compile here.

private struct User: Storable, Serializable {
  let id: String
  var name = "Ada"

  init(id: String, store: Store) { self.id = id }
}

@Suite struct `The DSL alone` {
  @Test func `a router responds in a unit test`() async throws {
    let store = Store()
    store.create(User.self, number: 3)
    let router = Router("https://api.example.com")
    router.get("/users/:id") { request in store.find(User.self, id: request.components["id"] ?? "") }

    let response = try #require(try await router.respond(to: Request("https://api.example.com/users/2")))
    #expect(response.head.status == 200)
    #expect(try JSONValue(parsing: response.body) == ["id": "2", "name": "Ada"])
    #expect(try await router.respond(to: Request("https://api.example.com/posts")) == nil)
  }

  @Test func `a request is made by method, header fields and body`() async throws {
    let router = Router()
    router.post("/users") { request in
      let name = try request.json()["name"]?.text
      return Response(statusCode: 201, json: ["name": JSONValue(name ?? ""), "agent": "test"])
    }
    let request = Request(
      "/users", method: .post, headers: ["User-Agent": "test"], body: Array(#"{"name":"Bo"}"#.utf8))
    let response: HTTPResponse? = try await router.respond(to: request)
    #expect(response?.head.status == 201)
    #expect(try JSONValue(parsing: response?.body ?? []) == ["name": "Bo", "agent": "test"])
    #expect(throws: JSONError.self) { try Request("/users").json() }
  }
}
