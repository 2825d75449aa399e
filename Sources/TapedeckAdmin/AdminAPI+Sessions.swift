internal import TapedeckHTTP
import TapedeckOverrides
internal import TapedeckProxy

/// Sessions: what tests have to themselves.
extension AdminAPI {
  private static let one = "/v1/sessions/{name}"
  private static let schema = AdminSchemas.reference("Session")

  static let sessionOperations: [AdminOperation] = [
    AdminOperation(
      id: "list-sessions", method: .get, path: "/v1/sessions", summary: "The sessions there are.",
      answers: [.init(status: 200, description: "by name", schema: AdminSchemas.list(schema))]
    ) { AdminAnswer(.array($0.proxy.sessions.all.map(\.json))) },
    AdminOperation(
      id: "get-session", method: .get, path: one, summary: "One session.",
      answers: [.init(status: 200, description: "the session", schema: schema)], problems: [404]
    ) { AdminAnswer(try named($0).json) },
    AdminOperation(
      id: "begin-session", method: .put, path: one,
      summary: "Begins a session, as its first request would; one that is there stays as it is.",
      answers: [.init(status: 200, description: "the session", schema: schema)], problems: [409]
    ) {
      guard let session = $0.proxy.sessions.begin($0.component("name")) else {
        throw AdminProblem(409, "there are too many sessions; drop some, or raise --max-sessions")
      }
      return AdminAnswer(session.json)
    },
    AdminOperation(
      id: "drop-session", method: .delete, path: one, summary: "Drops a session and all that it has.",
      answers: [.init(status: 204, description: "it is gone")], problems: [404]
    ) {
      guard $0.proxy.sessions.drop($0.component("name")) else { throw missing($0) }
      return .done
    },
  ]

  private static func named(_ request: AdminRequest) throws(AdminProblem) -> Session {
    guard let session = request.proxy.sessions.existing(request.component("name")) else {
      throw missing(request)
    }
    return session
  }

  private static func missing(_ request: AdminRequest) -> AdminProblem {
    AdminProblem(404, "there is no session \(request.component("name").debugDescription)")
  }
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
