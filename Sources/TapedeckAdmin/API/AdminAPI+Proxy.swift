internal import TapedeckHTTP
internal import TapedeckProxy

/// The proxy itself: its health, its mode, its cassette.
extension AdminAPI {
  private static let state = AdminOperation.Response.ok("the state", AdminSchemas.reference("State"))

  static let proxyOperations: [AdminOperation] = [
    AdminOperation(
      id: "health", method: .get, path: "/v1/health",
      summary: "The state of the proxy, with the mode and the cassette of the session.",
      parameters: [session],
      responses: [state], problems: [404]
    ) { .json($0.proxy.stateJSON(of: try $0.session())) },
    AdminOperation(
      id: "set-mode", method: .put, path: "/v1/mode",
      summary: "Changes the mode, of the proxy or of a session with a cassette of its own; what was being "
        + "recorded is sealed first.",
      parameters: [session], body: AdminSchemas.object([("mode", AdminSchemas.mode)]), responses: [state],
      problems: [404, 409, 422, 423]
    ) { request in
      let body = try request.object("mode")
      let path = request.proxy.cassettePath(of: try request.session())
      return try change(request, mode: mode(body["mode"]), cassette: path)
    },
    AdminOperation(
      id: "insert-cassette", method: .put, path: "/v1/cassette",
      summary: "Replaces the cassette with another one of the same folder, and sets the mode if it is given.",
      parameters: [session],
      body: AdminSchemas.object(
        [("name", cassetteName), ("mode", AdminSchemas.mode)], required: ["name"]),
      responses: [state], problems: [404, 409, 422, 423]
    ) { request in
      let body = try request.object("name", "mode")
      let path = try cassettePath(body["name"], request.proxy)
      let current = try request.session().mode ?? request.proxy.mode
      return try change(request, mode: body["mode"].map { try mode($0) } ?? current, cassette: path)
    },
    AdminOperation(
      id: "eject-cassette", method: .delete, path: "/v1/cassette",
      summary: "Removes the cassette: requests are passed through, or refused if there is no upstream.",
      parameters: [session], responses: [state], problems: [404, 409, 423]
    ) { request in
      try change(request, mode: request.proxy.upstream == nil ? .none : .passthrough, cassette: nil)
    },
    AdminOperation(
      id: "get-matching", method: .get, path: "/v1/matching",
      summary: "By what requests are compared with recordings.",
      responses: [.ok("the rules in force", AdminSchemas.reference("Matching"))]
    ) { .json($0.proxy.matchingJSON) },
    AdminOperation(
      id: "set-matching", method: .put, path: "/v1/matching",
      summary: "Ignores places of requests in this run, besides the rules of the cassette.",
      body: AdminSchemas.object([("ignore", AdminSchemas.list(AdminSchemas.text))]),
      responses: [.ok("the rules in force from the next request on", AdminSchemas.reference("Matching"))],
      problems: [409, 422]
    ) { try setMatching($0) },
    AdminOperation(
      id: "save-overrides", method: .post, path: "/v1/overrides/save",
      summary: "Saves the rules of requests that name no session in the overrides file.",
      responses: [
        .ok(
          "they are saved",
          AdminSchemas.object([("file", AdminSchemas.text), ("content", AdminSchemas.text)]))
      ], problems: [409]
    ) { request in
      do {
        guard let saved = try request.proxy.saveOverrides() else {
          throw AdminProblem(
            409, "there is no overrides file; start with --overrides FILE, which may hold {}")
        }
        return .json(["file": JSONValue(saved.file), "content": JSONValue(saved.content)])
      } catch let problem as AdminProblem { throw problem } catch { throw AdminProblem(409, "\(error)") }
    },
    AdminOperation(
      id: "reset", method: .post, path: "/v1/reset",
      summary: "Restarts a session: first recorded responses, rule counters at zero, resources as declared.",
      parameters: [session],
      body: AdminSchemas.object([("requests", AdminSchemas.bool)], required: []),
      responses: [.noContent("the session starts over")], problems: [404, 422]
    ) { request in
      // "journal" is the former name of "requests".
      let body = try request.object("requests", "journal")
      let clearsLog = try [body.bool("requests"), body.bool("journal")].contains(true)
      let session = try request.session()
      request.proxy.reset(session)
      if clearsLog { session.requestLog.clear() }
      return .noContent
    },
  ]

  static let cassetteName: JSONValue = ["type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$"]

  static func mode(_ value: JSONValue?) throws(AdminProblem) -> RecordMode {
    guard let mode = value?.text.flatMap(RecordMode.init(rawValue:)) else {
      let known = RecordMode.allCases.map(\.rawValue).joined(separator: ", ")
      throw AdminProblem(422, "must be one of \(known)", place: "mode")
    }
    return mode
  }

  /// A cassette beside the one the proxy was started with: clients of the API name no paths.
  static func cassettePath(
    _ value: JSONValue?, _ proxy: ProxyServer, place: String = "name"
  ) throws(AdminProblem) -> String {
    guard let name = value?.text, isCassetteName(name) else {
      throw AdminProblem(422, "must be a bare name of letters, digits and . _ -", place: place)
    }
    if let store = proxy.cassettePlace {
      throw AdminProblem(
        409, "the cassette is \(store), so there are no others beside it; start another proxy")
    }
    return "\(proxy.cassetteFolder)/\(name)"
  }

  /// The words of `--match` that leave out a place. Others would change what is compared as a whole.
  private static let ignoringWords = ["query:ignore=", "body:ignore=", "body:json"]

  private static func setMatching(_ request: AdminRequest) throws -> HTTPResponse {
    let words = try request.object("ignore")["ignore"]?.array?.map(\.text)
    guard let words, words.allSatisfy({ word in ignoringWords.contains { word?.hasPrefix($0) == true } })
    else {
      throw AdminProblem(
        422, "must be a list of words like query:ignore=ts and body:ignore=$.nonce", place: "ignore")
    }
    guard request.proxy.onlyReplays else {
      throw AdminProblem(
        409, "matching can be changed only while recordings are replayed and none is made")
    }
    do { try request.proxy.ignore(words.compactMap(\.self)) } catch {
      throw AdminProblem(422, "\(error)", place: "ignore")
    }
    return .json(request.proxy.matchingJSON)
  }

  /// Changes the session that the query names, or the proxy.
  private static func change(
    _ request: AdminRequest, mode: RecordMode, cassette: String?
  ) throws(AdminProblem) -> HTTPResponse {
    let session = try request.session()
    if mode.mayRecord(cassetteExists: false), let obstacle = request.proxy.recordingObstacle {
      throw AdminProblem(409, obstacle)
    }
    do {
      if session.name == nil {
        try request.proxy.change(mode: mode, cassette: cassette)
      } else {
        try request.proxy.change(session, mode: mode, cassette: cassette)
      }
    } catch {
      switch error as? ProxyError {
      case .cassetteAbsent: throw AdminProblem(404, "\(error)")
      case .cassetteBusy: throw AdminProblem(423, "\(error)")
      default: throw AdminProblem(409, "\(error)")
      }
    }
    return .json(request.proxy.stateJSON(of: session))
  }
}

extension ProxyServer {
  fileprivate var matchingJSON: JSONValue {
    let words = ignoredWords
    let flag = "--match \(ShellWord.quoted(words.joined(separator: ",")))"
    return [
      "match": .array(matchItems.map { JSONValue($0) }), "ignore": .array(words.map { JSONValue($0) }),
      "flag": words.isEmpty ? .null : JSONValue(flag),
    ]
  }

  var stateJSON: JSONValue { stateJSON(of: sessions.standard) }

  /// With the mode and the cassette of the session, its own or the proxy's.
  func stateJSON(of session: Session) -> JSONValue {
    let counts = interactionCounts(of: session)
    let all = [sessions.standard] + sessions.all
    return [
      "status": "ok", "url": JSONValue(baseURL), "mode": JSONValue((session.mode ?? mode).rawValue),
      "upstream": upstream.map { JSONValue($0) } ?? .null,
      "cassette": cassetteName(of: session).map { JSONValue($0) } ?? .null,
      "interactions": ["recorded": JSONValue(counts.recorded), "replayable": JSONValue(counts.replayable)],
      "sessions": JSONValue(all.count - 1),
      "requests": JSONValue(all.reduce(0) { $0 + $1.requestLog.total }),
      "unmatched": JSONValue(summary.unmatched),
    ]
  }
}
