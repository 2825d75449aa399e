import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import TapedeckResources
import Testing

private let type = JSONAPIServer.type

@Suite struct `P. JSON:API server, fetching` {
  @Test func `K268 responses carry the media type, profiles and Vary`() async throws {
    let plain = try await JSONAPIServer().get("/articles")
    #expect(plain.field("Content-Type") == type)
    #expect(plain.field("Vary") == "Accept")
    let paged = try await JSONAPIServer(JSONAPIOptions(pagination: .cursor())).get("/articles")
    #expect(
      paged.field("Content-Type")
        == "\(type); profile=\"https://jsonapi.org/profiles/ethanresnick/cursor-pagination/\"")
    let missing = try await JSONAPIServer().get("/articles/99")
    #expect(missing.field("Content-Type") == type)
    #expect(missing.field("Vary") == "Accept")
    let server = try JSONAPIServer()
    #expect(try await server.ask(.delete, "/articles/1").field("Vary") == "Accept")
  }

  @Test(arguments: [
    "\(type); charset=utf-8", "\(type); ext=\"https://example.com/x\"", "application/json", "",
    "\(type); ext=\"https://jsonapi.org/ext/atomic\"",
  ])
  func `K269 bodies of a type that is not spoken are 415`(_ contentType: String) async throws {
    let server = try JSONAPIServer()
    let response = try await server.ask(
      .post, "/articles", ["data": ["type": "articles"]], headers: ["Content-Type": contentType])
    #expect(response.status == 415)
    #expect(response.error?["source"] == ["header": "Content-Type"])
    #expect(server.store.count(NewsArticle.self) == 3)
  }

  @Test(arguments: [
    ("\(type); charset=utf-8", 406), ("\(type);ext=\"https://example.com/x\"", 406),
    ("\(type); charset=utf-8, \(type); ext=\"https://example.com/x y\"", 406),
    ("\(type); charset=utf-8, \(type)", 200), ("\(type); profile=\"https://example.com/unknown\"", 200),
    ("*/*", 200), ("text/html, application/json;q=0.5", 200), ("\(type);q=0.1", 200), ("", 200),
  ])
  func `K270 Accept`(_ accept: String, _ status: Int) async throws {
    let response = try await JSONAPIServer().get("/articles", headers: ["Accept": accept])
    #expect(response.status == status)
    if status == 406 { #expect(response.error?["source"] == ["header": "Accept"]) }
  }

  @Test func `K271 a collection, an empty one, and what is missing`() async throws {
    let server = try JSONAPIServer()
    #expect(try await server.get("/articles").ids == ["1", "2", "3"])
    server.store.reset()
    let empty = try await server.get("/articles")
    #expect(empty.status == 200)
    #expect(empty.data == [])
    let missing = try await server.get("/articles/1")
    #expect(missing.status == 404)
    #expect(missing.error?["status"] == "404")
  }

  @Test func `K271 one resource, whole`() async throws {
    let response = try await JSONAPIServer().get("/articles/2")
    #expect(
      response.json == [
        "data": [
          "type": "articles", "id": "2",
          "attributes": ["title": "JSON", "views": 9, "tags": ["a": "1", "b": "2"]],
          "relationships": [
            "author": [
              "data": ["type": "person", "id": "10"],
              "links": [
                "self": "/api/articles/2/relationships/author", "related": "/api/articles/2/author",
              ],
            ],
            "comments": [
              "data": [],
              "links": [
                "self": "/api/articles/2/relationships/comments", "related": "/api/articles/2/comments",
              ],
            ],
          ], "links": ["self": "/api/articles/2"],
        ], "links": ["self": "/api/articles/2"],
      ])
  }

  @Test func `K272 what is related and is not there`() async throws {
    let server = try JSONAPIServer()
    let none = try await server.get("/articles/3/author")
    #expect(none.status == 200)
    #expect(none.json == ["data": nil, "links": ["self": "/api/articles/3/author"]])
    #expect(try await server.get("/articles/3/comments").data == [])
    #expect(try await server.get("/articles/1/author").data?.identities == ["person/11"])
    #expect(try await server.get("/articles/1/comments?sort=-text").ids == ["21", "20"])
    #expect(try await server.get("/articles/1/nothing").status == 404)
    #expect(try await server.get("/articles/9/author").status == 404)
  }

  @Test func `K273 linkage with its links`() async throws {
    let server = try JSONAPIServer()
    #expect(
      try await server.get("/articles/1/relationships/author").json == [
        "data": ["type": "person", "id": "11"],
        "links": ["self": "/api/articles/1/relationships/author", "related": "/api/articles/1/author"],
      ])
    #expect(
      try await server.get("/articles/1/relationships/comments").data?.identities
        == ["comment/20", "comment/21"])
    #expect(try await server.get("/articles/3/relationships/author").data == .null)
    #expect(try await server.get("/articles/9/relationships/author").status == 404)
    #expect(try await server.get("/articles/1/relationships/nothing").status == 404)
    let included = try await server.get("/articles/1/relationships/comments?include=comments")
    #expect(included.json["included"]?.identities == ["comment/20", "comment/21"])
    #expect(try await server.get("/articles/1/relationships/comments?include=author").status == 400)
  }

  @Test func `K274 every link leads somewhere`() async throws {
    let server = try JSONAPIServer()
    var seen: Set<String> = []
    var links = ["/api/articles?page[size]=1", "/api/people"]
    while let link = links.popLast() {
      guard seen.insert(link).inserted else { continue }
      let response = try await server.get(String(link.dropFirst("/api".count)))
      #expect(response.status == 200, "\(link)")
      links += found(in: response.json)
    }
    #expect(seen.count > 30)
  }

  /// The texts of all links in a document.
  private func found(in json: JSONValue) -> [String] {
    (json.array ?? []).flatMap { found(in: $0) }
      + (json.members ?? []).flatMap { member in
        member.name.text == "links"
          ? (member.value.members ?? []).compactMap(\.value.text) : found(in: member.value)
      }
  }

  @Test func `K275 include`() async throws {
    let server = try JSONAPIServer()
    func included(_ query: String) async throws -> [String]? {
      try await server.get("/articles\(query)").json["included"]?.identities
    }
    #expect(try await included("") == nil)
    #expect(try await included("?include=author") == ["person/11", "person/10"])
    #expect(try await included("/1?include=comments.writer") == ["comment/20", "person/11", "comment/21"])
    #expect(
      try await included("/1?include=comments,author") == ["person/11", "comment/20", "comment/21"])
    #expect(try await included("?include=") == [])
    #expect(try await included("/3?include=author") == [])
    for bad in ["authors", "author.name", "comments.nothing", "comments..writer"] {
      let response = try await server.get("/articles?include=\(bad)")
      #expect(response.status == 400)
      #expect(response.error?["source"] == ["parameter": "include"])
    }
  }

  @Test func `K275 a resource is there once though many lead to it`() async throws {
    let server = try JSONAPIServer()
    try server.store.update(NewsWriter.self, id: "11") { $0.articleIDs = ["1", "2"] }
    let response = try await server.get("/articles/1?include=author.articles.author,comments.writer")
    #expect(
      response.json["included"]?.identities
        == ["person/11", "articles/2", "person/10", "comment/20", "comment/21"])
  }

  @Test func `K276 sparse fieldsets`() async throws {
    let server = try JSONAPIServer()
    let response = try await server.get(
      "/articles/1?include=author&fields[articles]=title,author&fields[person]=name")
    #expect(response.data?["attributes"] == ["title": "Swift"])
    #expect(response.data?["relationships"]?.names == ["author"])
    #expect(response.json["included"]?[0]?["attributes"] == ["name": "Bob"])
    #expect(response.json["included"]?[0]?["relationships"] == nil)
    let none = try await server.get("/articles/1?fields[articles]=")
    #expect(none.data?.names == ["type", "id", "links"])
  }

  @Test(arguments: [
    ("title", ["3", "2", "1"]), ("-title", ["1", "2", "3"]), ("views,title", ["3", "1", "2"]),
    ("-views,-title", ["2", "1", "3"]), ("views", ["1", "3", "2"]), ("-views", ["2", "1", "3"]),
    ("author.name", ["3", "2", "1"]), ("-author.age", ["2", "1", "3"]), ("-id", ["3", "2", "1"]),
    ("subtitle", ["1", "2", "3"]),
  ])
  func `K277 sort`(_ fields: String, _ expected: [String]) async throws {
    #expect(try await JSONAPIServer().get("/articles?sort=\(fields)").ids == expected)
  }

  @Test(arguments: [
    "nothing", "-nothing", "comments.text", "author.nothing", "author", "title.x", "authorID",
  ])
  func `K277 what cannot be sorted by`(_ field: String) async throws {
    let response = try await JSONAPIServer().get("/articles?sort=\(field)")
    #expect(response.status == 400)
    #expect(response.error?["source"] == ["parameter": "sort"])
  }

  @Test(arguments: [
    ("filter[title]=JSON", ["2"]), ("filter[title]=JSON,API", ["2", "3"]), ("filter[views]=5", ["1", "3"]),
    ("filter[views]=5&filter[title]=API", ["3"]), ("filter[author]=10,11", ["1", "2"]),
    ("filter[author]=", ["3"]), ("filter[comments]=21", ["1"]), ("filter[id]=3,1", ["1", "3"]),
    ("filter[subtitle]=", ["1", "2", "3"]), ("filter%5Btitle%5D=JSON", ["2"]), ("filter[popular]=6", ["2"]),
  ])
  func `K280 filters`(_ query: String, _ expected: [String]) async throws {
    let options = JSONAPIOptions<NewsArticle>(
      filters: ["popular": { article, text in article.views > (Int(text) ?? 0) }])
    #expect(try await JSONAPIServer(options).get("/articles?\(query)").ids == expected)
  }

  @Test func `K280 a filter on nothing is 400`() async throws {
    let response = try await JSONAPIServer().get("/articles?filter[nothing]=1")
    #expect(response.status == 400)
    #expect(response.error?["source"] == ["parameter": "filter[nothing]"])
  }

  @Test(arguments: [
    "unknown=1", "page=1", "fields=title", "sort[title]=1", "include[a]=1", "filter=1", "page[size=1",
    "page[a][b]=1", "filter[a]b=1", "page[offset]=1",
  ])
  func `K281 parameters that nobody knows are 400`(_ query: String) async throws {
    let response = try await JSONAPIServer().get("/articles?\(query)")
    #expect(response.status == 400, "\(query)")
    #expect(response.error?["source"]?["parameter"]?.text == query.prefix { $0 != "=" }.description)
  }

  @Test func `K281 brackets as they are and encoded, and parameters of one's own`() async throws {
    let options = JSONAPIOptions<NewsArticle>(parameters: ["apiVersion"])
    let server = try JSONAPIServer(options)
    let raw = try await server.get("/articles?fields[articles]=title&page[size]=2")
    let encoded = try await server.get("/articles?fields%5Barticles%5D=title&page%5Bsize%5D=2")
    #expect(raw.data == encoded.data)
    #expect(try await server.get("/articles?apiVersion=2").status == 200)
    #expect(try await server.get("/articles/1?sort=title").status == 400)
  }

  @Test func `the same store and request give the same bytes`() async throws {
    let path = "/articles?include=author,comments.writer&sort=-title&page[size]=2"
    let first = try await JSONAPIServer().get(path)
    for _ in 0..<5 { #expect(try await JSONAPIServer().get(path).http == first.http) }
  }
}
