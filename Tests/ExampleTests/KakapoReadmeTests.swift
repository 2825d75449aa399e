import Foundation
import FoundationNetworking
import Tapedeck
import Testing

// The examples of Kakapo's README, in the order they stand there. What had to be changed for Swift 6 is said beside each;
// the list is in *Coming from Kakapo*.

/// Each example meets its own routers and no real network, as *Interception* shows.
private struct InterceptedTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Interception(unmatched: .fail).run { () async throws in try await function() }
  }
}

extension Trait where Self == InterceptedTrait {
  fileprivate static var intercepted: Self { Self() }
}

private func json(_ url: String, method: String = "GET") async throws -> JSONValue {
  var request = URLRequest(url: try #require(URL(string: url)))
  request.httpMethod = method
  return try JSONValue(parsing: Array(try await URLSession.shared.data(for: request).0))
}

private func randomString() -> String { "text" }

private struct Article: Storable, Serializable {
  let id: String
  let text: String

  init(id: String, store: Store) {
    self.id = id
    self.text = randomString()  // you might use some faker library like Fakery!
  }

  // An initialiser in the struct takes the memberwise one away, in Kakapo's README as here.
  init(id: String, text: String) {
    self.id = id
    self.text = text
  }
}

private struct StoredUser: Storable, Serializable {
  let id: String
  let name: String

  init(id: String, store: Store) {
    self.id = id
    name = "Kakapo \(id)"
  }
}

@Suite(.intercepted) struct `Kakapo's README` {
  @Test func `K304 a router that intercepts`() async throws {
    let router = Router.register("http://www.test.com")
    router.get("/users") { request in
      return ["id": 2, "name": "Kakapo"]
    }
    #expect(try await json("http://www.test.com/users") == ["id": 2, "name": "Kakapo"])
  }

  @Test func `K304 twenty users`() async throws {
    typealias User = StoredUser
    let router = Router.register("http://www.test.com")
    let store = Store()
    store.create(User.self, number: 20)

    router.get("/users") { request in
      return store.findAll(User.self)
    }
    let users = try await json("http://www.test.com/users")
    #expect(users.array?.count == 20)
    #expect(users[19] == ["id": "19", "name": "Kakapo 19"])
  }

  @Test func `K304 Serializable protocol`() {
    struct User: Serializable {
      let name: String
    }

    let user = User(name: "Alex")
    let serializedUser = user.serialized()
    #expect(serializedUser == ["name": "Alex"])
    let serializedUserArray = [user].serialized()
    #expect(serializedUserArray == [["name": "Alex"]])
    let serializedUserDictionary = ["test": user].serialized()
    #expect(serializedUserDictionary == ["test": ["name": "Alex"]])
    // Version 0.1 wrote `serialize()` and `serializedUser["name"]`; what is there may be nothing, hence the `?`.
    #expect(serializedUser?["name"]?.text == "Alex")
  }

  @Test func `K304 wildcard components`() async throws {
    let router = Router.register("http://www.test.com")
    router.get("/users/:id") { request in
      return ["id": request.components["id"]!, "name": "Joan"]
    }
    router.get("/users/:id/comments/:comment_id") { request in
      return request.components
    }
    #expect(try await json("http://www.test.com/users/28") == ["id": "28", "name": "Joan"])
    #expect(
      try await json("http://www.test.com/users/28/comments/123") == [
        "comment_id": "123", "id": "28",
      ])
    #expect(try await json("http://www.test.com/users/1?foo=bar") == ["id": "1", "name": "Joan"])
  }

  @Test func `K304 query parameters affect the match`() async throws {
    let router = Router.register("http://www.test.com")

    // Will match http://www.test.com/users?country=spain
    router.get("/users?country=:country") { request in ["country": request.components["country"]] }
    #expect(try await json("http://www.test.com/users?country=spain") == ["country": "spain"])
    await #expect(throws: URLError.self) { try await json("http://www.test.com/users") }
  }

  @Test func `K304 entities of one's own`() async throws {
    struct User: Serializable {
      let firstName: String
      let lastName: String
      let id: String
    }

    let router = Router.register("http://www.test.com")
    router.get("/users/:id") { request in
      return User(firstName: "Joan", lastName: "Romano", id: request.components["id"]!)
    }
    #expect(
      try await json("http://www.test.com/users/1")
        == ["firstName": "Joan", "lastName": "Romano", "id": "1"])
  }

  @Test func `K304 leverage the store`() async throws {
    let router = Router.register("http://www.test.com")
    let store = Store()
    store.create(Article.self, number: 20)

    router.get("/articles/:id") { request in
      let articleId = request.components["id"]!
      return store.find(Article.self, id: articleId)
    }
    router.post("/article/:id") { request in
      return store.insert { (id) -> Article in
        return Article(id: id, text: "text from the body")
      }
    }
    router.del("/article/:id") { request in
      let articleId = request.components["id"]!
      let article = store.find(Article.self, id: articleId)!
      try! store.delete(article)

      return ["status": "success"]
    }
    #expect(try await json("http://www.test.com/articles/7") == ["id": "7", "text": "text"])
    #expect(
      try await json("http://www.test.com/article/x", method: "POST")
        == ["id": "20", "text": "text from the body"])
    #expect(
      try await json("http://www.test.com/article/20", method: "DELETE") == ["status": "success"])
    #expect(store.count(Article.self) == 20)
  }

  @Test func `K304 property policy`() {
    #expect(PropertyPolicy<Int>.none.serialized() == nil)
    #expect(PropertyPolicy<Int>.null.serialized() == .some(.null))
    #expect(PropertyPolicy<Int>.some(1).serialized() == 1)
  }

  @Test func `K304 serialization transformer`() {
    struct User: Serializable {
      let userName: String
    }

    let user = User(userName: "Alex")
    let serialized = SnakecaseTransformer(user).serialized()
    #expect(serialized == ["user_name": "Alex"])
    #expect(serialized.map { "\($0)" } == #"{"user_name":"Alex"}"#)
  }

  @Test func `K304 customized responses`() async throws {
    struct User: Serializable {
      let id: String
    }

    let router = Router.register("http://www.test.com")
    let user = User(id: "2")
    router.get("/users/:id") { request in
      return Response(statusCode: 400, body: user, headerFields: ["access_token": "094850348502"])
    }
    // As version 0.1 has it.
    router.get("/numbers/:id") { request in
      return Response(statusCode: 400, body: ["id": 2], headerFields: ["access_token": "094850348502"])
    }
    for path in ["users", "numbers"] {
      let url = try #require(URL(string: "http://www.test.com/\(path)/2"))
      let response = try #require(try await URLSession.shared.data(from: url).1 as? HTTPURLResponse)
      #expect(response.value(forHTTPHeaderField: "access_token") == "094850348502")
      #expect(response.statusCode == 400)
    }
  }
}
