import Foundation
import FoundationNetworking
import Tapedeck
import Testing

// The examples of the README of Kakapo 0.1, and those that the one of the query-routing branch has besides. Names that
// have changed since are given back by the lines below; whoever comes from 0.1 may do the same.

private typealias KakapoDB = Store
private typealias KakapoServer = Server

extension Serializable {
  fileprivate func serialize() -> JSONValue? { serialized() }
}

extension PropertyPolicy {
  fileprivate static var None: PropertyPolicy { .none }
  fileprivate static var Null: PropertyPolicy { .null }
  fileprivate static func Some(_ value: Wrapped) -> PropertyPolicy { .some(value) }
}

private func randomString() -> String { "text" }

private struct Article: Storable, Serializable {
  let id: String
  let text: String

  // `init(id: String, db: KakapoDB)` there.
  init(id: String, store db: KakapoDB) {
    self.id = id
    self.text = randomString()  // you might use some faker library like Fakery!
  }

  init(text: String, id: String) {
    self.id = id
    self.text = text
  }
}

private struct StoredUser: Storable, Serializable {
  let id: String

  init(id: String, store: KakapoDB) { self.id = id }
}

private func json(
  _ url: String, method: String = "GET", in session: URLSession = .shared
) async throws -> JSONValue {
  var request = URLRequest(url: try #require(URL(string: url)))
  request.httpMethod = method
  return try JSONValue(parsing: Array(try await session.data(for: request).0))
}

/// Each example within routers of its own, and no real network behind them.
private func intercepted(_ body: () async throws -> Void) async throws {
  try await Interception(unmatched: .fail).run { try await body() }
}

@Suite struct `Kakapo's README of version 0.1` {
  @Test func `K304 0.1: a router, then a database`() async throws {
    try await intercepted { () async throws in
      typealias User = StoredUser
      let router = Router.register("http://www.test.com")
      router.get("/users") { request in
        return ["id": 2, "name": "Kakapo"]
      }
      #expect(try await json("http://www.test.com/users") == ["id": 2, "name": "Kakapo"])

      let db = KakapoDB()
      db.create(User.self, number: 20)

      router.get("/users") { request in
        return db.findAll(User.self)
      }
      #expect(try await json("http://www.test.com/users").array?.count == 20)
    }
  }

  @Test func `K304 0.1: serialize()`() {
    struct User: Serializable {
      let name: String
    }

    let user = User(name: "Alex")
    let serializedUser = user.serialize()
    #expect(serializedUser?["name"] == "Alex")  // `serializedUser["name"]` there
    let serializedUserArray = [user].serialize()
    #expect(serializedUserArray == [["name": "Alex"]])
    let serializedUserDictionary = ["test": user].serialize()
    #expect(serializedUserDictionary == ["test": ["name": "Alex"]])
  }

  @Test func `K304 0.1: wildcards, asked by a session`() async throws {
    try await intercepted { () async throws in
      let router = Router.register("http://www.test.com")
      // Will match http://www.test.com/users/28/comments/123
      router.get("/users/:id/comments/:comment_id") { request in request.components }
      router.get("/users/:id") { request in
        return ["id": request.components["id"]!, "name": "Joan"]
      }
      let session = URLSession.shared
      let data = await withCheckedContinuation { heard in
        // `session.dataTaskWithURL(NSURL(string: …)!)` there.
        session.dataTask(with: URL(string: "http://www.test.com/users/1?foo=bar")!) { (data, _, _) in
          heard.resume(returning: data)
        }.resume()
      }
      #expect(try JSONValue(parsing: Array(data ?? Data())) == ["id": "1", "name": "Joan"])
      #expect(
        try await json("http://www.test.com/users/28/comments/123") == ["comment_id": "123", "id": "28"])
    }
  }

  @Test func `K304 0.1: an entity, and a session of a library's`() async throws {
    struct User: Storable, Serializable {
      let firstName: String
      let lastName: String
      let id: String

      init(firstName: String, lastName: String, id: String) {
        (self.firstName, self.lastName, self.id) = (firstName, lastName, id)
      }

      // What `Storable` asks for, and the README left out.
      init(id: String, store: Store) { self.init(firstName: "Joan", lastName: "Romano", id: id) }
    }

    // The routers that all share: such a session knows of no others.
    let base = "http://library.test.com"
    let router = Router.register(base)
    defer { Router.unregister(base) }
    router.get("/users/:id") { request in
      return User(firstName: "Joan", lastName: "Romano", id: request.components["id"]!)
    }
    // `NSURLSessionConfiguration.defaultSessionConfiguration()`, `Manager(configuration:)` there.
    let configuration = URLSessionConfiguration.default
    configuration.protocolClasses = [KakapoServer.self]
    let manager = URLSession(configuration: configuration)
    let expected: JSONValue = ["firstName": "Joan", "lastName": "Romano", "id": "1"]
    #expect(try await json("\(base)/users/1", in: manager) == expected)
  }

  @Test func `K304 0.1: find, insert and delete`() async throws {
    try await intercepted { () async throws in
      let router = Router.register("http://www.test.com")
      let db = KakapoDB()
      db.create(Article.self, number: 20)

      router.get("/articles/:id") { request in
        let articleId = request.components["id"]!
        return db.find(Article.self, id: articleId)
      }
      router.post("/article/:id") { request in
        return db.insert { (id) -> Article in
          return Article(text: "text from body", id: id)
        }
      }
      router.del("/article/:id") { request in
        let articleId = request.components["id"]!
        let article = db.find(Article.self, id: articleId)!
        try db.delete(article)

        return ["status": "success"]
      }
      #expect(try await json("http://www.test.com/articles/7") == ["id": "7", "text": "text"])
      #expect(
        try await json("http://www.test.com/article/0", method: "POST")
          == ["id": "20", "text": "text from body"])
      #expect(
        try await json("http://www.test.com/article/7", method: "DELETE") == ["status": "success"])
      #expect(db.find(Article.self, id: "7") == nil)
    }
  }

  @Test func `K304 0.1 and master: JSON:API`() async throws {
    struct Cat: JSONAPIEntity {
      let id: String
      let name: String
    }

    struct User: JSONAPIEntity {
      let id: String
      let name: String
      let cats: [Cat]
    }

    try await intercepted { () async throws in
      let router = Router.register("http://www.test.com")
      router.get("/users/:id") { request in
        let cats = [Cat(id: "33", name: "Joan"), Cat(id: "44", name: "Hez")]
        let user = User(id: "11", name: "Alex", cats: cats)
        return JSONAPISerializer(user)
      }
      let document = try await json("http://www.test.com/users/11")
      #expect(document["data"]?["attributes"] == ["name": "Alex"])
      #expect(
        document["data"]?["relationships"]?["cats"]?["data"]
          == [["type": "cat", "id": "33"], ["type": "cat", "id": "44"]])
      #expect(document["included"]?.array?.map { $0["attributes"]?["name"] } == ["Joan", "Hez"])
    }
  }

  @Test func `K304 0.1: policies and transformers`() {
    #expect(PropertyPolicy<Int>.None.serialize() == nil)
    #expect(PropertyPolicy<Int>.Null.serialize() == .some(.null))
    #expect(PropertyPolicy<Int>.Some(1).serialize() == 1)

    struct User: Serializable {
      let userName: String
    }

    let user = User(userName: "Alex")
    let serialized = SnakecaseTransformer(user).serialize()
    #expect(serialized == ["user_name": "Alex"])
  }

  @Test func `K304 0.1: status and header fields`() async throws {
    try await intercepted { () async throws in
      let router = Router.register("http://www.test.com")
      router.get("/users/:id") { request in
        return Response(statusCode: 400, body: ["id": 2], headerFields: ["access_token": "094850348502"])
      }
      let url = try #require(URL(string: "http://www.test.com/users/2"))
      let (_, response) = try await URLSession.shared.data(from: url)
      let heard = try #require(response as? HTTPURLResponse)
      #expect(heard.value(forHTTPHeaderField: "access_token") == "094850348502")
      #expect(heard.statusCode == 400)
    }
  }

  @Test func `K304 query routing: a wildcard in a query, and a route without one beside it`() async throws {
    try await intercepted { () async throws in
      let router = Router.register("http://www.test.com")

      // Will match http://www.test.com/users?country=spain
      router.get("/users?country=:country") { request in
        ["country": request.components["country"]]  // request.components["country"] => "spain"
      }
      router.get("/users") { request in ["country": "any"] }
      #expect(try await json("http://www.test.com/users?country=spain") == ["country": "spain"])
      #expect(try await json("http://www.test.com/users?page=2") == ["country": "any"])
    }
  }
}
