internal import TapedeckHTTP
import TapedeckOverrides
internal import TapedeckProxy

/// What came, who answered, why, and whether it is what a test expects.
extension AdminAPI {
  private static let wholeNumber: JSONValue = ["type": "integer", "minimum": 0, "maximum": 2_147_483_647]

  private static let filters: [AdminOperation.Parameter] = [
    session,
    .init(name: "method", description: "only requests of this method"),
    .init(name: "path", description: "only requests whose path fits this pattern, like /users/{id}"),
    .init(
      name: "status", description: "only answers of this status", schema: wholeNumber),
    .init(
      name: "source", description: "only answers from here",
      schema: AdminSchemas.oneOf(ServedResponse.Source.allCases.map(\.rawValue))),
    .init(
      name: "after", description: "only requests with a larger number",
      schema: wholeNumber),
    .init(
      name: "limit", description: "at most so many, the latest (100); 0 only counts",
      schema: wholeNumber),
  ]

  static let journalOperations: [AdminOperation] = [
    AdminOperation(
      id: "list-journal", method: .get, path: "/v1/journal",
      summary: "The latest requests, the oldest first.",
      parameters: filters,
      answers: [.init(status: 200, description: "those that fit", schema: AdminSchemas.reference("Journal"))],
      problems: [404]
    ) { try list($0) },
    AdminOperation(
      id: "clear-journal", method: .delete, path: "/v1/journal", summary: "Forgets all requests.",
      parameters: [session], answers: [.init(status: 204, description: "they are forgotten")], problems: [404]
    ) {
      try $0.session().journal.clear()
      return .done
    },
    AdminOperation(
      id: "get-exchange", method: .get, path: "/v1/journal/{number}",
      summary: "One request with its answer, and what each link of the chain made of it.",
      parameters: [session],
      answers: [.init(status: 200, description: "the exchange", schema: AdminSchemas.reference("Exchange"))],
      problems: [404]
    ) { try exchange($0) },
    AdminOperation(
      id: "verify", method: .post, path: "/v1/verifications",
      summary: "Whether the requests of the journal are what a test expects.", parameters: [session],
      body: verification,
      answers: [
        .init(
          status: 200, description: "what came of each expectation",
          schema: AdminSchemas.object([
            ("holds", ["type": "boolean"]),
            ("findings", AdminSchemas.list(AdminSchemas.reference("Finding"))),
          ]))
      ], problems: [404, 422]
    ) { try verify($0) },
    AdminOperation(
      id: "export", method: .post, path: "/v1/exports",
      summary: "The journal as a HAR file, or as a cassette beside the one that is in.",
      parameters: [session],
      body: [
        "oneOf": [
          AdminSchemas.object([("format", ["const": "har"])]),
          AdminSchemas.object([
            ("format", ["const": "cassette"]),
            ("name", ["type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$"]),
          ]),
        ]
      ],
      answers: [
        .init(
          status: 200, description: "the HAR file, or what the cassette holds", schema: ["type": "object"])
      ], problems: [404, 409, 422]
    ) { try export($0) },
  ]

  private static let verification: JSONValue = AdminSchemas.object(
    [
      (
        "requests",
        ["type": "array", "minItems": 1, "items": AdminSchemas.reference("ExpectedRequest")]
      ), ("inOrder", ["type": "boolean"]),
    ], required: ["requests"])

  // MARK: Looking

  private static func entries(_ request: AdminRequest) throws(AdminProblem) -> [RequestLogEntry] {
    var entries = try request.session().journal.entries
    if let method = request.query["method"] { entries.removeAll { $0.request.method.rawValue != method } }
    if let text = request.query["path"] {
      let pattern: PathPattern
      do { pattern = try PathPattern(text) } catch { throw AdminProblem(400, "\(error)", place: "path") }
      entries.removeAll { pattern.match($0.request.path) == nil }
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

  private static func list(_ request: AdminRequest) throws -> AdminAnswer {
    let journal = try request.session().journal
    let found = try entries(request)
    let limit = try request.number("limit") ?? 100
    return AdminAnswer([
      "total": JSONValue(journal.total), "held": JSONValue(journal.entries.count),
      "matching": JSONValue(found.count),
      "entries": .array(found.suffix(limit).map { .object(JournalText.summary($0, request.proxy)) }),
    ])
  }

  private static func exchange(_ request: AdminRequest) throws -> AdminAnswer {
    let text = request.component("number")
    guard let number = Int(text), let entry = try request.session().journal.entry(number) else {
      throw AdminProblem(404, "the journal holds no request \(text.debugDescription)")
    }
    return AdminAnswer(JournalText.exchange(entry, request.proxy))
  }

  // MARK: Asking

  private static func verify(_ request: AdminRequest) throws -> AdminAnswer {
    let verification: Verification
    do throws(OverrideProblem) { verification = try Verification(request.body ?? .null) } catch {
      throw AdminProblem(422, "\(error)", place: error.place)
    }
    let findings = verification.findings(in: try request.session().journal.entries)
    return AdminAnswer([
      "holds": JSONValue(findings.allSatisfy(\.holds)), "findings": .array(findings.map(\.json)),
    ])
  }

  private static func export(_ request: AdminRequest) throws -> AdminAnswer {
    let members = try request.members(["format", "name"])
    let entries = try request.session().journal.entries
    switch members["format"]?.text {
    case "har":
      guard members["name"] == nil else { throw AdminProblem(422, "a HAR file has no name", place: "name") }
      let har = try request.proxy.har(entries, creatorVersion: AdminServer.version)
      return AdminAnswer(try JSONValue(parsing: har.file))
    case "cassette":
      let path = try cassettePath(members["name"], request.proxy)
      do {
        let count = try request.proxy.save(entries, asCassette: path)
        return AdminAnswer(["cassette": JSONValue(path), "interactions": JSONValue(count)])
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
    members.append(
      JSONMember(
        "nearest",
        .array(nearest.map { ["number": JSONValue($0.number), "obstacle": JSONValue($0.obstacle)] })))
    return .object(members)
  }
}
