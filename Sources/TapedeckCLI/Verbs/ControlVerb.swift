internal import TapedeckAdmin
internal import TapedeckHTTP
internal import TapedeckProxy
internal import TapedeckRecording

extension Option {
  static let session = Option(
    name: "--session", value: "NAME",
    help: "the session this is about; without it, that of requests without one")
}

extension Verb {
  static let control = Verb(
    name: "ctl", group: .proxy, summary: "steer a running proxy",
    synopsis: "--admin-port N [--session NAME] WHAT…",
    options: [.adminPort, .adminToken, .adminTokenFile, .session],
    examples: [
      "tapedeck ctl --admin-port 9090 health",
      #"tapedeck ctl --admin-port 9090 routes add '{"path": "/users/{id}", "status": 503}'"#,
      "tapedeck ctl --admin-port 9090 patches set slow @slow.json",
      "tapedeck ctl --admin-port 9090 journal status=502 limit=5",
      #"tapedeck ctl --admin-port 9090 verify '{"requests": [{"path": "/users", "times": 2}]}'"#,
    ],
    notes: """
      WHAT is one of
        health                       how things stand
        routes, resources, patches, faults: KIND, KIND add JSON, KIND set ID JSON, KIND get ID, KIND rm ID, KIND clear
        data ID [JSON]               what a resource holds, or shall hold
        mode MODE                    none, once, new_episodes, all or passthrough
        cassette NAME [MODE]         put in another cassette of the same folder
        eject                        take the cassette out
        journal [FILTER=VALUE…]      the latest requests; filters are method, path, status, source, after, limit
        journal NUMBER, journal clear   one of them, with who answered, who did not, and why; or forget them
        verify JSON                  whether what came is what is expected; the exit code is 4 when it is not
        reset [journal]              first answers, counts at zero, resources as declared, without journal too
        sessions, sessions begin NAME, sessions rm NAME
        export har, export cassette NAME   the journal as a file on standard output, or as a cassette
      JSON is the text itself, @FILE, or - for standard input. The token is found where the proxy on this machine wrote
      it, or in TAPEDECK_ADMIN_TOKEN.
      """, run: ControlVerb.run)
}

/// `ctl`: one request to the admin API of a running proxy, and its answer.
enum ControlVerb {
  static func run(_ arguments: Arguments) throws -> ExitCode {
    guard let port = try arguments.number(.adminPort, in: 1...65535) else {
      throw UsageError("ctl needs --admin-port N, the port of the admin API")
    }
    guard !arguments.positional.isEmpty else { throw UsageError("what shall I do? routes, journal, health…") }
    let command = try ControlCommand(arguments.positional, session: arguments[.session])
    let token = try token(arguments, port: port)
    let response = try ask(command, port: port, token: token)
    return try show(response, command)
  }

  private static func token(_ arguments: Arguments, port: Int) throws -> String {
    if let token = arguments[.adminToken] ?? Terminal.environment("TAPEDECK_ADMIN_TOKEN") { return token }
    let file =
      arguments[.adminTokenFile].map { AdminTokenFile(path: $0) }
      ?? AdminTokenFile.standard(port: port, environment: Terminal.environment)
    guard let token = file.read() else {
      throw ControlProblem(
        "there is no token in \(file.path); is a proxy with --admin-port \(port) running here? "
          + "Its token can be given in TAPEDECK_ADMIN_TOKEN")
    }
    return token
  }

  private static func ask(_ command: ControlCommand, port: Int, token: String) throws -> HTTPResponse {
    var configuration = ProxyConfiguration()
    configuration.upstream = "http://127.0.0.1:\(port)"
    var fields = HTTPFields()
    try fields.append("Authorization", "Bearer \(token)")
    if command.body != nil { fields.append(literal: "Content-Type", "application/json") }
    let request = HTTPRequest(
      command.method, command.target, fields: fields, body: command.body ?? [])
    let results = try UpstreamBatch(configuration).results(for: [request])
    switch results.first?.outcome {
    case .response(let response)?:
      guard case .bytes(let body) = response.body else { throw ControlProblem("the answer is too large") }
      return HTTPResponse(head: response.head, body: body)
    case .failed(let reason)?:
      throw ControlProblem("nothing answers on admin port \(port): \(reason)")
    case nil: throw ControlProblem("nothing was asked")
    }
  }

  private static func show(_ response: HTTPResponse, _ command: ControlCommand) throws -> ExitCode {
    let json = try? JSONValue(parsing: response.body)
    guard (200...299).contains(response.head.status) else {
      throw ControlProblem(json?["detail"]?.text ?? "the admin API answers \(response.head.status)")
    }
    guard !response.body.isEmpty else { return .good }
    if let table = json.flatMap({ command.table($0) }) {
      Terminal.out(table)
    } else {
      Terminal.out(json == nil ? response.body : Printable.json(response.body))
      if response.body.last != UInt8(ascii: "\n") { Terminal.out("\n") }
    }
    return json?["holds"]?.bool == false ? .strictness : .good
  }
}

/// Why nothing came of it.
struct ControlProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
