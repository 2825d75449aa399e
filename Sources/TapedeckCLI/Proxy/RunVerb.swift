internal import TapedeckHTTP
internal import TapedeckProxy

extension Option {
  static let environment = Option(
    "--env", "NAME[=TEXT]",
    help: "also set NAME to the base URL, or to TEXT, where {url}, {host} and {port} are replaced",
    isRepeatable: true)
}

extension Verb {
  static let runCommand = Verb(
    name: "run", group: .proxy, summary: "start a proxy, run a command against it, stop",
    synopsis: "[options] -- COMMAND [ARG…]",
    options: [.cassette, .mode, .onExhausted, .pace, .onCut, .environment] + Option.origin + Option.serving,
    examples: [
      "tapedeck run --cassette example -- npm test",
      "tapedeck run --upstream https://api.example.com --cassette example --env API_URL -- pytest",
      "tapedeck run --cassette openai --env 'OPENAI_BASE_URL={url}/v1' -- python chat.py",
    ],
    notes: """
      COMMAND finds the base URL in TAPEDECK_URL and in the variables that --env names. The proxy listens on a free
      port unless --port is given. The modes are those of serve. There is no live log without --log-format. The exit
      code is that of the command, or if that is 0, that of tapedeck: 3 for unmatched requests, and so on.
      """,
    takesCommand: true, run: run)

  private static func run(_ arguments: Arguments) throws -> ExitCode {
    guard !arguments.command.isEmpty else {
      throw UsageError("the command is missing: tapedeck run [options] -- COMMAND [ARG…]")
    }
    let templates = try arguments.all(.environment).map { text throws(UsageError) in
      try EnvironmentTemplate(text)
    }
    let settings = try ServeSettings(.run, arguments)
    let served = try ServedProxy(settings, blockingSignals: Signals.blockForCommand)
    let command: ChildProcess
    do {
      command = try ChildProcess.start(
        arguments.command, variables: variables(baseURL: served.baseURL, templates))
    } catch {
      _ = try? served.stop()
      throw error
    }
    let code = command.wait()
    let own = try served.end()
    return code == 0 ? own : ExitCode(rawValue: code)
  }

  private static func variables(baseURL: String, _ templates: [EnvironmentTemplate]) -> [String: String] {
    var variables = ["TAPEDECK_URL": baseURL]
    for template in templates { variables[template.name] = template.value(baseURL: baseURL) }
    // Requests to this proxy must not go through another one that the environment names.
    let proxies = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]
    guard proxies.contains(where: { Terminal.environment($0) != nil }) else { return variables }
    for name in ["no_proxy", "NO_PROXY"] where variables[name] == nil {
      let known = Terminal.environment(name).map { [$0] } ?? []
      variables[name] = (known + ["127.0.0.1", "localhost"]).joined(separator: ",")
    }
    return variables
  }
}

/// A variable for the environment of a command: `NAME`, or `NAME=TEXT` with `{url}`, `{host}` and `{port}` in it.
struct EnvironmentTemplate: Equatable {
  let name: String
  private let text: String

  init(_ argument: String) throws(UsageError) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    name = String(parts[0])
    text = parts.count > 1 ? String(parts[1]) : "{url}"
    guard let first = name.utf8.first, !ASCII.isDigit(first),
      name.utf8.allSatisfy({ ASCII.isWord($0) && $0 != UInt8(ascii: "-") })
    else { throw UsageError("--env takes NAME or NAME=TEXT, not \(argument.debugDescription)") }
  }

  /// - Parameter baseURL: `http://HOST:PORT`.
  func value(baseURL: String) -> String {
    let authority = baseURL.split(separator: "/").last ?? ""
    let colon = authority.lastIndex(of: ":") ?? authority.endIndex
    return text.replacing("{url}", with: baseURL).replacing("{host}", with: authority[..<colon])
      .replacing("{port}", with: authority[colon...].dropFirst())
  }
}
