internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckMocking
import TapedeckOverrides
internal import TapedeckRecording
import TapedeckRedaction
internal import TapedeckServer
package import TapedeckSockets
internal import TapedeckUpstream

/// A running proxy: the responder chain behind a server, and the cassette behind the chain.
public final class ProxyServer: Sendable {
  let server: HTTPServer
  let configuration: ProxyConfiguration
  let slot: CassetteSlot
  let statistics: ProxyStatistics
  let listener: ListenerNames
  /// Which origin a request is for; `nil` where there is one.
  var routes: OriginRoutes? { slot.current.routes }
  /// What each test has to itself, where `ProxyConfiguration.sessionSelector` tells them apart.
  public let sessions: Sessions
  /// Signs the certificates by which intercepted TLS is opened; `nil` for a reverse proxy.
  private let authority: AuthorityPEM?
  private let overridesWatch: OverridesWatch?
  /// The overrides file as it was read at the start.
  let overridesSnapshot: OverridesSnapshot?
  /// What matching ignores besides, while this cassette is in: words of `--match`.
  let ignored = Mutex<[String]>([])
  /// Recordings that were made anew, as they were before; the latest last.
  let replaced = Mutex<[ReplacedRecording]>([])
  private var inserted: InsertedCassette { slot.current }
  /// How many interactions an earlier run had left in its journal, and this start saved.
  public let recoveredCount: Int
  /// What a person should know about the cassette as it was found.
  public let warnings: [String]

  /// Opens the cassette, listens and serves. Throws `ProxyError`, `OverridesFileError`, `CassetteError` or
  /// `UpstreamURLError`.
  public init(_ configuration: ProxyConfiguration) throws {
    try configuration.validate()
    guard
      let address = SocketAddress(configuration.listen)
    else { throw ProxyError.badListenAddress(configuration.listen) }
    let overridesFile = try configuration.readOverrides()
    let upstream = try configuration.upstreamConfiguration()
    let patterns = try configuration.upstreamPatterns()
    try Self.refuseLoop(patterns, address)
    let statistics = ProxyStatistics(
      namesOptions: configuration.verb != nil, notice: configuration.notice)
    let opened = try InsertedCassette.open(configuration, upstream: upstream?.origin, statistics)
    opened.tellRules(to: configuration.notice)
    opened.tellRewriting(configuration.rewriting, to: configuration.notice)
    opened.tellUpstreams(to: configuration.notice)
    let slot = CassetteSlot(opened)
    configuration.beforeServing()
    let sessions = Sessions(configuration)
    let forward = opened.routes?.forward
    let listener = ListenerNames()
    self.listener = listener
    do {
      let authority =
        try configuration.authority ?? (forward == nil ? nil : configuration.interceptingAuthority())
      self.authority = authority
      var serving = ServerConfiguration(
        configuration.clients,
        upstreamConnections: configuration.asksOrigins
          ? configuration.maxUpstreamConnectionsPerThread * configuration.threads : 0)
      serving.namesOptions = configuration.verb != nil
      serving.limits.allowsConnect = forward != nil
      serving.tls = try configuration.tlsServer(authority)
      server = try HTTPServer(
        address: address, threads: configuration.threads, configuration: serving,
        makeObserver: {
          ProxyObserver(statistics: statistics, configuration, slot: slot, loop: $0)
        },
        makeResponder: ServingParts(
          configuration: configuration, slot: slot, sessions: sessions, statistics: statistics,
          listener: listener,
          forward: forward, upstream: upstream?.origin, patterns: patterns
        ).makeResponder)
      listener.set(server.address, toldHost: address.host)
      do { try Self.refuseLoop(patterns, server.address) } catch {
        server.stop(graceMilliseconds: 0)
        throw error
      }
    } catch {
      _ = try? opened.recorder?.seal()
      throw Self.explained(error)
    }
    self.configuration = configuration
    self.slot = slot
    self.statistics = statistics
    self.sessions = sessions
    overridesSnapshot = overridesFile
    overridesWatch = overridesFile.flatMap { file in
      OverridesWatch(file, notice: configuration.notice) { sessions.take($0) }
    }
    if let recorder = opened.recorder, !recorder.matcher.redaction.isOn {
      configuration.notice(
        "warning: \(recorder.path) takes passwords, tokens and cookies as they are; do not commit or share it"
      )
    }
    recoveredCount = opened.recorder?.recoveredCount ?? 0
    warnings =
      (opened.recorder?.warnings ?? []) + (opened.cassette?.warnings ?? [])
      + opened.emptyWarning
  }

  /// The system libraries in use, for `--version`.
  public static var libraryVersions: String { "libcurl \(UpstreamClient.libcurlVersion)" }

  /// Where clients reach it, with the real port.
  public var baseURL: String {
    let scheme = configuration.tlsCertificate == nil ? "http" : "https"
    guard let path = server.address.path else { return "\(scheme)://\(server.address)" }
    return UpstreamOrigin(socket: FileContents.resolved(path) ?? path).description
  }
  /// The certificate that clients of intercepted HTTPS have to trust, as PEM; `nil` for a reverse proxy. Its private key
  /// exists in memory only.
  public var authorityCertificate: String? {
    authority.map { String(decoding: $0.certificate, as: UTF8.self) }
  }
  /// Whether only this machine can reach it.
  public var isLoopback: Bool { server.address.isLoopback }

  /// Lets exchanges in flight finish for at most `graceMilliseconds`, seals the cassette and tells what the run came
  /// to. Call once. Throws when sealing fails; the journal then still holds everything, as it does
  /// when secrets are refused, which the summary tells.
  public func stop(graceMilliseconds: Int = 10_000) throws -> ProxySummary {
    stopServing(graceMilliseconds: graceMilliseconds)
    return try seal()
  }

  /// The ports of the origins that are recorded, none of them twice.
  package var recordedPorts: Set<UInt16> {
    Set((inserted.cassette?.origins ?? []).compactMap { HTTPOrigin($0)?.port })
  }

  /// Also serves a command that runs in namespaces of its own.
  package func serve(_ network: IsolatedNetwork) { server.serve(network) }

  /// The first half of `stop`: returns when every thread has ended.
  package func stopServing(graceMilliseconds: Int) {
    overridesWatch?.stop()
    server.stop(graceMilliseconds: graceMilliseconds)
  }

  /// The second half of `stop`.
  /// - Parameter progress: called before each interaction with the number done and the total.
  package func seal(
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws -> ProxySummary {
    let failure = endSessions()
    let summary = try sealCassette(progress)
    if let failure { throw failure }
    return summary
  }

  private func sealCassette(_ progress: (_ done: Int, _ total: Int) -> Void) throws -> ProxySummary {
    var summary = statistics.summary
    summary.recordingFailure = inserted.recordingFailure
    summary.unused = inserted.mode.consultsCassette ? inserted.cassette?.unused.count ?? 0 : 0
    summary.redacted += inserted.recorder?.hiddenCount ?? 0
    do throws(CassetteError) {
      guard let report = try inserted.recorder?.seal(progress: progress) else { return summary }
      summary.filesWritten += report.written
      summary.filesRemoved += report.removed
      summary.filesRedacted += report.rehidden
      summary.untouchedFiles = report.untouched
      summary.secrets = report.finds
    } catch {
      guard case .secretsFound(_, let finds, _) = error else { throw error }
      summary.secrets = finds
      summary.sealRefusal = "\(error)"
    }
    return summary
  }

  /// How often each recording was given, in the order of the files' names; none where no cassette is replayed.
  public var uses: [InteractionUse] { uses(of: inserted) }

  /// The same for the session's own cassette, if it has one.
  package func uses(of session: Session) -> [InteractionUse] { uses(of: inserted(for: session)) }

  private func uses(of inserted: InsertedCassette) -> [InteractionUse] {
    guard inserted.mode.consultsCassette, let cassette = inserted.cassette else { return [] }
    let drifted = statistics.driftedFiles
    return zip(cassette.interactions, cassette.uses(onExhausted: inserted.onExhausted)).map { stored, hits in
      InteractionUse(
        file: stored.fileName, method: stored.recorded.request.method.rawValue,
        target: stored.recorded.request.targetText, status: stored.status,
        hits: hits, repeated: max(0, hits - 1), drifted: drifted[stored.fileName] ?? 0)
    }
  }

  /// By what requests are compared, in the words of `--match`.
  public var matchItems: [String] { inserted.matcher.rules.items }

  /// A proxy whose origin is itself would ask itself until nothing is left to ask with (RFC 9110 §7.6).
  private static func refuseLoop(
    _ patterns: [UpstreamPattern], _ listening: SocketAddress
  ) throws(ProxyError) {
    for pattern in patterns where pattern.origin.reaches(listening) {
      throw .upstreamIsOurselves("\(pattern.origin)")
    }
  }

  private static func explained(_ error: any Error) -> any Error {
    guard let error = error as? SocketError, let address = error.subject else { return error }
    if error.isAddressInUse { return ProxyError.addressInUse(address) }
    if error.isPermissionDenied { return ProxyError.addressNotPermitted(address) }
    return ProxyError.cannotListen("\(error)")
  }
}
