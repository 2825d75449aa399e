import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import Testing

private struct User: Serializable, Equatable {
  var firstName: String
  var age: Int
}

private struct Teapot: ResponseFieldsProvider {
  var statusCode: Int { 418 }
  var body: any Serializable { User(firstName: "Pot", age: 1) }
  var headerFields: [String: String]? { ["X-Tea": "green", "A-Tea": "black"] }
}

private let joan = User(firstName: "Joan", age: 3)

@Suite struct `E. Responses` {
  private func answer(_ handler: @escaping RouteHandler) async throws -> HTTPResponse {
    let router = Router()
    router.get("/a", handler: handler)
    return try await router.answered("/a")
  }

  private func fields(_ response: HTTPResponse) -> [String] {
    HeaderFields(response.head.fields).map { "\($0.name): \($0.value)" }
  }

  @Test func `K96 a plain value answers 200`() async throws {
    #expect(try await answer { _ in joan }.head.status == 200)
  }

  @Test func `K97 a plain value answers its type and nothing else`() async throws {
    #expect(fields(try await answer { _ in joan }) == ["Content-Type: application/json"])
  }

  @Test func `K98 a wrapper sets the status and its body is the entity`() async throws {
    let response = try await answer { _ in Response(statusCode: 201, body: joan) }
    #expect(response.head.status == 201)
    #expect(response.text == #"{"firstName":"Joan","age":3}"#)
  }

  @Test func `K99 a wrapper's fields appear, and beside them the body's type alone`() async throws {
    let response = try await answer { _ in
      Response(statusCode: 200, body: joan, headerFields: ["access_token": "0948"])
    }
    #expect(fields(response) == ["access_token: 0948", "Content-Type: application/json"])
  }

  @Test func `K100 a provider of one's own sets status, fields and body`() async throws {
    let response = try await answer { _ in Teapot() }
    #expect(response.head.status == 418)
    #expect(fields(response) == ["A-Tea: black", "X-Tea: green", "Content-Type: application/json"])
    #expect(response.text == #"{"firstName":"Pot","age":1}"#)
  }

  @Test func `K101 an array of entities in order`() async throws {
    let response = try await answer { _ in (0..<20).map { User(firstName: "u", age: $0) } }
    let ages = try JSONValue(parsing: response.body).array?.map { $0["age"]?.int }
    #expect(ages == (0..<20).map { $0 })
  }

  @Test func `K102 what is no container is written, or in Kakapo's way not`() async throws {
    let router = Router()
    router.get("/a") { _ in Response(statusCode: 400, body: Optional("text")) }
    router.get("/b") { _ in PropertyPolicy<Int>.some(1) }
    #expect(try await router.text("/a") == #""text""#)
    #expect(try await router.text("/b") == "1")
    router.format.root = .containers
    let response = try await router.answered("/a")
    #expect(response.head.status == 400)
    #expect(response.body == [])
    #expect(try await router.text("/b") == "")
  }

  @Test func `K103 a provider is its body, keys transformed`() {
    #expect(Teapot().serialized() == ["firstName": "Pot", "age": 1])
    #expect(Teapot().serialized { $0.uppercased() } == ["FIRSTNAME": "Pot", "AGE": 1])
    #expect(
      Response(statusCode: 1, body: joan).serialized { $0.uppercased() } == ["FIRSTNAME": "Joan", "AGE": 3])
  }

  @Test func `K104 the type is said unless it is taken away`() async throws {
    #expect(
      fields(try await answer { _ in Response(statusCode: 400, body: joan) }) == [
        "Content-Type: application/json"
      ])
    let other = try await answer { _ in
      Response(statusCode: 200, body: joan, headerFields: ["content-type": "application/x-json"])
    }
    #expect(fields(other) == ["content-type: application/x-json"])
    let none = try await answer { _ in
      Response(statusCode: 200, body: joan, headerFields: ["Content-Type": ""])
    }
    #expect(fields(none) == [])
  }

  @Test func `K105 status and fields survive what is around a response`() async throws {
    let inside = Response(statusCode: 404, body: joan, headerFields: ["X": "1"])
    for response in [
      try await answer { _ in SnakecaseTransformer(inside) },
      try await answer { _ in SnakecaseTransformer(KeyStyleTransformer(Optional(inside), .camel)) },
      try await answer { _ in PropertyPolicy.some(SnakecaseTransformer(inside)) },
    ] {
      #expect(response.head.status == 404)
      #expect(response.field("X") == "1")
      #expect(response.text == #"{"first_name":"Joan","age":3}"#)
    }
    let teapot = try await answer { _ in SnakecaseTransformer(Teapot()) }
    #expect(teapot.head.status == 418)
    #expect(teapot.text == #"{"first_name":"Pot","age":1}"#)
  }

  @Test func `K106 nothing answers 200 or what the router says`() async throws {
    let router = Router()
    router.get("/nil") { _ in nil }
    router.get("/optional") { _ in Optional<User>.none }
    router.get("/wrapped") { _ in SnakecaseTransformer(Optional<User>.none) }
    for path in ["/nil", "/optional", "/wrapped"] {
      let response = try await router.answered(path)
      #expect(response.head.status == 200)
      #expect(response.body == [])
      #expect(fields(response) == ["Content-Type: application/json"])
    }
    router.nilStatusCode = 404
    for path in ["/nil", "/optional", "/wrapped"] {
      #expect(try await router.answered(path).head.status == 404)
    }
  }

  @Test func `K106 a 204 without a body`() async throws {
    let response = try await answer { _ in Response(statusCode: 204) }
    #expect(response.head.status == 204)
    #expect(response.body == [])
    #expect(fields(response) == [])
  }

  @Test func `K107 a value that JSON cannot say is a 500 that tells where it is`() async throws {
    struct Inner: Serializable { var score: Double }
    struct Outer: Serializable { var users: [Inner] }
    let response = try await answer { _ in Outer(users: [Inner(score: 1), Inner(score: .nan)]) }
    #expect(response.head.status == 500)
    #expect(response.field("Content-Type") == "application/problem+json")
    #expect(response.text.contains("$.users[1].score is nan"))
    #expect(response.text.contains("GET http:///a"))
  }

  @Test func `K108 text, XML, HTML and bytes go with their types`() async throws {
    let text = try await answer { _ in RawBody.text("hé") }
    #expect((text.text, text.field("Content-Type")) == ("hé", "text/plain; charset=utf-8"))
    let xml = try await answer { _ in Response(statusCode: 202, xml: "<a/>") }
    #expect((xml.text, xml.field("Content-Type"), xml.head.status) == ("<a/>", "application/xml", 202))
    let html = try await answer { _ in RawBody.html("<p>") }
    #expect((html.text, html.field("Content-Type")) == ("<p>", "text/html; charset=utf-8"))
    let png = try await answer { _ in Response(data: [0x89, 0x50], contentType: "image/png") }
    #expect(png.body == [0x89, 0x50])
    #expect(png.field("Content-Type") == "image/png")
  }

  @Test func `K108 redirections and repeated fields`() async throws {
    let moved = try await answer { _ in Response(redirect: "/there") }
    #expect((moved.head.status, moved.field("Location")) == (302, "/there"))
    var headers: HeaderFields = ["Set-Cookie": "a=1"]
    headers.add("Set-Cookie", "b=2")
    let cookies = headers
    let both = try await answer { _ in Response(json: [:], headers: cookies) }
    #expect(fields(both) == ["Set-Cookie: a=1", "Set-Cookie: b=2", "Content-Type: application/json"])
  }

  @Test func `K109 a handler may wait`() async throws {
    let router = Router()
    router.get("/a") { request in
      await Task.yield()
      return User(firstName: request.query("name") ?? "", age: 1)
    }
    #expect(try await router.text("/a?name=Zoe") == #"{"firstName":"Zoe","age":1}"#)
  }

  private struct Broken: Error, CustomStringConvertible { var description: String { "no luck" } }

  @Test func `K109 what a handler throws is a 500 with method, URL and error`() async throws {
    let router = Router("http://test.com")
    router.del("/users/:id") { _ in throw Broken() }
    router.put("/users/:id") { _ in
      await Task.yield()
      throw Broken()
    }
    for method in [HTTPMethod.delete, .put] {
      let response = try await router.answered("http://test.com/users/7?x=1", method)
      #expect(response.head.status == 500)
      #expect(
        try JSONValue(parsing: response.body)["detail"]?.text
          == "\(method) http://test.com/users/7?x=1: the handler of \(method) /users/:id failed: no luck")
    }
  }

  private struct Gone: Error, ResponseFieldsProvider {
    var statusCode: Int { 410 }
    var body: any Serializable { ["gone": true] }
    var headerFields: [String: String]? { nil }
  }

  @Test func `K109 an error that knows its answer gives it`() async throws {
    let response = try await answer { _ in throw Gone() }
    #expect((response.head.status, response.text) == (410, #"{"gone":true}"#))
  }

  @Test func `K111 answers in sequence, the last one stays`() async throws {
    let router = Router()
    router.get("/a", sequence: [Response(statusCode: 503), joan.firstName, ["b": 1]])
    var answers: [String?] = []
    for _ in 0..<4 { answers.append(try await router.text("/a")) }
    #expect(answers == ["", #""Joan""#, #"{"b":1}"#, #"{"b":1}"#])
  }

  @Test func `K111 a body in chunks`() async throws {
    let router = Router()
    router.get("/list") { _ in
      Response(contentType: "text/plain", stream: .texts(["a", "b", "c"], interval: .milliseconds(1)))
    }
    router.get("/made") { _ in
      Response(stream: .producing { write in for byte in 1...3 { try await write([UInt8(byte)]) } })
    }
    let list = try await router.answered("/list")
    #expect((list.text, list.field("Content-Type")) == ("abc", "text/plain"))
    #expect(try await router.answered("/made").body == [1, 2, 3])
  }

  @Test(arguments: [99, 199, 1000, -1])
  func `a status that is none is a 500 that says so`(_ status: Int) async throws {
    let response = try await answer { _ in Response(statusCode: status) }
    #expect(response.head.status == 500)
    #expect(response.text.contains("\(status) is not a response status"))
  }

  @Test func `a field that would split the message is a 500`() async throws {
    let response = try await answer { _ in
      Response(statusCode: 200, body: joan, headerFields: ["X": "a\r\nb: c"])
    }
    #expect(response.head.status == 500)
    #expect(response.text.contains("control character"))
  }

  @Test func `a value that may not leave its thread can be a body`() async throws {
    final class Mutable: Serializable {
      var n = 1
    }
    let response = try await answer { _ in
      let value = Mutable()
      defer { value.n = 2 }
      return SnakecaseTransformer(Response(statusCode: 201, writing: value))
    }
    #expect((response.head.status, response.text) == (201, #"{"n":1}"#))
  }

  @Test func `mixed literals as bodies keep their order`() async throws {
    let response = try await answer { _ in
      Response(statusCode: 200, body: ["zebra": 1, "ant": "x", "user": joan, "none": nil])
    }
    #expect(response.text == #"{"zebra":1,"ant":"x","user":{"firstName":"Joan","age":3}}"#)
  }

  // MARK: request.continue()

  @Test func `P143 a handler lets a request go on`() async throws {
    let router = Router()
    router.get("/a") { request in
      if request.query("mock") == nil { return request.continue() }
      return ["mocked": true]
    }
    #expect(try await router.text("/a") == nil)
    #expect(try await router.text("/a?mock") == #"{"mocked":true}"#)
  }

  @Test func `P149 a handler changes what the rest of the chain answers`() async throws {
    let router = Router()
    router.get("/a") { request in
      var response = try await request.continue()
      response.statusCode += 1
      response.headers["X-Seen"] = "yes"
      return response
    }
    let match = try #require(router.match(Request("/a")))
    let answer = await match.response { request in
      var fields = HTTPFields()
      try fields.append("Content-Type", "image/png")
      return HTTPResponse(head: HTTPResponseHead(status: 200, fields: fields), body: [1, 2])
    }
    guard case .response(let response) = answer else {
      Issue.record("no answer")
      return
    }
    #expect(response.head.status == 201)
    #expect(response.body == [1, 2])
    #expect(fields(response) == ["Content-Type: image/png", "X-Seen: yes"])
    // Nobody is behind a router by itself.
    #expect(try await router.answered("/a").text.contains("nothing behind this router responds"))
  }
}
