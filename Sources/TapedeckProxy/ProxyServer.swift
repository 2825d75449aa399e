internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckServer
internal import TapedeckSockets
internal import TapedeckUpstream

/// A running proxy: the responder chain behind a server, and the cassette behind the chain.
public final class ProxyServer: Sendable {
  private let server: HTTPServer
  private let tape: Tape
  private let statistics: ProxyStatistics
  private let overridesWatch: OverridesWatch?
  /// How many interactions an earlier run had left in its journal, and this start saved.
  public let recoveredCount: Int
  /// What a person should know about the cassette as it was found.
  public let warnings: [String]

  /// Opens the cassette, listens and serves. Throws `ProxyError`, `CassetteError` or `UpstreamURLError`.
  public init(_ configuration: ProxyConfiguration) throws {
    try configuration.validate()
    guard
      let address = SocketAddress(configuration.listen)
    else { throw ProxyError.badListenAddress(configuration.listen) }
    let overridesFile = try OverridesFile.open(configuration)
    let upstream = try configuration.upstreamConfiguration()
    try Self.refuseLoop(upstream?.origin, address)
    let statistics = ProxyStatistics()
    let recording = try Recording.open(configuration, upstream: upstream?.origin)
    recording.tellRules(to: configuration.notice)
    let tape = Tape(
      configuration: configuration, cassette: recording.cassette, recorder: recording.recorder,
      statistics: statistics)
    let liveRewriter = configuration.rewritesOrigin ? upstream.map { OriginRewriter($0.origin) } : nil
    let missExplanation = MissExplanation(configuration)
    do {
      let serving = ServerConfiguration(
        configuration.clients,
        upstreamConnections: upstream.map { $0.maxConnectionsPerLoop * configuration.threads } ?? 0)
      server = try HTTPServer(
        address: address, threads: configuration.threads, configuration: serving,
        makeObserver: {
          ProxyObserver(statistics: statistics, log: configuration.log, tape: tape, loop: $0)
        },
        makeResponder: { loop in
          let client = try upstream.map { settings in
            var settings = settings
            settings.onConnectionOpened = { statistics.countUpstreamConnection() }
            return try UpstreamClient(configuration: settings, loop: loop)
          }
          let tapeResponder = TapeResponder(
            tape: tape, upstream: client, liveRewriter: liveRewriter,
            replay: Replay(rewriter: recording.rewriter, pace: configuration.pace, loop: loop),
            missExplanation: missExplanation, explains: configuration.explains)
          let tapeEnd: any Responder =
            configuration.rewritesBodies
            ? RewritingResponder(before: tapeResponder, live: liveRewriter, recorded: recording.rewriter)
            : tapeResponder
          // What answers a request, in order. The first answer wins.
          let chain = ResponderChain([
            RouteRuleResponder(configuration.overrides.routes, loop: loop),
            ResourceResponder(configuration.overrides.resources),
            RouteResponder(configuration.router, before: tapeEnd, loop: loop),
            tapeEnd,
          ])
          let policy = PolicyResponder(
            before: chain, logging: configuration.log == nil ? nil : tape.matcher.redaction)
          return configuration.explains ? ExplainingResponder(before: policy) : policy
        })
      do { try Self.refuseLoop(upstream?.origin, server.address) } catch {
        server.stop(graceMilliseconds: 0)
        throw error
      }
    } catch {
      _ = try? recording.recorder?.seal()
      throw Self.explained(error)
    }
    self.tape = tape
    self.statistics = statistics
    overridesWatch = overridesFile?.watched(for: configuration)
    if let recorder = recording.recorder, !recorder.matcher.redaction.isOn {
      configuration.notice(
        "warning: \(recorder.path) takes passwords, tokens and cookies as they are; do not commit or share it"
      )
    }
    recoveredCount = recording.recorder?.recoveredCount ?? 0
    warnings = (recording.recorder?.warnings ?? []) + (recording.cassette?.warnings ?? [])
  }

  /// The system libraries in use, for `--version`.
  public static var libraryVersions: String { "libcurl \(UpstreamClient.libcurlVersion)" }

  /// Where clients reach it, with the real port.
  public var baseURL: String { "http://\(server.address)" }
  /// Whether only this machine can reach it.
  public var isLoopback: Bool { server.address.isLoopback }

  /// Lets exchanges in flight finish for at most `graceMilliseconds`, seals the cassette and tells what the run came
  /// to. Call once. Throws when sealing fails; the journal then still holds everything, as it does
  /// when secrets are refused, which the summary tells.
  public func stop(graceMilliseconds: Int = 10_000) throws -> ProxySummary {
    overridesWatch?.stop()
    server.stop(graceMilliseconds: graceMilliseconds)
    var summary = statistics.summary
    summary.recordingFailure = tape.recordingFailure
    summary.unused = tape.mode.consultsCassette ? tape.cassette?.unused.count ?? 0 : 0
    summary.redacted = tape.recorder?.hiddenCount ?? 0
    do throws(CassetteError) {
      guard let report = try tape.recorder?.seal() else { return summary }
      summary.filesWritten = report.written
      summary.filesRemoved = report.removed
      summary.secrets = report.finds
    } catch {
      guard case .secretsFound(_, let finds, _) = error else { throw error }
      summary.secrets = finds
      summary.sealRefusal = "\(error)"
    }
    return summary
  }

  /// How often each recording was given, in the order of the files' names; none where no cassette is replayed.
  public var uses: [InteractionUse] {
    guard tape.mode.consultsCassette, let cassette = tape.cassette else { return [] }
    return InteractionUse.all(
      in: cassette, onExhausted: tape.onExhausted, drifted: statistics.driftedFiles)
  }

  /// By what requests are compared, in the words of `--match`.
  public var matchItems: [String] { tape.matcher.rules.items }

  /// A proxy whose origin is itself would ask itself until nothing is left to ask with (RFC 9110 §7.6).
  private static func refuseLoop(
    _ origin: UpstreamOrigin?, _ listening: SocketAddress
  ) throws(ProxyError) {
    guard let origin, SocketAddress(host: origin.host, port: origin.port).reaches(listening: listening)
    else { return }
    throw .upstreamIsOurselves("\(origin)")
  }

  private static func explained(_ error: any Error) -> any Error {
    guard let error = error as? SocketError, let address = error.subject else { return error }
    if error.isAddressInUse { return ProxyError.addressInUse(address) }
    if error.isPermissionDenied { return ProxyError.addressNotPermitted(address) }
    return ProxyError.cannotListen("\(error)")
  }
}

/// The cassette as a run needs it: opened for reading, for writing, for both or not at all.
private struct Recording {
  var cassette: Cassette?
  var recorder: CassetteRecorder?
  var rewriter: OriginRewriter?

  /// Up to here a cassette is held whole: its answers need no file any more, nor a descriptor for one.
  private static let fewInteractions = 1_000

  static func open(_ configuration: ProxyConfiguration, upstream: UpstreamOrigin?) throws -> Recording {
    guard let directory = configuration.cassette, configuration.mode != .passthrough else {
      return Recording()
    }
    let mode = configuration.mode
    var recording = Recording()
    // A writer first saves what an earlier run left in its journal, so it opens before the reader.
    if mode == .newEpisodes || mode == .all {
      recording.recorder = try recorder(directory, configuration, upstream)
    }
    do {
      if mode.consultsCassette {
        try recording.load(
          directory, match: configuration.match, progress: configuration.loadingProgress,
          rewritesOrigin: configuration.rewritesOrigin, mayBeAbsent: mode != .none && upstream != nil)
      }
      if mode == .once, recording.cassette == nil {
        recording.recorder = try recorder(directory, configuration, upstream)
      }
    } catch {
      _ = try? recording.recorder?.seal()
      throw error
    }
    return recording
  }

  private static func recorder(
    _ directory: String, _ configuration: ProxyConfiguration, _ upstream: UpstreamOrigin?
  ) throws -> CassetteRecorder {
    try CassetteRecorder.open(
      directory, upstream: upstream?.description, replacing: configuration.mode == .all,
      match: configuration.match, redaction: configuration.redaction, durability: configuration.durability,
      secrets: configuration.secrets)
  }

  /// Says so when requests are compared by other rules than the cassette's.
  func tellRules(to notice: (String) -> Void) {
    if let recorder, let replaced = recorder.replacedRules {
      notice(
        "\(recorder.path) will compare \(Self.text(recorder.matcher.rules)); it compared \(Self.text(replaced))"
      )
    } else if recorder == nil, let cassette, cassette.matcher.rules != cassette.recordedRules {
      notice(
        "comparing \(Self.text(cassette.matcher.rules)) in this run; "
          + "\(cassette.path) itself compares \(Self.text(cassette.recordedRules))")
    }
  }

  private static func text(_ rules: MatchRules) -> String { rules.items.joined(separator: ", ") }

  private mutating func load(
    _ directory: String, match: MatchSpec?, progress: @escaping @Sendable (Int, Int) -> Void,
    rewritesOrigin: Bool, mayBeAbsent: Bool
  ) throws {
    do {
      let cassette = try Cassette.load(
        directory, match: match, reading: .whenAsked(above: Self.fewInteractions),
        prepare: { interaction, upstream in
          Replay.prepare(interaction, rewriter: rewritesOrigin ? OriginRewriter(upstream: upstream) : nil)
        }, progress: progress)
      self.cassette = cassette
      rewriter = rewritesOrigin ? cassette.upstream.flatMap { OriginRewriter(upstream: $0) } : nil
    } catch {
      guard case .absent = error else { throw error }
      guard mayBeAbsent else { throw ProxyError.cassetteAbsent(directory) }
    }
  }
}

extension OriginRewriter {
  init(_ origin: UpstreamOrigin) {
    self.init(
      scheme: origin.scheme.rawValue, authority: origin.authority, host: origin.host,
      pathPrefix: origin.pathPrefix)
  }

  /// For the origin a cassette was recorded from; nil when it does not say.
  init?(upstream: String?) {
    guard let upstream, let origin = try? UpstreamOrigin(upstream) else { return nil }
    self.init(origin)
  }
}
