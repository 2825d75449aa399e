internal import TapedeckHTTP
internal import TapedeckMaintenance
internal import TapedeckProxy

/// The cassette of a session: what it holds, what a scanner finds in it, how it differs from another one, and what it
/// would be as a backend.
extension AdminAPI {
  private static let oneInteraction = "/v1/cassette/interactions/{file}"
  private static let recording = AdminSchemas.reference("Recording")

  static let cassetteOperations: [AdminOperation] = [
    AdminOperation(
      id: "list-cassettes", method: .get, path: "/v1/cassettes",
      summary: "The cassettes in the folder of the proxy's, which can be put in by their names.",
      responses: [.ok("the cassettes, by name", AdminSchemas.list(AdminSchemas.reference("Cassette")))],
      problems: [409]
    ) { request in
      do {
        let all = try CassetteReport.cassettes(in: request.proxy.cassetteFolder)
        return .json(.array(all.filter { isCassetteName($0["name"]?.text ?? "") }))
      } catch { throw AdminProblem(conflict: error) }
    },
    AdminOperation(
      id: "list-interactions", method: .get, path: "/v1/cassette/interactions",
      summary: "The interactions of the session's cassette, with their use in this run.",
      parameters: [session],
      responses: [.ok("in the order of their files", AdminSchemas.list(AdminSchemas.reference("Use")))],
      problems: [404]
    ) { .json(.array($0.proxy.uses(of: try $0.session()).map(\.json))) },
    AdminOperation(
      id: "get-interaction", method: .get, path: oneInteraction,
      summary: "One interaction of the session's cassette.", parameters: [session],
      responses: [.ok("the interaction", recording)], problems: [404, 409]
    ) { request in
      let session = try request.session()
      do {
        return .json(
          try request.find("interaction", by: "file") { try request.proxy.recording($0, of: session) }.json)
      } catch { throw AdminProblem(conflict: error) }
    },
    AdminOperation(
      id: "restore-interaction", method: .post, path: "\(oneInteraction)/restore",
      summary: "Puts back an interaction that was recorded anew in this run, as it was before; removes one "
        + "that was added.",
      parameters: [session], responses: [.noContent("it is as it was")], problems: [404, 409]
    ) { request in
      let (session, file) = (try request.session(), request.component("file"))
      let isRestored: Bool
      do { isRestored = try request.proxy.restore(file, of: session) } catch {
        throw AdminProblem(conflict: error)
      }
      guard isRestored else {
        throw AdminProblem(404, "\(file.debugDescription) was not recorded anew in this run")
      }
      return .noContent
    },
    AdminOperation(
      id: "scan-cassette", method: .get, path: "/v1/cassette/finds",
      summary: "What may be a secret in the files of the session's cassette.", parameters: [session],
      responses: [.ok("the finds, without the secrets", AdminSchemas.reference("Scan"))],
      problems: [404, 409, 503],
      stream: { try report($0) { try CassetteReport.finds(in: $0) } }
    ) { _ in .unmadeJSON },
    AdminOperation(
      id: "compare-cassette", method: .get, path: "/v1/cassette/comparison",
      summary: "How the session's cassette differs from another one of the same folder.",
      parameters: [
        session,
        .init(name: "with", description: "the other cassette", schema: cassetteName, isRequired: true),
      ],
      responses: [.ok("what differs", AdminSchemas.reference("Comparison"))], problems: [404, 409, 422, 503],
      stream: { request in
        let other = try cassettePath(JSONValue(request.query["with"]), request.proxy, place: "with")
        return try report(request) { try CassetteReport.comparison(of: $0, with: other) }
      }
    ) { _ in .unmadeJSON },
    AdminOperation(
      id: "preview-promotion", method: .get, path: "/v1/cassette/promotion",
      summary:
        "The session's cassette as a stateful backend: the resources that `promote` would declare, and "
        + "how well they reproduce it. Changes nothing.",
      parameters: [
        session,
        .init(
          name: "confidence", description: "leaves out resources of less confidence, in percent (50)",
          schema: ["type": "integer", "minimum": 0, "maximum": 100]),
        .init(name: "host", description: "only exchanges with this host, of a recording of several origins"),
      ],
      responses: [.ok("the resources, and what they serve", AdminSchemas.reference("Promotion"))],
      problems: [404, 409, 422, 503],
      stream: { request in
        let percent = try request.number("confidence") ?? 50
        guard percent <= 100 else {
          throw AdminProblem(400, "the parameter confidence must be at most 100", place: "confidence")
        }
        let host = request.query["host"]
        return try report(request) {
          try CassetteReport.promotion(of: $0, host: host, minimum: Double(percent) / 100)
        }
      }
    ) { _ in .unmadeJSON },
  ]

  /// A report on the session's cassette, made on a thread of its own.
  private static func report(
    _ request: AdminRequest, _ make: @escaping @Sendable (_ path: String) throws -> JSONValue
  ) throws(AdminProblem) -> PendingResponse {
    guard let path = request.proxy.cassettePath(of: try request.session()) else {
      throw AdminProblem(409, "there is no cassette")
    }
    return request.context.background.response(on: request.context.loop) {
      do { return try make(path) } catch let error as CassetteReportError {
        switch error {
        case .absent: throw AdminProblem(404, "\(error)")
        case .origin: throw AdminProblem(422, "\(error)", place: "host")
        }
      }
    }
  }

  static func isCassetteName(_ name: String) -> Bool {
    (1...100).contains(name.utf8.count) && !name.hasPrefix(".") && !name.hasPrefix("-")
      && name.utf8.allSatisfy { ASCII.isWord($0) || $0 == UInt8(ascii: ".") }
  }
}

extension InteractionUse {
  fileprivate var json: JSONValue {
    [
      "file": JSONValue(file), "method": JSONValue(method), "target": JSONValue(target),
      "status": JSONValue(status), "hits": JSONValue(hits), "repeated": JSONValue(repeated),
      "drifted": JSONValue(drifted),
    ]
  }
}
