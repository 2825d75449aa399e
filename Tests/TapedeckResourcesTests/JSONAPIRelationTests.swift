import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import TapedeckResources
import Testing

/// Not the one of the testing library.
typealias Tag = MockingSupport.Tag

/// Relations that the store keeps in step, served.
@Suite struct `P. JSON:API server, relations of the store` {
  private let store = Store()
  private let router = Router()

  init() throws {
    try store.insert(Author(id: "1", name: "Ada"))
    try store.insert(Author(id: "2", name: "Bob"))
    try store.insert(Tag(id: "t"))
    try store.insert(Essay(id: "a", author: ToOne(id: "1"), tags: ToMany(ids: ["t"])))
    router.jsonAPI(store, Essay.self, at: "/articles").resource(Author.self, at: "/authors")
      .resource(Tag.self, at: "/tags")
    router.rest(store, Essay.self, at: "/rest/articles")
  }

  private func ask(_ method: HTTPMethod, _ path: String, _ body: String = "") async throws
    -> JSONAPIServer.Received
  {
    let response = try await router.answer(
      path, method, headers: ["Content-Type": JSONAPIServer.type], body: body)
    return try JSONAPIServer.Received(try #require(response))
  }

  @Test func `K246 both sides are relationships, and no attributes`() async throws {
    let response = try await ask(.get, "/articles/a?include=author.essays,tags")
    #expect(response.data?["attributes"] == ["text": "text"])
    #expect(response.data?["relationships"]?["author"]?["data"]?.identities == ["author/1"])
    #expect(response.json["included"]?.identities == ["author/1", "tag/t"])
    #expect(try await ask(.get, "/authors/1/essays").ids == ["a"])
  }

  @Test func `K245 what is changed on one side is changed on the other`() async throws {
    let path = "/articles/a/relationships/author"
    #expect(try await ask(.patch, path, #"{"data":{"type":"author","id":"2"}}"#).status == 204)
    #expect(try await ask(.get, "/authors/1/essays").ids == [])
    #expect(try await ask(.get, "/authors/2/essays").ids == ["a"])
    let links = "/authors/1/relationships/essays"
    #expect(try await ask(.post, links, #"{"data":[{"type":"essay","id":"a"}]}"#).status == 204)
    #expect(store.find(Essay.self, id: "a")?.author.id == "1")
    #expect(try await ask(.patch, path, #"{"data":null}"#).status == 204)
    #expect(store.find(Author.self, id: "1")?.essays.ids == [])
    let changed = try await ask(
      .patch, "/articles/a", #"{"data":{"type":"essay","id":"a","attributes":{"text":"new"}}}"#)
    #expect(changed.status == 200)
    #expect(store.find(Essay.self, id: "a")?.tags.ids == ["t"])
  }

  @Test func `K245 what is created is linked, and what is deleted is not`() async throws {
    let created = try await ask(
      .post, "/articles",
      #"{"data":{"type":"essay","relationships":{"author":{"data":{"type":"author","id":"2"}}}}}"#)
    #expect(created.status == 201)
    let id = try #require(created.data?["id"]?.text)
    #expect(store.find(Author.self, id: "2")?.essays.ids == [id])
    #expect(try await ask(.delete, "/articles/\(id)").status == 204)
    #expect(store.find(Author.self, id: "2")?.essays.ids == [])
    let missing = try await ask(
      .post, "/articles",
      #"{"data":{"type":"essay","relationships":{"author":{"data":{"type":"author","id":"9"}}}}}"#)
    #expect(missing.status == 404)
  }

  @Test func `K245 over REST as well`() async throws {
    let made = try await router.answer("/rest/articles", .post, body: #"{"author":"2","tags":["t"]}"#)
    let json = try JSONValue(parsing: try #require(made).body)
    #expect(json["author"] == "2")
    #expect(store.find(Author.self, id: "2")?.essays.ids == [json["id"]?.text ?? ""])
    let missing = try await router.answer("/rest/articles", .post, body: #"{"author":"9"}"#)
    #expect(missing?.head.status == 422)
  }
}
