internal import TapedeckHTTP
import TapedeckOverrides
internal import TapedeckProxy

/// The request log: what came, which link responded and why, and whether it is what a test expects.
extension AdminAPI {
  private static let wholeNumber: JSONValue = ["type": "integer", "minimum": 0, "maximum": 2_147_483_647]

  private static let filters: [AdminOperation.Parameter] = [
    session,
    .init(name: "method", description: "only requests with this method"),
    .init(name: "path", description: "only requests whose path matches this pattern, such as /users/{id}"),
    .init(
      name: "host",
      description: "only requests for hosts that match this pattern, such as *.example.com or localhost:8443",
      schema: AdminSchemas.reference("hostPattern")),
    .init(name: "status", description: "only responses with this status", schema: wholeNumber),
    .init(name: "source", description: "only responses from this source", schema: AdminSchemas.source),
    .init(name: "after", description: "only requests with a higher number", schema: wholeNumber),
    .init(
      name: "limit", description: "at most this many, the latest ones (100); 0 only counts",
      schema: wholeNumber),
  ]

  static let requestOperations: [AdminOperation] = [
    AdminOperation(
      id: "list-requests", method: .get, path: "/v1/requests", summary: "The latest requests, oldest first.",
      parameters: filters,
      responses: [.ok("the matching requests", AdminSchemas.reference("RequestLog"))], problems: [404]
    ) { request in
      let session = try request.session()
      let log = session.requestLog
      let found = try entries(request)
      let limit = try request.number("limit") ?? 100
      return .json([
        "total": JSONValue(log.total), "held": JSONValue(log.entries.count),
        "matching": JSONValue(found.count),
        "entries": .array(found.suffix(limit).map { .object($0.summary(request.proxy, session)) }),
      ])
    },
    AdminOperation(
      id: "clear-requests", method: .delete, path: "/v1/requests", summary: "Clears the request log.",
      parameters: [session], responses: [.noContent("it is empty")], problems: [404]
    ) {
      try $0.session().requestLog.clear()
      return .noContent
    },
    AdminOperation(
      id: "get-exchange", method: .get, path: "/v1/requests/{number}",
      summary: "One request with its response and the decision of each link of the chain.",
      parameters: [
        session,
        .init(
          name: "bodies",
          description:
            "exact: bodies as they were sent, with the recording that was replayed, or the near misses",
          schema: AdminSchemas.oneOf(["exact"])),
      ],
      responses: [.ok("the exchange", AdminSchemas.reference("Exchange"))], problems: [404]
    ) { request in
      let (entry, session) = try loggedRequest(request)
      switch request.query["bodies"] {
      case nil: return .json(entry.exchange(request.proxy, session))
      case "exact": return .json(entry.inspected(request.proxy, session))
      default: throw AdminProblem(400, "must be exact", place: "bodies")
      }
    },
    AdminOperation(
      id: "forward-request", method: .post, path: "/v1/requests/{number}/forward",
      summary:
        "Sends a logged request to the origin once more, past overrides and cassette; records nothing.",
      parameters: [session],
      responses: [
        .ok(
          "the origin's response",
          AdminSchemas.object([
            ("status", ["type": "integer"]), ("milliseconds", ["type": "number"]),
            ("response", AdminSchemas.reference("ExactMessage")),
          ]))
      ],
      problems: [404, 409, 502],
      stream: { request in
        let (entry, session) = try loggedRequest(request)
        if let obstacle = request.proxy.forwardingObstacle(of: session) { throw AdminProblem(409, obstacle) }
        return PendingResponse { finish in
          try request.proxy.forward(entry, of: session, on: request.context.loop) {
            finish(forwarded($0, $1, $2, $3))
          }
        }
      }
    ) { _ in .noContent },
    AdminOperation(
      id: "rerecord-request", method: .post, path: "/v1/requests/{number}/record",
      summary: "Sends a logged request to the origin once more, and puts the response in the place of the "
        + "recorded one; after a miss, adds it.",
      parameters: [session],
      responses: [
        .ok(
          "the origin's response, and the file of the recording that it replaced or added",
          AdminSchemas.object(
            [
              ("file", AdminSchemas.text), ("isNew", AdminSchemas.bool), ("isUnchanged", AdminSchemas.bool),
              ("status", ["type": "integer"]),
              ("milliseconds", ["type": "number"]), ("response", AdminSchemas.reference("ExactMessage")),
            ], required: ["isNew", "isUnchanged", "status", "milliseconds", "response"]))
      ],
      problems: [404, 409, 502],
      stream: { request in
        let (entry, session) = try loggedRequest(request)
        if let obstacle = request.proxy.rerecordingObstacle(entry, of: session) {
          throw AdminProblem(409, obstacle)
        }
        return PendingResponse { finish in
          try request.proxy.recordAnew(entry, of: session, on: request.context.loop) {
            finish(rerecorded($0))
          }
        }
      }
    ) { _ in .noContent },
    AdminOperation(
      id: "verify", method: .post, path: "/v1/verifications",
      summary: "Checks the logged requests against what a test expects.", parameters: [session],
      body: AdminSchemas.object(
        [
          (
            "requests",
            ["type": "array", "minItems": 1, "items": AdminSchemas.reference("ExpectedRequest")]
          ), ("inOrder", AdminSchemas.bool),
        ], required: ["requests"]),
      responses: [
        .ok(
          "the result of each expectation",
          AdminSchemas.object([
            ("holds", AdminSchemas.bool), ("findings", AdminSchemas.list(AdminSchemas.reference("Finding"))),
          ]))
      ], problems: [404, 422]
    ) { request in
      let verification = try Verification(request.body ?? .null)
      let findings = verification.findings(in: try request.session().requestLog.entries)
      return .json([
        "holds": JSONValue(findings.allSatisfy(\.holds)), "findings": .array(findings.map(\.json)),
      ])
    },
    AdminOperation(
      id: "export", method: .post, path: "/v1/exports",
      summary: "The request log as a HAR file, or as a cassette beside the current one.",
      parameters: [session],
      body: [
        "oneOf": [
          AdminSchemas.object(
            [("format", ["const": "har"]), ("number", AdminSchemas.count)], required: ["format"]),
          AdminSchemas.object([("format", ["const": "cassette"]), ("name", cassetteName)]),
        ]
      ],
      responses: [.ok("the HAR file, or a summary of the cassette", ["type": "object"])],
      problems: [404, 409, 422]
    ) { try export($0) },
  ]

  /// The logged request that the path names, and its session.
  private static func loggedRequest(
    _ request: AdminRequest
  ) throws(AdminProblem) -> (entry: RequestLogEntry, session: Session) {
    let text = request.component("number")
    let session = try request.session()
    guard let number = Int(text), let entry = session.requestLog.entry(number) else {
      throw AdminProblem(404, "the request log holds no request \(text.debugDescription)")
    }
    return (entry, session)
  }

  private static func forwarded(
    _ message: ShownMessage?, _ status: Int, _ problem: String, _ milliseconds: Double
  ) -> HTTPResponse {
    guard let message else { return AdminProblem(502, problem).response }
    return .json([
      "status": JSONValue(status), "milliseconds": JSONValue(milliseconds), "response": message.json,
    ])
  }

  private static func rerecorded(_ result: Result<ProxyServer.Rerecording, any Error>) -> HTTPResponse {
    do {
      let made = try result.get()
      return .json(
        .object(
          (made.file.map { [JSONMember("file", JSONValue($0))] } ?? []) + [
            JSONMember("isNew", JSONValue(made.isNew)),
            JSONMember("isUnchanged", JSONValue(made.isUnchanged)),
            JSONMember("status", JSONValue(made.status)),
            JSONMember("milliseconds", JSONValue(made.durationMilliseconds)),
            JSONMember("response", made.response.json),
          ]))
    } catch let error as ProxyServer.NoResponse {
      return AdminProblem(502, "\(error)").response
    } catch {
      return AdminProblem(conflict: error).response
    }
  }

  private static func entries(_ request: AdminRequest) throws(AdminProblem) -> [RequestLogEntry] {
    var entries = try request.session().requestLog.entries
    if let method = request.query["method"] { entries.removeAll { $0.request.method.rawValue != method } }
    if let text = request.query["path"] {
      let pattern: PathPattern
      do { pattern = try PathPattern(text) } catch { throw AdminProblem(400, "\(error)", place: "path") }
      entries.removeAll { pattern.match($0.request.path) == nil }
    }
    if let text = request.query["host"] {
      guard let pattern = HostPattern(text) else {
        throw AdminProblem(
          400, "must be a host like api.example.com, *.example.com or localhost:8443", place: "host")
      }
      entries.removeAll { $0.request.origin.map(pattern.matches) != true }
    }
    if let status = try request.number("status") { entries.removeAll { $0.status != status } }
    if let text = request.query["source"] {
      guard let source = ServedResponse.Source(rawValue: text) else {
        let known = ServedResponse.Source.allCases.map(\.rawValue).joined(separator: ", ")
        throw AdminProblem(400, "must be one of \(known)", place: "source")
      }
      entries.removeAll { $0.source != source }
    }
    if let number = try request.number("after") { entries.removeAll { $0.number <= number } }
    return entries
  }

  private static func export(_ request: AdminRequest) throws -> HTTPResponse {
    let body = try request.object("format", "name", "number")
    let session = try request.session()
    var entries = session.requestLog.entries
    if let number = body["number"] {
      guard body["format"]?.text == "har" else {
        throw AdminProblem(422, "only a HAR file is of one request", place: "number")
      }
      entries.removeAll { $0.number != number.int }
      guard !entries.isEmpty else {
        throw AdminProblem(404, "the request log holds no request \(number)")
      }
    }
    switch body["format"]?.text {
    case "har":
      guard body["name"] == nil else { throw AdminProblem(422, "a HAR file has no name", place: "name") }
      let har = try request.proxy.har(entries, of: session, creatorVersion: AdminServer.version)
      return .json(try JSONValue(parsing: har.file))
    case "cassette":
      let path = try cassettePath(body["name"], request.proxy)
      do {
        let count = try request.proxy.save(entries, of: session, asCassette: path)
        return .json(["cassette": JSONValue(path), "interactions": JSONValue(count)])
      } catch {
        throw AdminProblem(409, "\(error)")
      }
    default: throw AdminProblem(422, "must be har or cassette", place: "format")
    }
  }
}

extension Verification.Finding {
  fileprivate var json: JSONValue {
    var members = [
      JSONMember("expectation", expectation), JSONMember("holds", JSONValue(holds)),
      JSONMember("count", JSONValue(count)),
    ]
    if let problem { members.append(JSONMember("problem", JSONValue(problem))) }
    let nearest: [JSONValue] = nearest.map {
      ["number": JSONValue($0.number), "obstacle": JSONValue($0.obstacle)]
    }
    return .object(members + [JSONMember("nearest", .array(nearest))])
  }
}
