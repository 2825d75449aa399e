import TapedeckFormats
internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckUpstream

/// The cassette as a run needs it: opened for reading, for writing, for both or not at all.
struct CassetteOpening {
  var cassette: Cassette?
  var recorder: CassetteRecorder?
  /// The origin that is asked.
  private var upstream: UpstreamOrigin?
  /// What is rewritten for clients.
  private var rewriting = RewriteRules()

  /// Up to here a cassette is held whole: its answers need no file any more, nor a descriptor for one.
  private static let fewInteractions = 1_000

  static func open(
    _ configuration: ProxyConfiguration, upstream: UpstreamOrigin?, _ statistics: ProxyStatistics
  ) throws -> CassetteOpening {
    var recording = CassetteOpening(
      upstream: upstream, rewriting: configuration.rewriting.changed(RewriteRules()))
    guard let directory = configuration.cassette, configuration.mode != .passthrough else {
      return recording
    }
    let mode = configuration.mode
    // A writer first saves what an earlier run left in its journal, so it opens before the reader.
    if mode.mayRecord(cassetteExists: true) {
      recording.recorder = try recorder(directory, configuration, upstream)
    }
    do {
      if mode.consultsCassette {
        try statistics.mentions.collecting {
          try recording.load(directory, configuration, mentions: statistics.mentions)
        }
      }
      if recording.recorder == nil, mode.mayRecord(cassetteExists: recording.cassette != nil) {
        recording.recorder = try recorder(directory, configuration, upstream)
      }
    } catch {
      _ = try? recording.recorder?.seal()
      throw error
    }
    let recorded = recording.recorder?.rewriting
    recording.rewriting =
      recorded ?? configuration.rewriting.changed(recording.cassette?.recordedRewriting ?? RewriteRules())
    return recording
  }

  private static func recorder(
    _ directory: String, _ configuration: ProxyConfiguration, _ upstream: UpstreamOrigin?
  ) throws -> CassetteRecorder {
    try CassetteRecorder.open(
      directory, upstream: upstream?.description, replacing: configuration.mode == .all,
      match: configuration.match, redaction: configuration.redaction, rewriting: configuration.rewriting,
      durability: configuration.durability, secrets: configuration.secrets)
  }

  func tape(_ configuration: ProxyConfiguration, _ statistics: ProxyStatistics) -> InsertedCassette {
    InsertedCassette(
      configuration: configuration, cassette: cassette, recorder: recorder,
      rewriter: OriginRewriter(upstream: cassette?.upstream, rewriting),
      liveRewriter: upstream.flatMap { OriginRewriter($0, rewriting) }, statistics: statistics)
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

  /// Says so when something else is rewritten for clients than the cassette says.
  func tellRewriting(_ choice: RewriteChoice, to notice: (String) -> Void) {
    let path = recorder?.path ?? cassette?.path ?? "the cassette"
    if let replaced = recorder?.replacedRewriting {
      notice("\(path) will rewrite \(rewriting.text) for clients; it rewrote \(replaced.text)")
    } else if recorder == nil, let recorded = cassette?.recordedRewriting, recorded != rewriting {
      notice("rewriting \(rewriting.text) for clients in this run; \(path) itself rewrites \(recorded.text)")
    }
    if choice.isOverruled(by: rewriting) {
      notice("\(path) was recorded with --no-rewrite, which holds; --rewrite is its opposite")
    }
  }

  private static func text(_ rules: MatchRules) -> String { rules.items.joined(separator: ", ") }

  private mutating func load(
    _ directory: String, _ configuration: ProxyConfiguration, mentions: OriginMentions
  ) throws {
    do {
      let loaded = try Cassette.open(
        directory, match: configuration.match, reading: .whenAsked(above: Self.fewInteractions),
        progress: configuration.loadingProgress)
      cassette = loaded
      let rewriter = OriginRewriter(
        upstream: loaded.upstream, configuration.rewriting.changed(loaded.recordedRewriting))
      for interaction in loaded.answers where interaction.isHeld {
        _ = try interaction.prepared(by: rewriter, mentions: mentions)
      }
    } catch {
      guard case .absent = error else { throw error }
      guard configuration.mode != .none, upstream != nil else { throw ProxyError.cassetteAbsent(directory) }
    }
  }
}

extension OriginRewriter {
  /// Nil where nothing is rewritten.
  init?(_ origin: UpstreamOrigin, _ rules: RewriteRules) {
    guard rules.isOn else { return nil }
    self.init(
      scheme: origin.scheme.rawValue, authority: origin.authority, host: origin.host,
      pathPrefix: origin.pathPrefix, rules: rules)
  }

  /// For the origin a cassette was recorded from; nil when it does not say.
  init?(upstream: String?, _ rules: RewriteRules) {
    guard let upstream, let origin = try? UpstreamOrigin(upstream) else { return nil }
    self.init(origin, rules)
  }
}
