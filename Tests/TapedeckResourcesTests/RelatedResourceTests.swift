import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import TapedeckResources
import Testing

/// Entities whose inverses the store keeps in step, served as JSON:API without a word about their relationships.
@Suite struct `O. Relations as JSON:API` {
  private let store = Store(ids: .perType())
  private let router = Router("http://test.com")

  init() throws {
    try store.create(Author.self, number: 2)
    try store.create(Essay.self, number: 2)
    try store.update(Essay.self, id: "1") { $0.author.id = "1" }
    router.jsonAPI(store, Essay.self, at: "/essays").resource(Author.self, at: "/authors")
  }

  private func ask(_ path: String, _ method: HTTPMethod = .get, _ body: String = "") async throws
    -> HTTPResponse
  {
    let headers: HeaderFields = body.isEmpty ? [:] : ["Content-Type": "application/vnd.api+json"]
    return try #require(
      try await router.answer("http://test.com\(path)", method, headers: headers, body: body))
  }

  @Test func `K244 relations are relationships, with what they lead to included`() async throws {
    let heard = try JSONValue(parsing: try await ask("/essays/1?include=author").body)
    #expect(heard["data"]?["relationships"]?["author"]?["data"]?["id"] == "1")
    #expect(heard["data"]?["relationships"]?["tags"]?["data"] == [])
    #expect(heard["data"]?["attributes"] == ["text": "text"])
    #expect(heard["included"]?.array?.map { $0["id"]?.text } == ["1"])
    #expect(heard["included"]?[0]?["relationships"]?["essays"]?["data"]?[0]?["id"] == "1")
  }

  @Test func `K245 what is written to one side is read at the other`() async throws {
    let linkage = #"{"data": {"type": "author", "id": "2"}}"#
    #expect(try await ask("/essays/1/relationships/author", .patch, linkage).head.status < 300)
    #expect(store.findAll(Author.self).map(\.essays.ids) == [[], ["1"]])
    let made = try await ask(
      "/essays", .post,
      #"{"data": {"type": "essay", "attributes": {"text": "new"}, "relationships": {"author": \#(linkage)}}}"#
    )
    #expect(made.head.status == 201)
    #expect(store.the(Author.self, "2").essays.count == 2)
    #expect(try await ask("/authors/2", .delete).head.status == 204)
    #expect(store.findAll(Essay.self).allSatisfy { $0.author.isEmpty })
  }
}
