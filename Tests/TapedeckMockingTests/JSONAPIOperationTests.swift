import TapedeckHTTP
import TapedeckMocking
import Testing

@Suite struct `P. JSON:API server, atomic operations` {
  private let server: JSONAPIServer
  private let ext = "application/vnd.api+json; ext=\"https://jsonapi.org/ext/atomic\""

  init() throws { server = try JSONAPIServer() }

  @Test func `K289 resources are added, updated and removed, in order`() async throws {
    let answer = try await server.operate([
      ["op": "add", "href": "/api/articles", "data": ["type": "articles", "attributes": ["title": "A"]]],
      ["op": "update", "data": ["type": "articles", "id": "1", "attributes": ["title": "B"]]],
      ["op": "remove", "ref": ["type": "articles", "id": "2"]],
      [
        "op": "update", "href": "/api/articles/3",
        "data": ["type": "articles", "id": "3", "attributes": ["title": "C"]],
      ],
    ])
    #expect(answer.status == 200)
    #expect(answer.field("Content-Type") == ext)
    let results = try #require(answer.json["atomic:results"]?.array)
    #expect(results.map { $0["data"]?["id"]?.text } == ["100", "1", nil, "3"])
    #expect(results[2] == [:])
    #expect(answer.json.names == ["atomic:results"])
    #expect(server.store.findAll(NewsArticle.self).map(\.title) == ["B", "C", "A"])
  }

  @Test func `K289 local ids lead from one operation to the next`() async throws {
    let answer = try await server.operate([
      ["op": "add", "data": ["type": "person", "lid": "p", "attributes": ["name": "Zoe"]]],
      [
        "op": "add",
        "data": [
          "type": "articles", "lid": "a",
          "relationships": ["author": ["data": ["type": "person", "lid": "p"]]],
        ],
      ],
      [
        "op": "update", "ref": ["type": "articles", "lid": "a"],
        "data": ["type": "articles", "lid": "a", "attributes": ["title": "T"]],
      ],
      [
        "op": "add", "ref": ["type": "articles", "lid": "a", "relationship": "comments"],
        "data": [["type": "comment", "id": "20"]],
      ],
    ])
    #expect(answer.status == 200)
    let article = try #require(server.store.find(NewsArticle.self, id: "101"))
    #expect((article.authorID, article.title, article.commentIDs) == ("100", "T", ["20"]))
    #expect(answer.json["atomic:results"]?[1]?["data"]?["relationships"]?["author"]?["data"]?["id"] == "100")
    #expect(answer.json["atomic:results"]?[3] == [:])
  }

  @Test func `K289 relationships by reference and by URL; nothing to tell is 204`() async throws {
    let answer = try await server.operate([
      ["op": "update", "ref": ["type": "articles", "id": "1", "relationship": "author"], "data": nil],
      [
        "op": "remove", "href": "/api/articles/1/relationships/comments",
        "data": [["type": "comment", "id": "20"]],
      ],
      [
        "op": "update", "href": "http://test.com/api/articles/2/relationships/comments",
        "data": [["type": "comment", "id": "20"]],
      ],
      ["op": "remove", "href": "/api/articles/3"],
    ])
    #expect(answer.status == 204)
    #expect(answer.http.body == [])
    let article = try #require(server.store.find(NewsArticle.self, id: "1"))
    #expect((article.authorID, article.commentIDs) == (nil, ["21"]))
    #expect(server.store.find(NewsArticle.self, id: "2")?.commentIDs == ["20"])
    #expect(server.store.count(NewsArticle.self) == 2)
  }

  @Test(arguments: [
    (#"{"op":"remove","ref":{"type":"articles","id":"9"}}"#, 404, "/atomic:operations/1/ref"),
    (
      #"{"op":"add","data":{"type":"articles","attributes":{"views":"x"}}}"#, 422,
      "/atomic:operations/1/data/attributes/views"
    ),
    (#"{"op":"add","data":{"type":"articles","id":"x"}}"#, 403, "/atomic:operations/1/data/id"),
    (#"{"op":"add","data":{"type":"nothing"}}"#, 404, "/atomic:operations/1/data/type"),
    (#"{"op":"move"}"#, 400, "/atomic:operations/1/op"), (#"{}"#, 400, "/atomic:operations/1/op"),
    (#"{"op":"add"}"#, 400, "/atomic:operations/1"),
    (
      #"{"op":"remove","href":"/api/articles/1","ref":{"type":"articles","id":"1"}}"#, 400,
      "/atomic:operations/1"
    ),
    (#"{"op":"remove","href":"/api/nothing/1"}"#, 404, "/atomic:operations/1/href"),
    (#"{"op":"remove","ref":{"type":"articles","lid":"q"}}"#, 404, "/atomic:operations/1/ref/lid"),
    (#"{"op":"remove","ref":{"type":"articles"}}"#, 400, "/atomic:operations/1/ref"),
    (
      #"{"op":"update","ref":{"type":"comment","id":"20","relationship":"writer"},"data":null}"#, 403,
      "/atomic:operations/1/data"
    ),
  ])
  func `K289 one that fails undoes all, and is pointed at`(
    _ operation: String, _ status: Int, _ pointer: String
  )
    async throws
  {
    let before = try server.store.dump()
    let first: JSONValue = ["op": "remove", "ref": ["type": "articles", "id": "3"]]
    let answer = try await server.operate([first, try JSONValue(parsing: Array(operation.utf8))])
    #expect(answer.status == status)
    #expect(answer.error?["source"]?["pointer"]?.text == pointer)
    #expect(try server.store.dump() == before)
  }

  @Test func `K289 the extension has to be named, and the method is POST`() async throws {
    let body: JSONValue = ["atomic:operations": [["op": "remove", "ref": ["type": "articles", "id": "1"]]]]
    #expect(try await server.ask(.post, "/operations", body).status == 415)
    #expect(try await server.operate([]).status == 400)
    #expect(try await server.ask(.post, "/operations", [:], headers: ["Content-Type": ext]).status == 400)
    let request = Request("http://test.com/api/operations")
    #expect(try await server.router.respond(to: request) == nil)
    let accepted = try await server.ask(
      .post, "/operations", body, headers: ["Content-Type": ext, "Accept": ext])
    #expect(accepted.status == 204)
    #expect(server.store.count(NewsArticle.self) == 2)
  }
}
