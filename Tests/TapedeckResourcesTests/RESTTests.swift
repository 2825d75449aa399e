import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import TapedeckResources
import Testing

/// The entities of `JSONAPIServer`, over REST.
private struct RESTServer {
  let store: Store
  let router = Router("http://test.com/v1")

  init(_ serializer: any ResourceSerializer = .rest, except: ResourceActions = []) throws {
    store = try JSONAPIServer().store
    router.rest(store, NewsArticle.self, at: "/articles", except: except, as: serializer)
      .resource(NewsWriter.self, at: "/people")
  }

  func ask(_ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil) async throws -> HTTPResponse {
    let request = Request("http://test.com/v1\(path)", method: method, body: body?.bytes() ?? [])
    return try #require(try await router.respond(to: request))
  }

  func get(_ path: String) async throws -> JSONValue {
    try JSONValue(parsing: try await ask(.get, path).body)
  }

  func ids(_ path: String) async throws -> [String] {
    try await get(path).array?.compactMap { $0["id"]?.text } ?? []
  }
}

@Suite struct `O. REST resources` {
  @Test func `K258 K259 index, show, create, update and delete`() async throws {
    let server = try RESTServer()
    #expect(try await server.ids("/articles") == ["1", "2", "3"])
    let shown = try await server.ask(.get, "/articles/3")
    #expect(shown.head.status == 200)
    #expect(shown.field("Content-Type") == "application/json")
    #expect(
      shown.text
        == #"{"id":"3","title":"API","views":5,"tags":{"a":"1","b":"2"},"commentIDs":[]}"#)
    let created = try await server.ask(.post, "/articles", ["title": "New", "authorID": "10"])
    #expect((created.head.status, created.field("Location")) == (201, "/v1/articles/100"))
    #expect(server.store.find(NewsArticle.self, id: "100")?.authorID == "10")
    for method in [HTTPMethod.put, .patch] {
      let updated = try await server.ask(method, "/articles/100", ["title": JSONValue(method.rawValue)])
      #expect(updated.head.status == 200)
      #expect(server.store.find(NewsArticle.self, id: "100")?.title == method.rawValue)
    }
    #expect(server.store.find(NewsArticle.self, id: "100")?.authorID == "10")
    let deleted = try await server.ask(.delete, "/articles/100")
    #expect((deleted.head.status, deleted.body) == (204, []))
  }

  @Test(arguments: [HTTPMethod.get, .put, .patch, .delete])
  func `K258 what is missing is a 404`(_ method: HTTPMethod) async throws {
    let response = try await RESTServer().ask(method, "/articles/9", [:])
    #expect(response.head.status == 404)
    #expect(response.field("Content-Type") == "application/problem+json")
    #expect(try JSONValue(parsing: response.body)["detail"]?.text?.contains("\"9\"") == true)
  }

  @Test func `K258 only some actions, at the standard path`() async throws {
    let server = try RESTServer(except: [.delete, .update])
    #expect(
      try await server.router.respond(to: Request("http://test.com/v1/articles/1", method: .delete)) == nil)
    server.router.rest(server.store, ArticleComment.self, only: .index)
    #expect(try await server.ids("/comment") == ["20", "21"])
    #expect(try await server.router.respond(to: Request("http://test.com/v1/comment/20")) == nil)
  }

  @Test func `a client's id is taken, once`() async throws {
    let server = try RESTServer()
    #expect(try await server.ask(.post, "/articles", ["id": "mine"]).field("Location") == "/v1/articles/mine")
    #expect(try await server.ask(.post, "/articles", ["id": "mine"]).head.status == 409)
  }

  @Test(
    arguments: [
      (["views": "x"], 422), (["authorID": "99"], 422), (["authorID": 1], 422),
      (["commentIDs": ["20", 1]], 422),
      (["commentIDs": ["99"]], 422), ([1], 400),
    ] as [(JSONValue, Int)])
  func `what cannot be read changes nothing`(_ body: JSONValue, _ status: Int) async throws {
    let server = try RESTServer()
    let before = try server.store.dump()
    #expect(try await server.ask(.post, "/articles", body).head.status == status)
    #expect(try await server.ask(.patch, "/articles/1", body).head.status == status)
    #expect(try server.store.dump() == before)
  }

  @Test func `K260 many ids at once`() async throws {
    let server = try RESTServer()
    #expect(try await server.ids("/articles?ids[]=3&ids[]=1") == ["1", "3"])
    #expect(try await server.ids("/articles?filter[id]=2,3") == ["2", "3"])
    #expect(try await server.ids("/articles?id=2") == ["2"])
  }

  @Test func `K266 sorted, filtered and in pages`() async throws {
    let server = try RESTServer()
    #expect(try await server.ids("/articles?sort=-views,title") == ["2", "3", "1"])
    #expect(try await server.ids("/articles?views=5&utm=x") == ["1", "3"])
    #expect(try await server.ids("/articles?authorID=10") == ["2"])
    let page = try await server.ask(.get, "/articles?page=2&per_page=2")
    #expect(page.field("X-Total-Count") == "3")
    #expect(try JSONValue(parsing: page.body).array?.count == 1)
    #expect(try await server.ask(.get, "/articles?page=0").head.status == 400)
    #expect(try await server.ask(.get, "/articles?sort=nothing").head.status == 400)
  }

  @Test func `K264 snake case under a root, both ways`() async throws {
    let server = try RESTServer(.snakeCase)
    #expect(
      try await server.get("/articles/2") == [
        "news_article": [
          "id": "2", "title": "JSON", "views": 9, "tags": ["a": "1", "b": "2"], "author_id": "10",
          "comment_ids": [],
        ]
      ])
    let list = try await server.get("/articles?author_id=11,10&per_page=1")
    #expect(list["articles"]?.array?.count == 1)
    #expect(list["meta"] == ["total": 2])
    let body: JSONValue = ["news_article": ["title": "x", "author_id": "11", "comment_ids": ["21"]]]
    #expect(try await server.ask(.post, "/articles", body).head.status == 201)
    let made = try #require(server.store.find(NewsArticle.self, id: "100"))
    #expect((made.title, made.authorID, made.commentIDs) == ("x", "11", ["21"]))
    #expect(try await server.ask(.post, "/articles", ["title": "x"]).head.status == 400)
  }

  @Test func `HAL, with links to what is served`() async throws {
    let server = try RESTServer(.hal)
    let one = try await server.ask(.get, "/articles/1")
    #expect(one.field("Content-Type") == "application/hal+json")
    #expect(
      try JSONValue(parsing: one.body) == [
        "_links": ["self": ["href": "/v1/articles/1"], "author": ["href": "/v1/people/11"]], "id": "1",
        "title": "Swift", "views": 5, "tags": ["a": "1", "b": "2"], "commentIDs": ["20", "21"],
      ])
    let list = try await server.get("/articles?sort=title&page=2&per_page=1")
    #expect(list["_embedded"]?["articles"]?[0]?["title"] == "JSON")
    #expect(list["total"] == 3)
    #expect(list["_links"]?.names == ["self", "first", "prev", "next", "last"])
    #expect(list["_links"]?["next"]?["href"]?.text == "/v1/articles?sort=title&page=3&per_page=1")
    let sent = try await server.ask(
      .patch, "/articles/1", ["_links": ["self": ["href": "/x"]], "title": "y"])
    #expect(sent.head.status == 200)
    #expect(server.store.find(NewsArticle.self, id: "1")?.title == "y")
  }

  @Test func `one store behind several looks, and the same bytes every time`() async throws {
    let store = try JSONAPIServer().store
    let router = Router()
    router.jsonAPI(store, NewsArticle.self, at: "/api/articles")
    router.rest(store, NewsArticle.self, at: "/rest/articles")
    router.rest(store, NewsArticle.self, at: "/hal/articles", as: .hal)
    router.group("/snake").rest(store, NewsArticle.self, at: "/articles", as: .snakeCase)
    let created = try await router.answer("/rest/articles", .post, body: #"{"title":"shared"}"#)
    #expect(created?.field("Location") == "/rest/articles/100")
    for path in ["/api/articles/100", "/rest/articles/100", "/hal/articles/100", "/snake/articles/100"] {
      let response = try await router.answered(path)
      #expect(response.text.contains("shared"))
      for _ in 0..<3 { #expect(try await router.answered(path) == response) }
    }
    #expect(try await router.answered("/snake/articles/100").head.status == 200)
    #expect(
      try await router.answer("/snake/articles", .post, body: #"{"news_article":{}}"#)?.field("Location")
        == "/snake/articles/101")
  }

  @Test func `K267 a transport of one's own carries requests to the same routes and models`() async throws {
    struct StoredUser: Storable, Codable {
      let id: String
      var name: String
      var age = 0

      init(id: String, store: Store) {
        self.id = id
        name = "user \(id)"
      }
    }
    let router = Router("http://test.com")
    let store = Store(ids: .perType())
    store.create(StoredUser.self, number: 2)
    router.rest(store, StoredUser.self, at: "/users")
    // Here a line of text is a request, and an response: what carries them knows neither routes nor models.
    func carry(_ line: String) async throws -> String {
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      let request = Request(
        "http://test.com\(words[1])", method: HTTPMethod(rawValue: words[0]),
        body: Array((words.count > 2 ? words[2] : "").utf8))
      guard let response = try await router.respond(to: request) else { return "no route" }
      return "\(response.head.status) \(response.text)"
    }
    #expect(try await carry("GET /users/2") == #"200 {"id":"2","name":"user 2","age":0}"#)
    #expect(try await carry(#"PATCH /users/2 {"age":7}"#) == #"200 {"id":"2","name":"user 2","age":7}"#)
    #expect(try await carry("DELETE /users/1") == "204 ")
    #expect(try await carry("GET /users") == #"200 [{"id":"2","name":"user 2","age":7}]"#)
    #expect(try await carry("GET /nobody") == "no route")
  }
}
