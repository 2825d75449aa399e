import Foundation
import Tapedeck
import Testing

private struct User: Codable, Equatable {
  var id: Int
  var fullName: String

  enum CodingKeys: String, CodingKey {
    case id
    case fullName = "full_name"
  }
}

private struct Neither: Sendable {}

private struct Holder: Serializable {
  var inner = Neither()
}

@Suite struct `Codable bodies` {
  private let ada = User(id: 1, fullName: "Ada")

  private func body(_ response: Response) async throws -> String {
    let router = Router()
    router.get("/") { _ in response }
    let answer = try #require(try await router.respond(to: Request("/")))
    return String(decoding: answer.body, as: UTF8.self)
  }

  @Test func `are bodies of responses, alone and in lists`() async throws {
    let one = Response(statusCode: 201, encoding: ada)
    #expect(one.statusCode == 201)
    #expect(try await body(one) == #"{"id":1,"full_name":"Ada"}"#)
    #expect(try await body(Response(encoding: [ada])) == #"[{"id":1,"full_name":"Ada"}]"#)
    #expect(
      try await body(Response(statusCode: 200, encoding: ["ada": ada]))
        == #"{"ada":{"id":1,"full_name":"Ada"}}"#)
    #expect(try await body(Response(encoding: "text")) == #""text""#)
    var changed = Response(statusCode: 200, text: "before")
    changed.setBody(encoding: ada)
    #expect(try await body(changed) == #"{"id":1,"full_name":"Ada"}"#)
  }

  @Test func `are named by the error about a type that is neither`() throws {
    let error = #expect(throws: SerializationError.self) { try Holder().json() }
    let text = try #require(error).description
    #expect(text.contains("Serializable") && text.contains("Encodable"), "\(text)")
  }

  @Test func `delete is del`() async throws {
    let router = Router()
    router.delete("/users/:id") { _ in Response(statusCode: 204) }
    let answer = try await router.respond(to: Request("/users/1", method: .delete))
    #expect(answer?.head.status == 204)
    router.del("/users/:id") { _ in Response(statusCode: 202) }
    #expect(try await router.respond(to: Request("/users/1", method: .delete))?.head.status == 202)
  }

  @Test func `Data goes in and out`() async throws {
    let data = try JSONEncoder().encode(ada)
    let json = try JSONValue(parsing: data)
    #expect(try JSONDecoder().decode(User.self, from: json.data) == ada)
    #expect(Request("/", method: .post, body: Array(data)).data == data)
    #expect(
      try await body(Response(data: data, contentType: "application/json"))
        == String(decoding: data, as: UTF8.self))
  }
}
