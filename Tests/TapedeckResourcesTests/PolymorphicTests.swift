import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import TapedeckResources
import Testing

private struct Shelf: Related, Codable, JSONAPIEntity {
  let id: String
  var label = "new"
  var best = ToOneOf<Essay, Remark>()
  var things = ToManyOf<Essay, Remark>()
  var keeper = ToOne<Author>()

  static let relations: [RelationRule<Shelf>] = [.oneWay(\.best), .oneWay(\.things), .oneWay(\.keeper)]

  init(id: String, store: Store) { self.id = id }
}

/// Relations that lead to several types, served.
@Suite struct `O. Polymorphic relations as JSON:API` {
  private let store = Store()
  private let router = Router()

  init() throws {
    try store.insert(Essay(id: "e"))
    try store.insert(Remark(id: "r", store: store))
    try store.insert(Author(id: "1"))
    try store.insert(Shelf(id: "s", store: store))
    try store.update(Shelf.self, id: "s") {
      $0.best = .to(Essay.self, id: "e")
      $0.things.append(Remark.self, id: "r")
      $0.things.append(Essay.self, id: "e")
    }
    router.jsonAPI(store, Shelf.self, at: "/shelves").resource(Essay.self, at: "/essays")
      .resource(Remark.self, at: "/remarks")
    router.rest(store, Shelf.self, at: "/rest/shelves")
    router.rest(store, Shelf.self, at: "/inside", as: RESTSerializer(include: ["best"]))
  }

  private func ask(_ method: HTTPMethod, _ path: String, _ body: String = "") async throws
    -> JSONAPIServer.Received
  {
    let headers: HeaderFields = body.isEmpty ? [:] : ["Content-Type": JSONAPIServer.type]
    let response = try await router.answer(path, method, headers: headers, body: body)
    return try JSONAPIServer.Received(try #require(response))
  }

  @Test func `K247 they are relationships, and what they lead to is included`() async throws {
    let response = try await ask(.get, "/shelves/s?include=best,things.article")
    #expect(response.status == 200)
    #expect(response.data?["attributes"] == ["label": "new"])
    #expect(response.data?["relationships"]?["best"]?["data"] == ["type": "essay", "id": "e"])
    #expect(response.data?["relationships"]?["things"]?["data"]?.identities == ["remark/r", "essay/e"])
    #expect(response.json["included"]?.identities == ["essay/e", "remark/r"])
    #expect(try await ask(.get, "/shelves/s?include=things.nothing").status == 400)
  }

  @Test func `K247 what they lead to has URLs of its own`() async throws {
    #expect(try await ask(.get, "/shelves/s/best").data?.identities == ["essay/e"])
    #expect(try await ask(.get, "/shelves/s/things").data?.identities == ["remark/r", "essay/e"])
    #expect(try await ask(.get, "/shelves/s/things?sort=-text").data?.identities == ["essay/e", "remark/r"])
    #expect(try await ask(.get, "/shelves/s/things?filter[text]=text").data?.identities == ["essay/e"])
    #expect(try await ask(.get, "/shelves/s/things?sort=nothing").status == 400)
    #expect(
      try await ask(.get, "/shelves/s/relationships/things").data?.identities == ["remark/r", "essay/e"])
    #expect(try await ask(.get, "/shelves?filter[best]=e").ids == ["s"])
    #expect(try await ask(.get, "/shelves?sort=best.text").ids == ["s"])
  }

  @Test func `K247 they are changed, to one type or the other`() async throws {
    let best = "/shelves/s/relationships/best"
    #expect(try await ask(.patch, best, #"{"data":{"type":"remark","id":"r"}}"#).status == 204)
    #expect(store.the(Shelf.self, "s").best.id(of: Remark.self) == "r")
    #expect(try await ask(.patch, best, #"{"data":null}"#).status == 204)
    #expect(try await ask(.get, "/shelves/s/best").data == .null)
    let things = "/shelves/s/relationships/things"
    #expect(try await ask(.delete, things, #"{"data":[{"type":"remark","id":"e"}]}"#).status == 204)
    #expect(store.the(Shelf.self, "s").things.count == 2, "same id, other type")
    #expect(try await ask(.delete, things, #"{"data":[{"type":"essay","id":"e"}]}"#).status == 204)
    #expect(store.the(Shelf.self, "s").things.ids(of: Essay.self) == [])
    let foreign = try await ask(.patch, best, #"{"data":{"type":"author","id":"1"}}"#)
    #expect(foreign.status == 409)
    #expect(foreign.error?["detail"]?.text?.contains("essay or remark") == true)
    #expect(try await ask(.patch, best, #"{"data":{"type":"essay","id":"9"}}"#).status == 404)
  }

  @Test func `K247 over REST they are type and id, both ways`() async throws {
    let shown = try JSONValue(parsing: try await router.answered("/rest/shelves/s").body)
    #expect(shown["best"] == ["type": "Essay", "id": "e"])
    let changed = try await router.answer(
      "/rest/shelves/s", .patch, body: #"{"best":{"type":"Remark","id":"r"}}"#)
    #expect(changed?.head.status == 200)
    #expect(store.the(Shelf.self, "s").best.id(of: Remark.self) == "r")
    for wrong in [#""r""#, #"{"type":"Author","id":"1"}"#, #"{"type":"Essay","id":"9"}"#] {
      let response = try await router.answer("/rest/shelves/s", .patch, body: #"{"best":\#(wrong)}"#)
      #expect(response?.head.status == 422)
    }
    let inside = try JSONValue(parsing: try await router.answered("/inside/s").body)
    #expect(inside["best"]?["article"] == .null)
  }

  @Test func `K185 without a store relations are linkage, since who they lead to is known`() throws {
    let data = try document(JSONAPISerializer(store.the(Shelf.self, "s")))["data"]
    #expect(data?["attributes"] == ["label": "new"])
    #expect(data?["relationships"]?["best"]?["data"] == ["type": "essay", "id": "e"])
    #expect(data?["relationships"]?["things"]?["data"]?.identities == ["remark/r", "essay/e"])
    #expect(data?["relationships"]?["keeper"]?["data"] == .null)
    let fresh = try document(KeyStyleTransformer(JSONAPISerializer(Shelf(id: "x", store: store)), .pascal))
    #expect(fresh["data"]?["relationships"]?["Things"]?["data"] == [])
  }

  @Test func `K258 K271 HEAD is GET without the body`() async throws {
    let paths = [
      "/shelves", "/shelves/s", "/shelves/s/best", "/shelves/s/relationships/best", "/rest/shelves",
      "/rest/shelves/s", "/shelves/none", "/rest/shelves/none",
    ]
    for path in paths {
      let get = try await router.answered(path)
      let head = try await router.answered(path, .head)
      #expect(head.head == get.head)
      #expect(!get.body.isEmpty && head.body.isEmpty)
    }
  }
}
