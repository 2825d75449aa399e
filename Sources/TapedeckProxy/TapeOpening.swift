internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckUpstream

/// The cassette as a run needs it: opened for reading, for writing, for both or not at all.
struct TapeOpening {
  var cassette: Cassette?
  var recorder: CassetteRecorder?
  var rewriter: OriginRewriter?

  /// Up to here a cassette is held whole: its answers need no file any more, nor a descriptor for one.
  private static let fewInteractions = 1_000

  static func open(_ configuration: ProxyConfiguration, upstream: UpstreamOrigin?) throws -> TapeOpening {
    guard let directory = configuration.cassette, configuration.mode != .passthrough else {
      return TapeOpening()
    }
    let mode = configuration.mode
    var recording = TapeOpening()
    // A writer first saves what an earlier run left in its journal, so it opens before the reader.
    if mode.mayRecord(cassetteExists: true) {
      recording.recorder = try recorder(directory, configuration, upstream)
    }
    do {
      if mode.consultsCassette {
        try recording.load(
          directory, match: configuration.match, progress: configuration.loadingProgress,
          rewritesOrigin: configuration.rewritesOrigin, mayBeAbsent: mode != .none && upstream != nil)
      }
      if recording.recorder == nil, mode.mayRecord(cassetteExists: recording.cassette != nil) {
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

  func tape(_ configuration: ProxyConfiguration, _ statistics: ProxyStatistics) -> Tape {
    Tape(
      configuration: configuration, cassette: cassette, recorder: recorder, rewriter: rewriter,
      statistics: statistics)
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

  /// Says so where there is nothing to replay and nothing is going to be recorded.
  func emptyWarning(_ configuration: ProxyConfiguration) -> [String] {
    guard recorder == nil, let cassette, cassette.count == 0 else { return [] }
    let advice =
      cassette.isForeignFile
      ? "save it again once requests have been made (a browser lists only those since its network panel was opened)"
      : "record into it first"
    return ["\(cassette.path) holds no interactions, so nothing can be replayed; \(advice)"]
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
