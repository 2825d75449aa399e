internal import Glibc
internal import TapedeckAdmin
internal import TapedeckProxy

/// Runs a proxy with its admin API, and prints its summary at the end.
struct ServedProxy {
  private let settings: ServeSettings
  private let proxy: ProxyServer
  private let admin: AdminServer?
  private let tokenFile: AdminTokenFile?

  var baseURL: String { proxy.baseURL }

  /// Runs a proxy until a signal ends it.
  static func run(_ settings: ServeSettings) throws -> ExitCode {
    let served = try ServedProxy(settings, blockingSignals: Signals.block)
    Signals.wait()
    return try served.end()
  }

  /// Starts a proxy and prints its URL.
  /// - Parameter blockingSignals: called before its first thread starts. Until then, while files are read, a signal ends
  ///   the process at once.
  init(_ settings: ServeSettings, blockingSignals: @escaping @Sendable () -> Void) throws {
    for warning in settings.warnings { Terminal.say(warning) }
    let proxy = try Self.started(settings.proxy, blockingSignals)
    let recovered = proxy.recoveredCount
    if recovered > 0 {
      Terminal.say(
        "recovered \(HumanText.count(recovered, "interaction")) from the journal of an earlier run")
    }
    for warning in proxy.warnings { Terminal.say("warning: \(warning)") }
    if !proxy.isLoopback {
      Terminal.say(
        "warning: \(proxy.baseURL) is reachable from other machines; anyone who reaches it can use it")
    }
    (self.settings, self.proxy) = (settings, proxy)
    do { (admin, tokenFile) = try Self.startedAdmin(of: proxy, settings.admin) } catch {
      _ = try? proxy.stop()
      throw error
    }
    do {
      if let file = settings.readyFile { try OutputFile.write(Array(proxy.baseURL.utf8), to: file) }
    } catch {
      _ = try stop()
      throw error
    }
    Terminal.say("listening on \(proxy.baseURL)")
  }

  /// Shows progress while the cassette is loaded.
  private static func started(
    _ configuration: ProxyConfiguration, _ blockingSignals: @escaping @Sendable () -> Void
  ) throws -> ProxyServer {
    let progress = Progress("loading")
    defer { progress.finish() }
    var configuration = configuration
    configuration.loadingProgress = { progress.set($0, of: $1) }
    configuration.beforeServing = blockingSignals
    return try ProxyServer(configuration)
  }

  private static func startedAdmin(
    of proxy: ProxyServer, _ settings: AdminSettings?
  ) throws -> (AdminServer?, AdminTokenFile?) {
    guard let settings else { return (nil, nil) }
    let token = try settings.token ?? AdminToken.random()
    let admin = try AdminServer(proxy, port: settings.port, token: token)
    do {
      let file = try write(token, of: admin, settings)
      if let file = settings.readyFile { try OutputFile.write(Array(admin.url.utf8), to: file) }
      Terminal.say("admin API on \(admin.url)" + (file.map { ", its token in \($0.path)" } ?? ""))
      return (admin, file)
    } catch {
      admin.stop()
      throw error
    }
  }

  /// Writes the token to a file if it is random or `--admin-token-file` is given.
  private static func write(
    _ token: AdminToken, of admin: AdminServer, _ settings: AdminSettings
  ) throws -> AdminTokenFile? {
    if settings.tokenFile == nil, settings.token != nil { return nil }
    let file =
      settings.tokenFile.map { AdminTokenFile(path: $0) }
      ?? .standard(port: admin.port, environment: Terminal.environment)
    try file.write(token, makesFolder: settings.tokenFile == nil)
    return file
  }

  /// Stops the proxy, prints its summary and writes the reports.
  func end() throws -> ExitCode {
    let summary = try stop()
    for line in summary.lines(cassette: settings.proxy.cassette) { Terminal.say(line) }
    let isReported = settings.reportFile != nil || settings.junitFile != nil
    let uses = isReported || !settings.rules.isEmpty ? proxy.uses : []
    let verdict = RunVerdict(summary, uses, mode: settings.proxy.mode, rules: settings.rules)
    for reason in verdict.reasons { Terminal.say(Printable.line(reason)) }
    guard isReported else { return verdict.code }
    let report = RunReport(
      summary: summary, uses: uses, cassette: settings.proxy.cassette, mode: settings.proxy.mode,
      match: proxy.matchItems, rules: settings.rules, exitCode: Int(verdict.code.rawValue))
    if let file = settings.reportFile { try OutputFile.write(report.json, to: file) }
    if let file = settings.junitFile { try OutputFile.write(Array(JUnitXML(report).text.utf8), to: file) }
    return verdict.code
  }

  // MARK: Stopping

  func stop() throws -> ProxySummary {
    tokenFile?.remove()
    // Each has its own deadline; this is their sum.
    if let admin { Self.withDeadline { admin.stop() } }
    Self.withDeadline { proxy.stopServing(graceMilliseconds: Self.graceSeconds * 1000) }
    return try proxy.seal()
  }

  /// For exchanges in flight.
  private static let graceSeconds = 10
  private static let deadlineSeconds: UInt32 = 12

  /// Ends the process if its threads do not stop in time. Then nothing is sealed: the recording stays in its journal,
  /// which the next start recovers.
  private static func withDeadline(_ stop: () -> Void) {
    // Initialized now, since a signal handler must not do it.
    _ = ExitCode.failure
    signal(SIGALRM) { _ in ServedProxy.giveUp() }
    alarm(deadlineSeconds)
    stop()
    alarm(0)
  }

  /// Runs as a signal handler: calls nothing that is not async-signal-safe.
  private static func giveUp() {
    let text: StaticString = """
      tapedeck: a thread did not stop within 12 seconds; nothing was sealed, and the next start with this \
      cassette recovers what was recorded

      """
    Glibc.write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    _exit(ExitCode.failure.rawValue)
  }
}
