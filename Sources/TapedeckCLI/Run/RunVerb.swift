internal import TapedeckHTTP
internal import TapedeckProxy
internal import TapedeckRecording
internal import TapedeckSockets

extension Option {
  static let environment = Option(
    "--env", "NAME[=TEXT]",
    help: "also set NAME to the base URL, or to TEXT, where {url}, {host} and {port} are replaced",
    isRepeatable: true)
  static let proxyLocalhost = Option(
    "--proxy-localhost", help: "also take in requests to this machine, which go straight otherwise")
}

extension Verb {
  static let runCommand = Verb(
    name: "run", group: .proxy, summary: "start a proxy, run a command against it, stop",
    synopsis: "[CASSETTE] [options] -- COMMAND [ARG…]",
    options: [.cassette, .mode, .onExhausted, .pace, .onCut, .environment, .proxyLocalhost] + Option.isolation
      + Option.origin + Option.serving,
    examples: [
      "tapedeck run example -- npm test",
      "tapedeck run --upstream https://api.example.com --cassette example --env API_URL -- pytest",
      "tapedeck run --upstream https://api.openai.com --cassette openai --env 'OPENAI_BASE_URL={url}/v1' -- python chat.py",
    ],
    notes: """
      COMMAND finds the base URL in TAPEDECK_URL and in the variables that --env names. The proxy listens on a free
      port unless --port is given. The modes are those of serve. There is no live log without --log-format or -v. The exit
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
    var settings = try ServeSettings(.run, arguments)
    let isolation = try IsolatedRun(arguments, &settings.proxy)
    if settings.proxy.forward != nil {
      settings.warnings += [settings.proxy.trustInheritedAuthorities(Terminal.environment)].compactMap { $0 }
    }
    settings.tellOfInheritedProxy(Terminal.environment)
    let served = try ServedProxy(settings, blockingSignals: Signals.blockForCommand)
    let command: ChildProcess
    var trust: TrustFiles?
    let isolated: IsolatedRun.Start?
    do {
      let environment = try environment(served, settings, arguments)
      trust = environment.trust
      isolated = try isolation?.start(arguments.command, environment, recordedPorts: served.recordedPorts)
      if let network = isolated?.network { served.serve(network) }
      command =
        try isolated?.command
        ?? ChildProcess.start(arguments.command, variables: templates.variables(over: environment))
    } catch {
      _ = try? served.stop()
      throw error
    }
    let code = command.wait()
    trust?.remove()
    let network = isolated?.network
    let left = network?.processes ?? []
    network?.stop()
    let report = isolated?.report
    let own = try served.end(
      ifSilent: settings.proxy.forward == nil ? [] : network == nil ? silence : IsolatedRun.silence,
      isolation: report)
    for line in (report?.lines ?? []) + IsolatedRun.lines(ofLeft: left) { Terminal.say(Printable.line(line)) }
    return code == 0 ? own : ExitCode(rawValue: code)
  }

  /// The usual reasons why no request of a command is served.
  private static let silence = [
    "no request of the command was served; usually because it",
    "  - reads no proxy variables: the page \"Any client, any host\" says what each client needs",
    "  - does not trust the run's authority, or was refused: then a line above says so",
    "  - asks this machine only, which goes straight: --proxy-localhost takes that in too",
    "  - has its responses in a cache, or asks nobody",
  ]

  private static func environment(
    _ served: ServedProxy, _ settings: ServeSettings, _ arguments: Arguments
  ) throws -> RunEnvironment {
    RunEnvironment(
      baseURL: served.baseURL, isForward: settings.proxy.forward != nil,
      credentials: settings.proxy.forward?.credentials, includesLocalhost: arguments.has(.proxyLocalhost),
      trust: try served.authorityCertificate.map {
        try TrustFiles(authority: $0, inherited: Terminal.environment)
      }, inherited: Terminal.environment)
  }
}

extension ServeSettings {
  /// The command would have used it, and now finds us in its place.
  fileprivate mutating func tellOfInheritedProxy(_ inherited: (String) -> String?) {
    let names = ["https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"]
    guard proxy.forward != nil, proxy.upstreamProxy == nil, proxy.mode != .none,
      let name = names.first(where: { inherited($0) != nil })
    else { return }
    warnings.append("origins are reached without the proxy that \(name) names; --upstream-proxy env uses it")
  }
}

extension [EnvironmentTemplate] {
  /// The variables of a run, and those of `--env`, which go before.
  fileprivate func variables(over environment: RunEnvironment) -> [String: String] {
    var variables = environment.variables
    for template in self { variables[template.name] = template.value(baseURL: environment.baseURL) }
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
