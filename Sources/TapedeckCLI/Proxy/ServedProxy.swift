internal import Glibc
internal import TapedeckAdmin
internal import TapedeckHTTP
internal import TapedeckObjectStore
internal import TapedeckProxy
internal import TapedeckSockets

/// Runs a proxy with its admin API, and prints its summary at the end.
struct ServedProxy {
  private let settings: ServeSettings
  private let proxy: ProxyServer
  private let admin: AdminServer?
  private let tokenFile: AdminTokenFile?
  private let followed: FollowedCassette?

  var baseURL: String { proxy.baseURL }
  var authorityCertificate: String? { proxy.authorityCertificate }

  /// The ports of the origins that are recorded.
  var recordedPorts: Set<UInt16> { proxy.recordedPorts }

  /// Also serves a command that runs in namespaces of its own.
  func serve(_ network: IsolatedNetwork) { proxy.serve(network) }

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
    let start = StartText(settings.proxy, cassette: settings.cassetteName)
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
    followed = settings.followSeconds.flatMap { seconds in
      settings.cassetteName.map { FollowedCassette($0, everySeconds: seconds, in: proxy) }
    }
    for line in start.lines(of: proxy) { Terminal.say(Printable.line(line)) }
    let pageURL: String?
    do {
      pageURL = settings.admin?.printsPage == true ? try admin?.makePageURL() : nil
      if let file = settings.readyFile { try OutputFile.write(Array(proxy.baseURL.utf8), to: file) }
    } catch {
      _ = try stop()
      throw error
    }
    Terminal.say("listening on \(proxy.baseURL)")
    if let pageURL {
      Terminal.say("inspector on \(pageURL)")
      if settings.admin?.opensPage == true { BrowserWindow.open(pageURL) }
    }
  }

  /// Shows progress while the cassette is loaded, and what an earlier run left in it is saved.
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
    let admin = try AdminServer(
      proxy, settings.listener, token: token, version: CommandLineTool.version)
    if !settings.listener.isLoopback {
      let plain = settings.listener.speaksTLS ? "" : " without TLS, so whoever listens in reads its token"
      Terminal.say("warning: \(admin.url) is reachable from other machines\(plain)")
    }
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
  /// - Parameters:
  ///   - silence: what to say where no request came at all.
  ///   - isolation: what a command reached for that was to be isolated.
  func end(ifSilent silence: [String] = [], isolation: IsolationReport? = nil) throws -> ExitCode {
    let summary = try stop()
    let failure = publish(summary)
    if summary.isSilent { for line in silence { Terminal.say(line) } }
    show(summary, cassette: failure == nil ? settings.cassetteName : settings.proxy.cassette)
    if let failure { throw failure }
    let isReported =
      settings.reportFile != nil || settings.junitFile != nil || settings.reportsToGitHub
    let uses = isReported || !settings.rules.isEmpty ? proxy.uses : []
    let verdict = RunVerdict(summary, uses, mode: settings.proxy.mode, rules: settings.rules)
    for reason in verdict.reasons { Terminal.say(Printable.line(reason)) }
    guard isReported else { return verdict.code }
    var report = RunReport(
      summary: summary, uses: uses, cassette: settings.cassetteName, mode: settings.proxy.mode,
      match: proxy.matchItems, rules: settings.rules, exitCode: Int(verdict.code.rawValue))
    report.isolation = isolation
    if let file = settings.reportFile { try OutputFile.write(report.json, to: file) }
    if let file = settings.junitFile { try OutputFile.write(Array(JUnitXML(report).text.utf8), to: file) }
    if settings.reportsToGitHub {
      try GitHubReport(report, verb: settings.proxy.verb ?? "").publish()
    }
    return verdict.code
  }

  /// A person reads a table; a program, or a person in the log of a CI server, one line of counts.
  private func show(_ summary: ProxySummary, cassette: String?) {
    guard let endpoints = settings.endpoints else {
      for line in summary.lines(cassette: cassette) { Terminal.say(line) }
      return
    }
    let screen = SummaryScreen(
      summary: summary, endpoints: endpoints.ordered, others: endpoints.others, records: proxy.records,
      replays: proxy.mode.consultsCassette, width: max(58, (Terminal.errorColumns ?? 80) - 1),
      style: Style(hasColor: Terminal.standardErrorHasColor))
    var remarks = summary.tunnelLines + summary.remarks(cassette: cassette)
    let isSealed = summary.filesWritten > 0 && summary.recordingFailure == nil
    // The command of a run is simply run again.
    if isSealed, settings.proxy.verb != "run", let cassette {
      remarks.append("next: tapedeck replay --cassette \(ShellWord.quoted(CassettePath.shortName(cassette)))")
    }
    Terminal.show(lines: screen.text + (remarks.isEmpty ? "" : "\n"))
    for line in remarks { Terminal.say(line) }
  }

  // MARK: Stopping

  func stop() throws -> ProxySummary {
    followed?.stop()
    tokenFile?.remove()
    // Each has its own deadline; this is their sum.
    if let admin { Self.withDeadline { admin.stop() } }
    Self.withDeadline { proxy.stopServing(graceMilliseconds: Self.graceSeconds * 1000) }
    let progress = Progress("sealing")
    defer { progress.finish() }
    return try proxy.seal { progress.set($0, of: $1) }
  }

  /// Seals in its store what was recorded; returns why that failed.
  private func publish(_ summary: ProxySummary) -> (any Error)? {
    guard let recording = settings.recording, let name = settings.cassetteName, summary.sealRefusal == nil,
      summary.recordingFailure == nil
    else { return nil }
    do throws(StoreError) { try RemoteCassettes.publish(recording, as: name) } catch { return error }
    return nil
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
