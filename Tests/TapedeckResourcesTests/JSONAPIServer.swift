import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import TapedeckResources
import Testing

struct NewsWriter: Storable, Codable, JSONAPIEntity, RelatedEntity {
  static let type = "person"
  let id: String
  var name: String
  var age: Int?
  var articleIDs: [String] = []

  static let relationships: [Relationship<NewsWriter>] = [.toMany("articles", NewsArticle.self, \.articleIDs)]

  init(id: String, store: Store) {
    self.id = id
    name = "Person \(id)"
  }
}

struct NewsArticle: Storable, Codable, JSONAPIEntity, RelatedEntity {
  static let type = "articles"
  let id: String
  var title: String
  var views: Int
  var tags: [String: String] = [:]
  var subtitle: String?
  var authorID: String?
  var commentIDs: [String] = []

  static let relationships: [Relationship<NewsArticle>] = [
    .toOne("author", NewsWriter.self, \.authorID), .toMany("comments", ArticleComment.self, \.commentIDs),
  ]

  init(id: String, store: Store) {
    self.id = id
    title = "untitled"
    views = 0
  }
}

struct ArticleComment: Storable, Codable, JSONAPIEntity, RelatedEntity {
  static let type = "comment"
  let id: String
  var text: String
  var writerID: String

  static let relationships: [Relationship<ArticleComment>] = [.toOne("writer", NewsWriter.self, \.writerID)]

  init(id: String, store: Store) {
    self.id = id
    text = "text"
    writerID = "0"
  }
}

/// A server of articles, people and comments. Articles 1, 2 and 3; people 10 and 11; comments 20 and 21.
struct JSONAPIServer {
  let store = Store(ids: .counter(from: 100))
  let router = Router("http://test.com/api")

  init(_ options: JSONAPIOptions<NewsArticle> = JSONAPIOptions()) throws {
    for (id, name, age) in [("10", "Ada", 36), ("11", "Bob", nil)] as [(String, String, Int?)] {
      var person = NewsWriter(id: id, store: store)
      (person.name, person.age) = (name, age)
      try store.insert(person)
    }
    for id in ["20", "21"] {
      var comment = ArticleComment(id: id, store: store)
      (comment.text, comment.writerID) = ("comment \(id)", "11")
      try store.insert(comment)
    }
    for (id, title, views, author) in [
      ("1", "Swift", 5, "11"), ("2", "JSON", 9, "10"), ("3", "API", 5, nil),
    ] as [(String, String, Int, String?)] {
      var article = NewsArticle(id: id, store: store)
      (article.title, article.views, article.authorID) = (title, views, author)
      article.tags = ["b": "2", "a": "1"]
      try store.insert(article)
    }
    try store.update(NewsArticle.self, id: "1") { $0.commentIDs = ["20", "21"] }
    router.jsonAPI(store, NewsArticle.self, at: "/articles", options: options)
      .resource(NewsWriter.self, at: "/people").resource(ArticleComment.self, at: "comments")
  }

  static let type = "application/vnd.api+json"

  func ask(
    _ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil, headers: HeaderFields = [:]
  ) async throws -> Received {
    var headers = headers
    if body != nil, headers["Content-Type"] == nil { headers["Content-Type"] = Self.type }
    let request = Request(
      "http://test.com/api\(path)", method: method, headers: headers, body: body?.bytes() ?? [])
    return try Received(try #require(try await router.respond(to: request)))
  }

  func get(_ path: String, headers: HeaderFields = [:]) async throws -> Received {
    try await ask(.get, path, headers: headers)
  }

  struct Received {
    let status: Int
    let json: JSONValue
    let http: HTTPResponse

    init(_ http: HTTPResponse) throws {
      self.http = http
      status = http.head.status
      json = http.body.isEmpty ? .null : try document(http.body)
    }

    var data: JSONValue? { json["data"] }
    var ids: [String] { data?.array?.compactMap { $0["id"]?.text } ?? [] }
    var error: JSONValue? { json["errors"]?[0] }
    func field(_ name: String) -> String? { http.field(name) }
  }
}
