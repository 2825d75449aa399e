internal import TapedeckHTTP
import TapedeckOverrides
internal import TapedeckProxy

/// Sessions: the rules, stores and request log of one test.
extension AdminAPI {
  private static let one = "/v1/sessions/{name}"
  private static let schema = AdminSchemas.reference("Session")

  static let sessionOperations: [AdminOperation] = [
    AdminOperation(
      id: "list-sessions", method: .get, path: "/v1/sessions", summary: "All sessions.",
      responses: [.ok("the sessions, by name", AdminSchemas.list(schema))]
    ) { .json(.array($0.proxy.sessions.all.map(\.json))) },
    AdminOperation(
      id: "get-session", method: .get, path: one, summary: "One session.",
      responses: [.ok("the session", schema)], problems: [404]
    ) { request in
      .json(try request.find("session", by: "name") { request.proxy.sessions.existing($0) }.json)
    },
    AdminOperation(
      id: "begin-session", method: .put, path: one,
      summary: "Begins a session, as its first request would; an existing one is left as it is.",
      responses: [.ok("the session", schema)], problems: [409]
    ) {
      guard let session = $0.proxy.sessions.begin($0.component("name")) else {
        throw AdminProblem(409, "there are too many sessions; drop some, or raise --max-sessions")
      }
      return .json(session.json)
    },
    AdminOperation(
      id: "drop-session", method: .delete, path: one, summary: "Drops a session with all it holds.",
      responses: [.noContent("it is dropped")], problems: [404]
    ) { request in
      let name = request.component("name")
      guard request.proxy.sessions.drop(name) else { throw AdminProblem.missing("session", name) }
      return .noContent
    },
  ]
}

extension Session {
  fileprivate var json: JSONValue {
    [
      "name": name.map { JSONValue($0) } ?? .null, "requests": JSONValue(requestCount),
      "lastUsed": JSONValue(lastUsed),
      "overrides": JSONValue(OverrideKind.allCases.reduce(0) { $0 + overrides.rules($1).count }),
    ]
  }
}
