import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import Testing

@Suite struct `L. JSON:API errors` {
  private func answer(_ error: JSONAPIError) async throws -> HTTPResponse {
    let router = Router()
    router.get("/returned") { _ in error }
    router.get("/thrown") { _ in throw error }
    let returned = try await router.answered("/returned")
    let thrown = try await router.answered("/thrown")
    #expect(returned == thrown)
    return returned
  }

  @Test func `K210 a title and a status and nothing else`() throws {
    let error = JSONAPIError(statusCode: 404) { error in error.title = "test" }
    #expect(try document(error) == ["errors": [["status": "404", "title": "test"]]])
  }

  @Test func `K211 source and meta`() throws {
    let error = JSONAPIError(statusCode: 422) { error in
      error.source = JSONAPIError.Source(pointer: "ptr", parameter: "param")
      error.meta = ["someKey": [1, 2]]
    }
    let object = try document(error)["errors"]?[0]
    #expect(object?["source"] == ["pointer": "ptr", "parameter": "param"])
    #expect(object?["meta"] == ["someKey": [1, 2]])
    #expect(
      try document(SnakecaseTransformer(error))["errors"]?[0]?["meta"] == ["some_key": [1, 2]])
  }

  @Test func `K212 the answer's status is the error's`() async throws {
    #expect(try await answer(JSONAPIError(statusCode: 501) { _ in }).head.status == 501)
    let changed = try await answer(JSONAPIError(statusCode: 501) { error in error.status = 401 })
    #expect(changed.head.status == 401)
    #expect(try document(changed.body) == ["errors": [["status": "401"]]])
  }

  @Test func `K213 the error's fields are the answer's`() async throws {
    let response = try await answer(JSONAPIError(statusCode: 400, headerFields: ["X-Mark": "1"]) { _ in })
    #expect(response.field("X-Mark") == "1")
    #expect(response.field("Content-Type") == "application/vnd.api+json")
  }

  @Test func `K214 the form is that of JSON:API`() throws {
    let error = JSONAPIError(statusCode: 409) { error in
      error.id = "e1"
      error.about = .simple(value: "/about")
      error.type = .object(href: "/type")
      error.code = "taken"
      error.title = "Taken"
      error.detail = "The name is taken"
    }
    #expect(
      try document(error) == [
        "errors": [
          [
            "id": "e1", "links": ["about": "/about", "type": ["href": "/type"]], "status": "409",
            "code": "taken", "title": "Taken", "detail": "The name is taken",
          ]
        ]
      ])
  }

  @Test(arguments: [([422, 422], 422), ([404, 422], 400), ([404, 503], 500), ([500, 503], 500)])
  func `K215 several errors answer with the most general status`(_ statuses: [Int], _ expected: Int)
    async throws
  {
    let errors = statuses.map { status in
      JSONAPIError(statusCode: status) { $0.source = JSONAPIError.Source(header: "X-Mark") }
    }
    let response = try await answer(JSONAPIError(errors))
    #expect(response.head.status == expected)
    let objects = try document(response.body)["errors"]?.array
    #expect(objects?.compactMap { $0["status"]?.text } == statuses.map { "\($0)" })
    #expect(objects?.first?["source"] == ["header": "X-Mark"])
  }
}
