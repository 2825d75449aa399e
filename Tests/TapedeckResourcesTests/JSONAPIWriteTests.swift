import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import TapedeckResources
import Testing

@Suite struct `P. JSON:API server, changing` {
  private let server: JSONAPIServer

  init() throws { server = try JSONAPIServer() }

  private func article(_ id: String) throws -> NewsArticle {
    try #require(server.store.find(NewsArticle.self, id: id))
  }

  @Test func `K282 POST creates`() async throws {
    let response = try await server.ask(
      .post, "/articles?include=author",
      [
        "data": [
          "type": "articles", "attributes": ["title": "New", "tags": ["x": "y"], "unknown": 1],
          "relationships": [
            "author": ["data": ["type": "person", "id": "10"]],
            "comments": ["data": [["type": "comment", "id": "21"]]],
          ],
        ], "@ignored": 1, "more": 2,
      ])
    #expect(response.status == 201)
    #expect(response.field("Location") == "/api/articles/100")
    #expect(response.data?["links"]?["self"]?.text == response.field("Location"))
    #expect(response.data?["attributes"] == ["title": "New", "views": 0, "tags": ["x": "y"]])
    #expect(response.json["included"]?.identities == ["person/10"])
    let made = try article("100")
    #expect((made.title, made.authorID, made.commentIDs) == ("New", "10", ["21"]))
    #expect(try await server.get("/articles/100").data == response.data)
  }

  @Test func `K283 ids of clients`() async throws {
    let wanted: JSONValue = ["data": ["type": "articles", "id": "mine"]]
    let refused = try await server.ask(.post, "/articles", wanted)
    #expect(refused.status == 403)
    #expect(refused.error?["source"] == ["pointer": "/data/id"])
    let open = try JSONAPIServer(JSONAPIOptions(allowsClientIDs: true))
    #expect(try await open.ask(.post, "/articles", wanted).field("Location") == "/api/articles/mine")
    #expect(try await open.ask(.post, "/articles", wanted).status == 409)
    #expect(open.store.count(NewsArticle.self) == 4)
    let odd = try await open.ask(.post, "/articles", ["data": ["type": "articles", "id": "a b/c"]])
    #expect(odd.field("Location") == "/api/articles/a%20b%2Fc")
    #expect(try await open.get("/articles/a%20b%2Fc").data?["id"] == "a b/c")
  }

  @Test(arguments: [
    (#"{"data":{"type":"people"}}"#, 409, "/data/type"), (#"{"data":{}}"#, 400, "/data/type"),
    (#"{"data":[]}"#, 400, "/data"), ("{}", 400, ""), ("[1]", 400, ""), ("{", 400, ""),
    (#"{"data":{"type":"articles","id":1}}"#, 400, "/data/id"),
    (#"{"data":{"type":"articles","attributes":[]}}"#, 400, "/data/attributes"),
    (#"{"data":{"type":"articles","attributes":{"views":"x"}}}"#, 422, "/data/attributes/views"),
    (#"{"data":{"type":"articles","attributes":{"tags":{"a/b":1}}}}"#, 422, "/data/attributes/tags/a~1b"),
    (#"{"data":{"type":"articles","relationships":{"author":{}}}}"#, 400, "/data/relationships/author"),
    (#"{"data":{"type":"articles","relationships":{"x":{"data":null}}}}"#, 422, "/data/relationships/x"),
    (
      #"{"data":{"type":"articles","relationships":{"author":{"data":{"type":"person","id":"9"}}}}}"#, 404,
      "/data/relationships/author/data"
    ),
    (
      #"{"data":{"type":"articles","relationships":{"author":{"data":{"type":"comment","id":"20"}}}}}"#, 409,
      "/data/relationships/author/data/type"
    ),
    (
      #"{"data":{"type":"articles","relationships":{"comments":{"data":{"type":"comment","id":"20"}}}}}"#,
      400, "/data/relationships/comments/data"
    ),
    (
      #"{"data":{"type":"articles","relationships":{"comments":{"data":[{"type":"comment","id":"7"}]}}}}"#,
      404, "/data/relationships/comments/data/0"
    ),
  ])
  func `K283 K287 what cannot be created is told, and nothing is`(
    _ body: String, _ status: Int, _ pointer: String
  ) async throws {
    let request = Request(
      "http://test.com/api/articles", method: .post, headers: ["Content-Type": JSONAPIServer.type],
      body: Array(body.utf8))
    let response = try JSONAPIServer.Received(try #require(try await server.router.respond(to: request)))
    #expect(response.status == status)
    #expect(response.error?["source"]?["pointer"]?.text == pointer)
    #expect(server.store.count(NewsArticle.self) == 3)
    #expect(server.store.create(NewsArticle.self)[0].id == "100", "no id was used up")
  }

  @Test func `K284 PATCH keeps what it does not say`() async throws {
    let response = try await server.ask(
      .patch, "/articles/1",
      ["data": ["type": "articles", "id": "1", "attributes": ["title": "Newer", "subtitle": "sub"]]])
    #expect(response.status == 200)
    #expect(response.data?["attributes"]?["title"] == "Newer")
    let article = try article("1")
    #expect((article.title, article.views, article.subtitle) == ("Newer", 5, "sub"))
    #expect((article.authorID, article.commentIDs) == ("11", ["20", "21"]))
    _ = try await server.ask(
      .patch, "/articles/1", ["data": ["type": "articles", "id": "1", "attributes": ["subtitle": nil]]])
    #expect(try self.article("1").subtitle == nil)
  }

  @Test func `K284 PATCH replaces relationships`() async throws {
    let response = try await server.ask(
      .patch, "/articles/1",
      [
        "data": [
          "type": "articles", "id": "1",
          "relationships": [
            "author": ["data": nil], "comments": ["data": [["type": "comment", "id": "21"]]],
          ],
        ]
      ])
    #expect(response.status == 200)
    #expect(try article("1").authorID == nil)
    #expect(try article("1").commentIDs == ["21"])
  }

  @Test(arguments: [
    ("1", #"{"type":"articles","id":"2"}"#, 409), ("1", #"{"type":"people","id":"1"}"#, 409),
    ("9", #"{"type":"articles","id":"9"}"#, 404), ("1", #"{"type":"articles"}"#, 400),
    ("1", #"{"type":"articles","id":"1","attributes":{"title":"t","views":"x"}}"#, 422),
    (
      "1",
      #"{"type":"articles","id":"1","attributes":{"title":"t"},"relationships":{"author":{"data":{"type":"person","id":"0"}}}}"#,
      404
    ),
  ])
  func `K284 K287 what cannot be updated is not, in no part`(_ id: String, _ data: String, _ status: Int)
    async throws
  {
    let before = try server.store.dump()
    let body: JSONValue = ["data": try JSONValue(parsing: Array(data.utf8))]
    #expect(try await server.ask(.patch, "/articles/\(id)", body).status == status)
    #expect(try server.store.dump() == before)
  }

  @Test func `K285 a to-one relationship is replaced and cleared`() async throws {
    let path = "/articles/1/relationships/author"
    let other = try await server.ask(.patch, path, ["data": ["type": "person", "id": "10"]])
    #expect(other.status == 204)
    #expect(try article("1").authorID == "10")
    #expect(try await server.ask(.patch, path, ["data": nil]).status == 204)
    #expect(try article("1").authorID == nil)
    #expect(try await server.ask(.patch, path, ["data": ["type": "person", "id": "9"]]).status == 404)
    #expect(try await server.ask(.patch, path, ["data": ["type": "comment", "id": "20"]]).status == 409)
    #expect(try await server.ask(.post, path, ["data": ["type": "person", "id": "10"]]).status == 403)
    #expect(try await server.ask(.patch, "/articles/9/relationships/author", ["data": nil]).status == 404)
    // A comment always has a writer.
    #expect(try await server.ask(.patch, "/comments/20/relationships/writer", ["data": nil]).status == 403)
  }

  @Test func `K285 a to-many relationship is replaced, added to and taken from`() async throws {
    let path = "/articles/1/relationships/comments"
    func comments(_ ids: String...) -> JSONValue {
      ["data": .array(ids.map { ["type": "comment", "id": JSONValue($0)] })]
    }
    #expect(try await server.ask(.delete, path, comments("20", "77")).status == 204)
    #expect(try article("1").commentIDs == ["21"])
    #expect(try await server.ask(.post, path, comments("21", "20", "20")).status == 204)
    #expect(try article("1").commentIDs == ["21", "20"])
    #expect(try await server.ask(.patch, path, comments("20")).status == 204)
    #expect(try article("1").commentIDs == ["20"])
    #expect(try await server.ask(.post, path, comments("21", "99")).status == 404)
    #expect(try article("1").commentIDs == ["20"])
    #expect(try await server.ask(.patch, path, comments()).status == 204)
    #expect(try article("1").commentIDs == [])
  }

  @Test func `K285 replacing all members can be forbidden`() async throws {
    let server = try JSONAPIServer(JSONAPIOptions(changes: [.create, .update]))
    let path = "/articles/1/relationships/comments"
    #expect(try await server.ask(.patch, path, ["data": []]).status == 403)
    let whole: JSONValue = [
      "data": [
        "type": "articles", "id": "1", "attributes": ["title": "x"],
        "relationships": ["comments": ["data": []]],
      ]
    ]
    #expect(try await server.ask(.patch, "/articles/1", whole).status == 403)
    #expect(server.store.find(NewsArticle.self, id: "1")?.title == "Swift")
    #expect(try await server.ask(.delete, "/articles/1").status == 403)
    #expect(try await server.ask(.delete, path, ["data": [["type": "comment", "id": "20"]]]).status == 204)
  }

  @Test func `K286 DELETE`() async throws {
    let response = try await server.ask(.delete, "/articles/1")
    #expect(response.status == 204)
    #expect(response.http.body == [])
    #expect(try await server.ask(.delete, "/articles/1").status == 404)
    #expect(try await server.get("/articles/1").status == 404)
    // What led there leads nowhere.
    #expect(try await server.ask(.delete, "/people/10").status == 204)
    #expect(try await server.get("/articles/2/relationships/author").data == .null)
  }

  @Test func `K287 a transaction is seen by nobody before its end, and starts over when it has to`() throws {
    let store = server.store
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try store.transaction { copy in
        copy.create(NewsWriter.self, number: 3)
        try copy.delete(NewsArticle.self, id: "1")
        #expect(store.find(NewsArticle.self, id: "1") != nil)
        throw Stop()
      }
    }
    #expect(store.count(NewsWriter.self) == 2)
    var runs = 0
    let made = store.transaction { copy in
      runs += 1
      if runs == 1 { store.create(NewsWriter.self) }
      return copy.create(NewsWriter.self)[0].id
    }
    #expect(runs == 2)
    #expect(made == "101")
    #expect(store.findAll(NewsWriter.self).map(\.id) == ["10", "11", "100", "101"])
  }

  @Test func `K287 many at once lose nothing`() async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<50 {
        group.addTask {
          let body: JSONValue = [
            "data": ["type": "articles", "attributes": ["title": JSONValue("t\(index)")]]
          ]
          return try await server.ask(.post, "/articles", body).status
        }
      }
      for try await status in group { #expect(status == 201) }
    }
    #expect(Set(server.store.findAll(NewsArticle.self).map(\.id)).count == 53)
  }

  @Test func `K288 errors have their form, whatever they are`() async throws {
    let server = try JSONAPIServer(JSONAPIOptions(changes: []))
    var broken = NewsArticle(id: "nan", store: server.store)
    broken.tags = ["a": "1"]
    try server.store.insert(broken)
    let responses = [
      try await server.get("/articles?x=1"), try await server.ask(.post, "/articles", ["data": []]),
      try await server.get("/articles/9"),
      try await server.get("/articles", headers: ["Accept": "\(JSONAPIServer.type);a=b"]),
    ]
    #expect(responses.map(\.status) == [400, 403, 404, 406])
    for response in responses {
      #expect(response.error?["status"]?.text == "\(response.status)")
      #expect(response.error?["title"]?.text?.isEmpty == false)
      #expect(response.error?["detail"]?.text?.isEmpty == false)
      #expect(response.field("Content-Type") == JSONAPIServer.type)
    }
  }

  private struct Measured: Storable, Codable {
    let id: String
    var value = Double.infinity
    init(id: String, store: Store) { self.id = id }
  }

  @Test func `K288 a value that cannot be written is a 500 that tells`() async throws {
    server.store.create(Measured.self)
    server.router.jsonAPI(server.store, Measured.self)
    let response = try await server.get("/measured")
    #expect(response.status == 500)
    #expect(response.error?["detail"]?.text?.contains("value is inf") == true)
  }

  private struct Typed: Storable, Codable {
    let id: String
    var type = "x"
    init(id: String, store: Store) { self.id = id }
  }

  @Test func `K292 an attribute that JSON:API has no place for is a 500 that tells`() async throws {
    server.store.create(Typed.self)
    server.router.jsonAPI(server.store, Typed.self)
    let response = try await server.get("/typed")
    #expect(response.status == 500)
    #expect(response.error?["detail"]?.text?.contains(#"$.type would be called "type""#) == true)
  }

  @Test func `K291 a POST can stand for a PATCH`() async throws {
    let override: HeaderFields = ["X-HTTP-Method-Override": "PATCH"]
    let body: JSONValue = ["data": ["type": "articles", "id": "1", "attributes": ["title": "x"]]]
    #expect(try await server.ask(.post, "/articles/1", body, headers: override).status == 200)
    #expect(try article("1").title == "x")
    let linkage: JSONValue = ["data": [["type": "comment", "id": "21"]]]
    let path = "/articles/1/relationships/comments"
    #expect(try await server.ask(.post, path, linkage, headers: override).status == 204)
    #expect(try article("1").commentIDs == ["21"])
  }

  @Test func `routers go when they are let go of`() throws {
    weak var router: Router?
    do {
      let server = try JSONAPIServer()
      router = server.router
      #expect(router != nil)
    }
    #expect(router == nil)
  }
}
