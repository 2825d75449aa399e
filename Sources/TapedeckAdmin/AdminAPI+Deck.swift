internal import TapedeckHTTP
internal import TapedeckProxy

/// The proxy itself: its health, its mode, its cassette.
extension AdminAPI {
  private static let deck = AdminOperation.Answer(
    status: 200, description: "how things stand", schema: AdminSchemas.reference("Deck"))

  static let deckOperations: [AdminOperation] = [
    AdminOperation(
      id: "health", method: .get, path: "/v1/health", summary: "Whether it runs, and how it stands.",
      answers: [deck]
    ) { AdminAnswer($0.proxy.stateJSON) },
    AdminOperation(
      id: "set-mode", method: .put, path: "/v1/mode",
      summary: "Changes the mode; what was being recorded is sealed first.",
      body: AdminSchemas.object([("mode", AdminSchemas.mode)]), answers: [deck], problems: [404, 409, 422]
    ) { request in
      let members = try request.members(["mode"])
      return try change(request.proxy, mode: mode(members["mode"]), cassette: request.proxy.cassettePath)
    },
    AdminOperation(
      id: "insert-cassette", method: .put, path: "/v1/cassette",
      summary: "Puts a cassette of the same folder in the place of the one that is in, and its mode.",
      body: AdminSchemas.object(
        [("name", ["type": "string", "pattern": JSONValue(cassettePattern)]), ("mode", AdminSchemas.mode)],
        required: ["name"]),
      answers: [deck], problems: [404, 409, 422]
    ) { request in
      let members = try request.members(["name", "mode"])
      let path = try cassettePath(members["name"], request.proxy)
      return try change(
        request.proxy, mode: members["mode"].map { try mode($0) } ?? request.proxy.mode, cassette: path)
    },
    AdminOperation(
      id: "eject-cassette", method: .delete, path: "/v1/cassette",
      summary: "Takes the cassette out: requests are passed through, or refused where there is no upstream.",
      answers: [deck], problems: [409]
    ) { request in
      try change(request.proxy, mode: request.proxy.upstream == nil ? .none : .passthrough, cassette: nil)
    },
    AdminOperation(
      id: "reset", method: .post, path: "/v1/reset",
      summary:
        "Begins a session anew: the first recorded answers, counts of rules at zero, resources as declared.",
      parameters: [session],
      body: AdminSchemas.object([("journal", ["type": "boolean"])], required: []),
      answers: [.init(status: 204, description: "it begins anew")], problems: [404, 422]
    ) { request in
      let members = try request.members(["journal"])
      guard members["journal"].map({ $0.bool != nil }) ?? true else {
        throw AdminProblem(422, "must be true or false", place: "journal")
      }
      let session = try request.session()
      request.proxy.reset(session)
      if members["journal"]?.bool == true { session.journal.clear() }
      return .done
    },
  ]

  private static let cassettePattern = "^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$"

  private static func mode(_ value: JSONValue?) throws(AdminProblem) -> RecordMode {
    guard let mode = value?.text.flatMap(RecordMode.init(rawValue:)) else {
      let known = RecordMode.allCases.map(\.rawValue).joined(separator: ", ")
      throw AdminProblem(422, "must be one of \(known)", place: "mode")
    }
    return mode
  }

  /// A cassette beside the one the proxy was started with: whoever steers it names no paths.
  static func cassettePath(_ value: JSONValue?, _ proxy: ProxyServer) throws(AdminProblem) -> String {
    guard let name = value?.text, let first = name.utf8.first, first != UInt8(ascii: "."),
      first != UInt8(ascii: "-"), (1...100).contains(name.utf8.count),
      name.utf8.allSatisfy({
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) && $0 < 0x80
          || "._-".utf8.contains($0)
      })
    else { throw AdminProblem(422, "must be a bare name of letters, digits and . _ -", place: "name") }
    return "\(proxy.cassetteFolder)/\(name)"
  }

  private static func change(
    _ proxy: ProxyServer, mode: RecordMode, cassette: String?
  ) throws(AdminProblem) -> AdminAnswer {
    do { try proxy.change(mode: mode, cassette: cassette) } catch {
      if case .cassetteAbsent? = error as? ProxyError { throw AdminProblem(404, "\(error)") }
      throw AdminProblem(409, "\(error)")
    }
    return AdminAnswer(proxy.stateJSON)
  }
}

extension ProxyServer {
  fileprivate var stateJSON: JSONValue {
    let counts = interactionCounts
    let all = [sessions.standard] + sessions.all
    return [
      "status": "ok", "url": JSONValue(baseURL), "mode": JSONValue(mode.rawValue),
      "upstream": upstream.map { JSONValue($0) } ?? .null,
      "cassette": cassettePath.map { JSONValue($0) } ?? .null,
      "interactions": ["recorded": JSONValue(counts.recorded), "replayable": JSONValue(counts.replayable)],
      "sessions": JSONValue(all.count - 1),
      "requests": JSONValue(all.reduce(0) { $0 + $1.journal.total }),
      "unmatched": JSONValue(summary.unmatched),
    ]
  }
}
