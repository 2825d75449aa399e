import Foundation
import FoundationNetworking
import Tapedeck
import Testing

private func isSendable<T: Sendable>(_ type: T.Type) -> Bool { true }

private struct Half: Serializable {
  var inner: [String: Double] = ["x": .nan]
}

@Suite struct `R. Quality` {
  @Test func `K300 what crosses isolation is Sendable`() {
    #expect(isSendable(Router.self) && isSendable(Route.self) && isSendable(RouteGroup.self))
    #expect(isSendable(Request.self) && isSendable(Response.self) && isSendable(Store.self))
    #expect(isSendable(JSONValue.self) && isSendable(Interception.self) && isSendable(ProxyServer.self))
    #expect(isSendable(ProxyConfiguration.self) && isSendable(JSONAPIError.self))
    #expect(isSendable(RESTSerializer.self) && isSendable(Inflector.self) && isSendable(StoreError.self))
  }

  @Test func `errors tell Foundation what they tell everyone`() {
    let errors: [any Error] = [
      StoreError.invalidEntity(type: "User", id: "1"), RouterError.badStatus(99),
      ProxyError.addressInUse("localhost:1"),
      FeatherError.badPort(-1),
    ]
    for error in errors { #expect(error.localizedDescription == "\(error)") }
  }

  @Test func `K300 handlers are sendable, and may wait or not`() async throws {
    let router = Router()
    let store = Store()
    let sync: @Sendable (Request) throws -> (any Serializable)? = { _ in ["count": "\(store.number)"] }
    let async: @Sendable (Request) async throws -> (any Serializable)? = { request in
      await Task.yield()
      return ["path": request.path]
    }
    router.get("/sync", handler: sync)
    router.get("/async", handler: async)
    router.get("/literal") { _ in ["id": 2, "name": "Kakapo"] }
    router.get("/awaited") { _ in
      await Task.yield()
      return ["id": 2, "name": "Kakapo"]
    }
    for (path, text) in [
      ("/sync", #"{"count":"0"}"#), ("/async", #"{"path":"/async"}"#),
      ("/literal", #"{"id":2,"name":"Kakapo"}"#), ("/awaited", #"{"id":2,"name":"Kakapo"}"#),
    ] {
      let answer = try #require(try await router.respond(to: Request(path)))
      #expect(String(decoding: answer.body, as: UTF8.self) == text)
    }
  }

  @Test func `K302 an unmatched request names method, URL and the nearest route`() async throws {
    try await Interception(unmatched: .fail).run { () async throws in
      Router.register("http://www.test.com").get("/users/:id") { _ in nil }
      let url = "http://www.test.com/users/1/posts"
      let error = await #expect(throws: URLError.self) {
        _ = try await URLSession.shared.data(from: try #require(URL(string: url)))
      }
      let text = error?.localizedDescription ?? ""
      #expect(text.contains("GET \(url)") && text.contains("GET /users/:id"), "\(text)")
    }
  }

  @Test func `K302 a value that cannot be written is named by its key path`() async throws {
    let router = Router("http://www.test.com")
    router.get("/half") { _ in Half() }
    let answer = try #require(try await router.respond(to: Request("http://www.test.com/half?x=1")))
    let text = String(decoding: answer.body, as: UTF8.self)
    #expect(answer.head.status == 500)
    for part in ["GET http://www.test.com/half?x=1", "GET /half", "inner", "x"] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
  }

  @Test func `K302 a start that fails names the address and what to do`() throws {
    var configuration = ProxyConfiguration()
    configuration.listen = "127.0.0.1:0"
    let first = try ProxyServer(configuration)
    defer { _ = try? first.stop() }
    configuration.listen = String(first.baseURL.dropFirst("http://".count))
    #expect {
      _ = try ProxyServer(configuration)
    } throws: { error in
      "\(error)".contains(configuration.listen) && "\(error)".contains("port")
    }
  }

  @Test func `K302 an error of a store names type and id, one of a route its path`() {
    #expect {
      try Store().delete(Counted.self, id: "7")
    } throws: {
      "\($0)".contains("Counted") && "\($0)".contains(#""7""#)
    }
    #expect {
      try Router().register(.get, "/a/*rest/b") { _ in nil }
    } throws: {
      "\($0)".contains("/a/*rest/b")
    }
  }
}

private struct Counted: Storable {
  let id: String
  init(id: String, store: Store) { self.id = id }
}

extension Store {
  fileprivate var number: Int { count(Counted.self) }
}
