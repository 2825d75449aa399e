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
      summary: "Begins a session, with a cassette of its own if one is named.",
      parameters: [
        .init(
          name: "cassette", description: "the session's own cassette, in the folder of the proxy's",
          schema: cassetteName),
        .init(
          name: "mode", description: "the mode of that cassette; by default that of the proxy",
          schema: AdminSchemas.mode),
      ],
      responses: [.ok("the session; without a cassette, one that existed is left as it is", schema)],
      problems: [404, 409, 422, 423]
    ) { .json(try begin($0).json) },
    AdminOperation(
      id: "drop-session", method: .delete, path: one,
      summary: "Drops a session with all it holds; what its own cassette recorded is sealed.",
      responses: [.noContent("it is dropped")], problems: [404, 409]
    ) { request in
      let name = request.component("name")
      let existed: Bool
      do { existed = try request.proxy.end(session: name) } catch { throw AdminProblem(409, "\(error)") }
      guard existed else { throw AdminProblem.missing("session", name) }
      return .noContent
    },
  ]

  private static func begin(_ request: AdminRequest) throws(AdminProblem) -> Session {
    let (proxy, name) = (request.proxy, request.component("name"))
    let mode = request.query["mode"]
    guard let cassette = request.query["cassette"] else {
      guard mode == nil else { throw AdminProblem(422, "needs a cassette", place: "mode") }
      guard let session = proxy.sessions.begin(name) else {
        throw AdminProblem(409, "\(ProxyError.tooManySessions)")
      }
      return session
    }
    let path = try cassettePath(JSONValue(cassette), proxy, place: "cassette")
    do {
      let wanted = try mode.map { text throws(AdminProblem) in try Self.mode(JSONValue(text)) }
      return try proxy.begin(session: name, cassette: path, mode: wanted)
    } catch {
      switch error {
      case let problem as AdminProblem: throw problem
      case ProxyError.cassetteAbsent: throw AdminProblem(404, "\(error)")
      case ProxyError.cassetteBusy: throw AdminProblem(423, "\(error)")
      default: throw AdminProblem(409, "\(error)")
      }
    }
  }
}

extension Session {
  fileprivate var json: JSONValue {
    [
      "name": name.map { JSONValue($0) } ?? .null, "requests": JSONValue(requestCount),
      "lastUsed": JSONValue(lastUsed),
      "overrides": JSONValue(OverrideKind.allCases.reduce(0) { $0 + overrides.rules($1).count }),
      "cassette": cassettePath.map { JSONValue($0) } ?? .null,
      "mode": mode.map { JSONValue($0.rawValue) } ?? .null,
    ]
  }
}
