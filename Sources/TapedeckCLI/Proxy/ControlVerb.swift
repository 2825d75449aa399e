internal import TapedeckHTTP
import TapedeckOverrides

extension Option {
  static let runningAdminPort = Option("--admin-port", "N", help: "the port of the admin API on this machine")
  static let adminURL = Option(
    "--admin-url", "URL", help: "the admin API's URL, as the proxy prints it, in place of --admin-port")
  static let session = Option(
    "--session", "NAME", help: "a session's name; default is the session of requests without one")
}

extension Verb {
  static let control = Verb(
    name: "ctl", group: .proxy, summary: "steer a running proxy",
    synopsis: "--admin-port N|--admin-url URL [--session NAME] WHAT…",
    options: [
      .runningAdminPort, .adminURL, .caCertificate, .adminToken, .adminTokenFile, .session, .json,
    ],
    examples: [
      "tapedeck ctl --admin-port 9090 health",
      #"tapedeck ctl --admin-port 9090 routes add '{"path": "/users/{id}", "status": 503}'"#,
      "tapedeck ctl --admin-port 9090 patches set slow @slow.json",
      "tapedeck ctl --admin-port 9090 requests status=502 limit=5",
      "tapedeck ctl --admin-url https://tapedeck.internal:9090 --cacert authority.pem reset",
      #"tapedeck ctl --admin-port 9090 verify '{"requests": [{"path": "/users", "times": 2}]}'"#,
    ],
    notes: """
      WHAT is one of
        health                       the state of the proxy
        routes, resources, patches, faults: KIND, KIND add JSON, KIND set ID JSON, KIND get ID, KIND rm ID, KIND clear
        data ID [JSON]               get or replace the objects of a resource
        mode MODE                    none, once, new_episodes, all or passthrough
        cassette NAME [MODE]         switch to another cassette of the same folder
        eject                        remove the cassette; these three and health, with --session on the command line,
                                     are about the cassette of that session
        cassettes                    the cassettes of that folder
        requests [FILTER=VALUE…]     the latest requests; filters are method, host, path, status, source,
                                     after, limit
        requests NUMBER              one of them, with the decision of each link of the chain
        requests clear               clear the request log
        requests NUMBER forward      send it to the origin once more, past overrides and cassette
        requests NUMBER record       the same, and put the response in the place of the recorded one
        events [after=ID]            follow the requests of all sessions until the proxy ends; after=-1 leaves out
                                     those that came before
        interactions [FILE]          the interactions of the cassette with their use, or one of them
        interactions FILE restore    put it back as it was before it was recorded anew in this run, or remove it if it
                                     was added
        scan                         what may be a secret in the cassette
        diff NAME                    how the cassette differs from another one of the same folder
        promote [PERCENT [HOST]]     the resources that promote would declare, and how well they serve; writes nothing
        matching [WORD…]             what is compared; with words like query:ignore=ts, leaves these out in this run
        matching none                ends that
        save                         save the rules in force in the overrides file
        verify JSON                  check the logged requests against expectations; exits with 4 if one fails
        reset                        restart: first responses, counters at zero, resources as declared
        reset requests               the same, and clear the request log
        sessions, sessions begin NAME [CASSETTE [MODE]], sessions rm NAME
        export har                   the request log as a HAR file, on standard output
        export cassette NAME         the request log as a cassette
      JSON is the text itself, @FILE, or - for standard input. The former names, ctl journal and ctl reset journal, are
      accepted too. The token is read from TAPEDECK_ADMIN_TOKEN, or from the file that a proxy on this machine wrote.
      An https URL is verified by the authorities in --cacert, else by the one of tapedeck ca create, else by the
      system's.
      """,
    choices: OverrideKind.allCases.map(\.rawValue) + [
      "health", "data", "mode", "cassette", "eject", "requests", "verify", "reset", "sessions", "export",
      "interactions", "matching", "save", "cassettes", "events", "scan", "diff", "promote",
    ], run: control)

  private static func control(_ arguments: Arguments) throws -> ExitCode {
    let admin = try RunningAdmin(arguments, verb: "ctl")
    if arguments.positional.first == "events" {
      if arguments.isGiven(.session) { throw UsageError("events is about all sessions; leave --session out") }
      try FollowedRequests.run(arguments.positional.dropFirst(), of: admin, asJSON: arguments.has(.json))
      return .good
    }
    let command = try ControlCommand(
      arguments.positional, session: arguments[.session], isGiven: arguments.isGiven(.session))
    let response = try admin.send(command.method, command.target, command.body)
    let json = try? JSONValue(parsing: response.body)
    guard !response.body.isEmpty else { return .good }
    if let table = json.flatMap({ command.table($0) }), !arguments.has(.json) {
      Terminal.out(table)
    } else {
      Terminal.out(json == nil ? response.body : Printable.json(response.body))
      if response.body.last != UInt8(ascii: "\n") { Terminal.out("\n") }
    }
    return json?["holds"]?.bool == false ? .strictness : .good
  }
}

/// The words after `ctl` as a request to the admin API.
private struct ControlCommand {
  private(set) var method = HTTPMethod.get
  private(set) var target = ""
  private(set) var body: [UInt8]?
  private var query: [(String, String)] = []
  private var rest: ArraySlice<String>

  private static let ofAllSessions = ["sessions", "matching", "save", "cassettes"]
  /// About the proxy, unless the command line names a session: it then has a cassette of its own.
  private static let ofProxy = ["health", "mode", "cassette", "eject"]

  /// - Parameter isGiven: whether the session stands on the command line, where it must have an effect.
  init(_ words: [String], session: String?, isGiven: Bool) throws {
    rest = words[...]
    let what = try next("WHAT, such as health, routes or requests,")
    switch what {
    case "health": send(.get, "health")
    case "mode": send(.put, "mode", ["mode": JSONValue(try next("MODE"))])
    case "cassette":
      let name = JSONMember("name", JSONValue(try next("NAME")))
      let mode = rest.popFirst().map { [JSONMember("mode", JSONValue($0))] }
      send(.put, "cassette", .object([name] + (mode ?? [])))
    case "eject": send(.delete, "cassette")
    case "data":
      let path = "resources/\(Self.encoded(try next("ID")))/data"
      if let word = rest.popFirst() { send(.put, path, bytes: try json(word)) } else { send(.get, path) }
    case "requests", "journal": try requests()
    case "cassettes": send(.get, "cassettes")
    case "interactions": try interactions()
    case "scan": send(.get, "cassette/finds")
    case "diff":
      send(.get, "cassette/comparison")
      query.append(("with", try next("NAME")))
    case "promote":
      send(.get, "cassette/promotion")
      if let percent = rest.popFirst() { query.append(("confidence", percent)) }
      if let host = rest.popFirst() { query.append(("host", host)) }
    case "matching": matching()
    case "save": send(.post, "overrides/save")
    case "verify": send(.post, "verifications", bytes: try json(next("JSON")))
    case "reset":
      let word = rest.popFirst()
      guard [nil, "requests", "journal"].contains(word) else {
        throw UsageError("reset takes requests, not \((word ?? "").debugDescription)")
      }
      send(.post, "reset", word == nil ? [:] : ["requests": true])
    case "sessions": try sessions()
    case "export":
      let format = try next("FORMAT, har or cassette,")
      let name = format == "cassette" ? [JSONMember("name", JSONValue(try next("NAME")))] : []
      send(.post, "exports", .object([JSONMember("format", JSONValue(format))] + name))
    default: try rules(what)
    }
    if let word = rest.first { throw UsageError("too many arguments: \(word.debugDescription)") }
    let isOfAll = Self.ofAllSessions.contains(what)
    if isOfAll, isGiven { throw UsageError("\(what) is about all sessions; leave --session out") }
    if let session, !isOfAll, isGiven || !Self.ofProxy.contains(what) { query.append(("session", session)) }
    let items = query.map { "\(Self.encoded($0))=\(Self.encoded($1))" }.joined(separator: "&")
    target = "/v1/\(target)" + (items.isEmpty ? "" : "?" + items)
  }

  private mutating func next(_ name: String) throws(UsageError) -> String {
    guard let word = rest.popFirst() else { throw UsageError("\(name) is missing") }
    return word
  }

  private mutating func send(_ method: HTTPMethod, _ path: String, _ json: JSONValue? = nil) {
    send(method, path, bytes: json?.bytes())
  }

  private mutating func send(_ method: HTTPMethod, _ path: String, bytes: [UInt8]?) {
    (self.method, target, body) = (method, path, bytes)
  }

  /// The text itself, `@FILE`, or `-`.
  private func json(_ word: String) throws(Failure) -> [UInt8] {
    if word == "-" { return try [UInt8](contentsOf: "/dev/stdin") }
    return word.hasPrefix("@") ? try [UInt8](contentsOf: String(word.dropFirst())) : Array(word.utf8)
  }

  private static func encoded(_ text: String) -> String {
    let bytes = text.utf8.flatMap { byte in
      ASCII.isWord(byte) || ".~/".utf8.contains(byte) ? [byte] : PercentCoding.encoded(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// As one segment of a path.
  private static func encodedWhole(_ text: String) -> String {
    encoded(text).split(separator: "/", omittingEmptySubsequences: false).joined(separator: "%2F")
  }

  private mutating func rules(_ kind: String) throws {
    let kinds = OverrideKind.allCases.map(\.rawValue)
    guard kinds.contains(kind) else {
      let all =
        kinds + [
          "health", "mode", "cassette", "eject", "data", "requests", "verify", "reset", "sessions", "export",
          "interactions", "matching", "save", "cassettes", "events", "scan", "diff", "promote",
        ]
      throw UsageError(
        "unknown word \(kind.debugDescription)\(kind.suggestion(among: all)); known are "
          + all.joined(separator: ", "))
    }
    switch rest.popFirst() {
    case nil, "list": send(.get, kind)
    case "add": send(.post, kind, bytes: try json(next("JSON")))
    case "set": send(.put, "\(kind)/\(Self.encoded(try next("ID")))", bytes: try json(next("JSON")))
    case "get": send(.get, "\(kind)/\(Self.encoded(try next("ID")))")
    case "rm": send(.delete, "\(kind)/\(Self.encoded(try next("ID")))")
    case "clear": send(.delete, kind)
    case let verb?:
      let verbs = ["list", "add", "set", "get", "rm", "clear"]
      throw UsageError(
        "\(kind) takes \(verbs.joined(separator: ", ")), not \(verb.debugDescription)"
          + verb.suggestion(among: verbs))
    }
  }

  private mutating func matching() {
    guard !rest.isEmpty else { return send(.get, "matching") }
    let words = rest.elementsEqual(["none"]) ? [] : rest.map { JSONValue($0) }
    rest = []
    send(.put, "matching", ["ignore": .array(words)])
  }

  private mutating func interactions() throws(UsageError) {
    guard let file = rest.popFirst() else { return send(.get, "cassette/interactions") }
    let path = "cassette/interactions/\(Self.encodedWhole(file))"
    switch rest.popFirst() {
    case nil: send(.get, path)
    case "restore": send(.post, "\(path)/restore")
    case let word?: throw UsageError("interactions FILE takes restore, not \(word.debugDescription)")
    }
  }

  private mutating func sessions() throws(UsageError) {
    switch rest.popFirst() {
    case nil: send(.get, "sessions")
    case "begin":
      send(.put, "sessions/\(Self.encoded(try next("NAME")))")
      if let cassette = rest.popFirst() { query.append(("cassette", cassette)) }
      if let mode = rest.popFirst() { query.append(("mode", mode)) }
    case "rm": send(.delete, "sessions/\(Self.encoded(try next("NAME")))")
    case let word?: throw UsageError("sessions takes begin and rm, not \(word.debugDescription)")
    }
  }

  private mutating func requests() throws(UsageError) {
    send(.get, "requests")
    if let word = rest.first, !word.contains("=") {
      rest.removeFirst()
      if word == "clear" { return send(.delete, "requests") }
      let path = "requests/\(Self.encoded(word))"
      guard let action = rest.first, ["forward", "record"].contains(action) else { return send(.get, path) }
      rest.removeFirst()
      return send(.post, "\(path)/\(action)")
    }
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else {
        throw UsageError("a filter is written like status=502, not \(word.debugDescription)")
      }
      query.append((parts[0], parts[1]))
    }
  }

  /// A list as a table, on a terminal.
  func table(_ json: JSONValue) -> String? {
    guard Terminal.outputColumns != nil, method == .get else { return nil }
    if let entries = json["entries"]?.array {
      return Self.table(entries, ["number", "method", "target", "status", "source", "why"])
    }
    if let rules = json.array, rules.allSatisfy({ $0["declaration"] != nil }) {
      return Self.table(rules, ["id", "seen", "used", "declaration"])
    }
    return nil
  }

  private static func table(_ rows: [JSONValue], _ names: [String]) -> String {
    let columns = names.map { name in
      let isNumeric = ["number", "seen", "used", "status"].contains(name)
      return TextTable<JSONValue>.Column(
        heading: name.uppercased(), isNumeric: isNumeric, minimumWidth: isNumeric ? nil : 10
      ) { row in
        let value = row[name] ?? .null
        let origin = name == "target" ? row["origin"]?.text ?? "" : ""
        return origin + (value.text ?? value.description)
      }
    }
    return TextTable(columns: columns, rows: rows).text()
  }
}
