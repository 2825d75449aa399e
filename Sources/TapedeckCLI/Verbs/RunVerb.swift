internal import TapedeckProxy

extension Option {
  static let environment = Option(
    name: "--env", value: "NAME[=TEXT]",
    help: "also set NAME to the base URL, or to TEXT with {url}, {host} and {port} in it", isRepeatable: true)
}

extension Verb {
  static let runCommand = Verb(
    name: "run", group: .proxy, summary: "start, run a command against it, stop",
    synopsis: "[options] -- COMMAND [ARG…]",
    options: [.cassette, .mode, .onExhausted, .pace, .onCut, .environment] + Option.asking + Option.serving,
    examples: [
      "tapedeck run --cassette example -- npm test",
      "tapedeck run --upstream https://api.example.com --cassette example --env API_URL -- pytest",
      "tapedeck run --cassette openai --env 'OPENAI_BASE_URL={url}/v1' -- python chat.py",
    ],
    notes: """
      COMMAND finds the base URL in TAPEDECK_URL, and in what --env names. The port is a free one unless --port says
      otherwise; modes are those of serve. There is no live log unless --log-format asks for one. The exit code is the
      command's own; when that is 0, ours: 3 for unmatched requests, and so on.
      """,
    takesCommand: true, run: RunVerb.run)
}

/// A proxy around a command.
enum RunVerb {
  static func run(_ arguments: Arguments) throws -> ExitCode {
    guard !arguments.command.isEmpty else {
      throw UsageError("the command is missing: tapedeck run [options] -- COMMAND [ARG…]")
    }
    let templates = try arguments.all(.environment).map { text throws(UsageError) in
      try EnvironmentTemplate(text)
    }
    let settings = try ServeSettings(.run, arguments)
    let serving = try ServeVerb.start(settings, blockingSignals: Signals.blockForCommand)
    let command: ChildProcess
    do {
      command = try ChildProcess.start(
        arguments.command, variables: variables(baseURL: serving.baseURL, templates))
    } catch {
      _ = try? serving.stop()
      throw error
    }
    let code = command.wait()
    let own = try ServeVerb.end(serving, settings)
    return code == 0 ? own : ExitCode(rawValue: code)
  }

  private static func variables(baseURL: String, _ templates: [EnvironmentTemplate]) -> [String: String] {
    var variables = ["TAPEDECK_URL": baseURL]
    for template in templates { variables[template.name] = template.value(baseURL: baseURL) }
    return variables.merging(LocalTraffic.variables) { own, _ in own }
  }
}

/// Keeps a proxy that the environment names out of the way between the command and us.
private enum LocalTraffic {
  private static let proxies = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]
  private static let local = ["127.0.0.1", "localhost"]

  static var variables: [String: String] {
    guard proxies.contains(where: { Terminal.environment($0) != nil }) else { return [:] }
    var variables: [String: String] = [:]
    for name in ["no_proxy", "NO_PROXY"] {
      let known = Terminal.environment(name).map { [$0] } ?? []
      variables[name] = (known + local).joined(separator: ",")
    }
    return variables
  }
}
