// As the README has it, force-unwraps included.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry

import Foundation
import FoundationNetworking
import Tapedeck

// The examples of Kakapo's README, in the order they stand there, in a package that is not ours. `Coming from Kakapo`
// lists what had to be changed for Swift 6; each change is said where it was made.

func randomString() -> String { "random" }

struct User: Serializable {
  let name: String
}

struct Article: Storable, Serializable {
  let id: String
  let text: String

  init(id: String, store: Store) {
    self.id = id
    self.text = randomString()  // you might use some faker library like Fakery!
  }

  // README's `Article(id:text:)` was never there: the initialiser above takes the memberwise one away.
  init(id: String, text: String) {
    self.id = id
    self.text = text
  }
}

/// An example: routes, and what is asked of them.
struct Example {
  let name: String
  let requests: [String]
  let register: () -> Router
}

@MainActor let examples = [
  Example(name: "Usage", requests: ["GET /users"]) {
    let router = Router.register("http://www.test.com")
    router.get("/users") { request in
      return ["id": 2, "name": "Kakapo"]
    }
    return router
  },
  Example(name: "Store", requests: ["GET /users"]) {
    struct User: Storable, Serializable {
      let id: String
      init(id: String, store: Store) { self.id = id }
    }
    let router = Router.register("http://www.test.com")

    let store = Store()
    store.create(User.self, number: 20)

    router.get("/users") { request in
      return store.findAll(User.self)
    }
    return router
  },
  Example(name: "Wildcards", requests: ["GET /users/28", "GET /users/28/comments/123"]) {
    let router = Router.register("http://www.test.com")

    // Will match http://www.test.com/users/28
    router.get("/users/:id") { $0.components }

    // Will match http://www.test.com/users/28/comments/123
    router.get("/users/:id/comments/:comment_id") { $0.components }
    return router
  },
  Example(name: "Components", requests: ["GET /users/1", "GET /users/1?foo=bar"]) {
    let router = Router.register("http://www.test.com")
    router.get("/users/:id") { request in
      return ["id": request.components["id"]!, "name": "Joan"]
    }
    return router
  },
  Example(name: "Query", requests: ["GET /users?country=spain"]) {
    let router = Router.register("http://www.test.com")

    // Will match http://www.test.com/users?country=spain
    router.get("/users?country=:country") { request in ["country": request.components["country"]] }
    return router
  },
  Example(name: "Entities", requests: ["GET /users/1"]) {
    struct User: Serializable {
      let firstName: String
      let lastName: String
      let id: String
    }

    let router = Router.register("http://www.test.com")
    router.get("/users/:id") { request in
      return User(firstName: "Joan", lastName: "Romano", id: request.components["id"]!)
    }
    return router
  },
  Example(
    name: "Articles",
    requests: ["GET /articles/3", "POST /article/x", "DELETE /article/20", "GET /articles/20"]
  ) {
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
    return router
  },
  Example(name: "Transformer", requests: ["GET /users"]) {
    struct User: Serializable {
      let userName: String
    }
    let router = Router.register("http://www.test.com")
    router.get("/users") { _ in
      let user = User(userName: "Alex")
      return SnakecaseTransformer(user)
    }
    return router
  },
  Example(name: "Response", requests: ["GET /users/2"]) {
    let router = Router.register("http://www.test.com")
    let user = User(name: "Alex")
    router.get("/users/:id") { request in
      return Response(statusCode: 400, body: user, headerFields: ["access_token": "094850348502"])
    }
    return router
  },
]

/// The examples without a request: what `serialized()` says.
func printSerialized() {
  let user = User(name: "Alex")
  let serializedUser = user.serialized()
  //  -> ["name": "Alex"]
  let serializedUserArray = [user].serialized()
  // -> [["name": "Alex"]]
  let serializedUserDictionary = ["test": user].serialized()
  // -> ["test": ["name": "Alex"]]
  precondition(serializedUser == ["name": "Alex"])
  precondition(serializedUserArray == [["name": "Alex"]])
  precondition(serializedUserDictionary == ["test": ["name": "Alex"]])

  precondition(PropertyPolicy<Int>.none.serialized() == nil)  // nil
  precondition(PropertyPolicy<Int>.null.serialized() == .some(.null))  // NSNull before
  precondition(PropertyPolicy<Int>.some(1).serialized() == 1)  // 1
}
