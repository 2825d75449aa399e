internal import TapedeckProxy

extension Verb {
  static let record = Verb(
    name: "record", aliases: ["capture"], group: .proxy, summary: "ask the origin, remember everything",
    synopsis: "--upstream URL --cassette NAME [options]",
    options: [.cassette] + Option.asking + Option.serving,
    examples: [
      "tapedeck record --upstream https://api.example.com --cassette example",
      "tapedeck record --upstream URL --cassette example --match 'query:ignore=ts,body:ignore=$.nonce,$.sentAt'",
    ], notes: matching
  ) { try ServeVerb.run(try ServeSettings(.record, $0)) }

  static let replay = Verb(
    name: "replay", aliases: ["simulate"], group: .proxy,
    summary: "answer offline; the origin is never asked",
    synopsis: "--cassette NAME [options]",
    options: [.cassette, .onExhausted, .pace, .onCut] + Option.serving,
    examples: [
      "tapedeck replay --cassette example --port 8080",
      "tapedeck replay --cassette example --strict --report-junit results.xml",
    ], notes: matching
  ) { try ServeVerb.run(try ServeSettings(.replay, $0)) }

  static let serve = Verb(
    name: "serve", aliases: ["spy", "mimic"], group: .proxy,
    summary: "replay what is known, record what is not",
    synopsis: "[--upstream URL] [--cassette NAME] [--mode MODE] [--overrides FILE] [options]",
    options: [.cassette, .mode, .onExhausted, .pace, .onCut] + Option.asking + Option.serving,
    examples: [
      "tapedeck serve --upstream https://api.example.com --cassette example",
      "tapedeck serve --cassette example --overrides down.json",
    ], notes: matching
  ) { try ServeVerb.run(try ServeSettings(.serve, $0)) }
}

extension Verb {
  /// What `--match` takes, in short.
  private static let matching = """
    --match takes a list of what is compared: method, path, query, body, host, headers:NAME,NAME. Left out are
    query:ignore=NAME,NAME and body:ignore=PATH,PATH, which are places in JSON like $.nonce or names in forms; bodies
    are read as their type says, or as body:json, body:form, body:multipart or body:bytes. A list with method, path,
    query or body is all that is compared; any other changes the rules of the cassette, which keeps them.
    """
}

/// `record`, `replay` and `serve`: one proxy, from its start to its summary.
enum ServeVerb {
  static func run(_ settings: ServeSettings) throws -> ExitCode {
    let proxy = try start(settings, blockingSignals: Signals.block)
    Signals.wait()
    return try end(proxy, settings)
  }

  /// Starts a proxy and tells where it listens.
  /// - Parameter blockingSignals: called before its first thread starts. Until then, while files are read, a signal ends
  ///   the process at once.
  static func start(
    _ settings: ServeSettings, blockingSignals: @escaping @Sendable () -> Void
  ) throws -> ServedProxy {
    for warning in settings.warnings { Terminal.say(warning) }
    let proxy = try opened(settings.proxy, blockingSignals)
    if proxy.recoveredCount > 0 {
      Terminal.say(
        "recovered \(proxy.recoveredCount) interactions that an earlier run had left in its journal")
    }
    for warning in proxy.warnings { Terminal.say("warning: \(warning)") }
    if !proxy.isLoopback {
      Terminal.say(
        "warning: \(proxy.baseURL) can be reached from other machines; anyone who reaches it can use it")
    }
    let served: ServedProxy
    do {
      served = try ServedProxy(proxy, settings.admin)
    } catch {
      _ = try? proxy.stop()
      throw error
    }
    do {
      if let file = settings.readyFile { try OutputFile.write(Array(proxy.baseURL.utf8), to: file) }
    } catch {
      _ = try served.stop()
      throw error
    }
    Terminal.say("listening on \(proxy.baseURL)")
    return served
  }

  /// A large cassette takes a moment to load, and shows how far it is.
  private static func opened(
    _ configuration: ProxyConfiguration, _ blockingSignals: @escaping @Sendable () -> Void
  ) throws -> ProxyServer {
    let progress = Progress("loading")
    defer { progress.finish() }
    var configuration = configuration
    configuration.loadingProgress = { progress.set($0, of: $1) }
    configuration.beforeServing = blockingSignals
    return try ProxyServer(configuration)
  }

  /// Stops it, tells what came of the run, and judges it.
  static func end(_ served: ServedProxy, _ settings: ServeSettings) throws -> ExitCode {
    let summary = try served.stop()
    for line in RunSummaryText(summary, settings).lines { Terminal.say(line) }
    return try report(summary, served.proxy, settings)
  }

  /// Writes what was asked for, and decides how the run ends.
  private static func report(
    _ summary: ProxySummary, _ proxy: ProxyServer, _ settings: ServeSettings
  ) throws -> ExitCode {
    let isReported = settings.reportFile != nil || settings.junitFile != nil
    let uses = isReported || !settings.rules.isEmpty ? proxy.uses : []
    let verdict = RunVerdict(summary, uses, mode: settings.proxy.mode, rules: settings.rules)
    for reason in verdict.reasons { Terminal.say(Printable.line(reason)) }
    guard isReported else { return verdict.code }
    let report = RunReport(
      summary: summary, uses: uses, cassette: settings.proxy.cassette, mode: settings.proxy.mode,
      match: proxy.matchItems, rules: settings.rules, exitCode: Int(verdict.code.rawValue))
    if let file = settings.reportFile { try OutputFile.write(report.json, to: file) }
    if let file = settings.junitFile { try OutputFile.write(Array(RunJUnit.xml(report).text.utf8), to: file) }
    return verdict.code
  }
}
