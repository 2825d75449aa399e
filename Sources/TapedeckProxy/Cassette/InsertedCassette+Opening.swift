import TapedeckFormats
internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckSockets
internal import TapedeckUpstream

extension InsertedCassette {
  /// Up to here a cassette is held whole: its responses need no file any more, nor a descriptor for one.
  private static let fewInteractions = 1_000

  /// Opens the configured cassette as the mode needs it: for reading, for writing, for both or not at all.
  static func open(
    _ configuration: ProxyConfiguration, upstream: UpstreamOrigin?, _ statistics: ProxyStatistics
  ) throws -> InsertedCassette {
    let mode = configuration.mode
    var cassette: Cassette?
    // A writer first saves what an earlier run left in its journal, so it opens before the reader.
    var recorder = try recorder(configuration, upstream, cassetteExists: true)
    do {
      if mode.consultsCassette { cassette = try load(configuration, hasUpstream: configuration.asksOrigins) }
      if recorder == nil {
        recorder = try self.recorder(configuration, upstream, cassetteExists: cassette != nil)
      }
      recorder?.learn(secrets: configuration.upstreamFields.flatMap(\.secrets))
      let opened = InsertedCassette(
        configuration: configuration, cassette: cassette, recorder: recorder, upstream: upstream,
        patterns: try patterns(configuration, cassette, recorder), statistics: statistics)
      try statistics.mentions.collecting {
        for interaction in cassette?.interactions ?? [] where interaction.isHeld {
          _ = try opened.prepared(interaction)
        }
      }
      // Loading takes much that is needed no more.
      if cassette?.count ?? 0 > fewInteractions { Machine.giveBackMemory() }
      return opened
    } catch {
      _ = try? recorder?.seal()
      throw error
    }
  }

  /// The patterns that are given, or else those that stand in the cassette.
  private static func patterns(
    _ configuration: ProxyConfiguration, _ cassette: Cassette?, _ recorder: CassetteRecorder?
  ) throws -> [UpstreamPattern] {
    let given = try configuration.upstreamPatterns()
    guard given.isEmpty, let recorded = recorder?.upstreams ?? cassette?.upstreams else { return given }
    do throws(UpstreamURLError) {
      return try recorded.patterns.map { text throws(UpstreamURLError) in try UpstreamPattern(text) }
    } catch {
      throw ProxyError.badRecordedUpstream(recorder?.path ?? cassette?.path ?? "", "\(error)")
    }
  }

  private static func load(_ configuration: ProxyConfiguration, hasUpstream: Bool) throws -> Cassette? {
    guard let path = configuration.cassette else { return nil }
    do {
      return try Cassette.open(
        path, match: configuration.match, reading: .whenAsked(above: fewInteractions),
        asOne: configuration.forward == nil,
        progress: configuration.loadingProgress)
    } catch {
      guard case .absent = error else { throw error }
      guard configuration.mode.needsCassette, hasUpstream else { throw ProxyError.cassetteAbsent(path) }
      return nil
    }
  }

  /// - Returns: `nil` where nothing is recorded.
  private static func recorder(
    _ configuration: ProxyConfiguration, _ upstream: UpstreamOrigin?, cassetteExists: Bool
  ) throws -> CassetteRecorder? {
    guard let path = configuration.cassette, configuration.mode.mayRecord(cassetteExists: cassetteExists)
    else { return nil }
    return try CassetteRecorder.open(
      path, origins: configuration.hasSeveralOrigins ? .several : .one(upstream?.description),
      replacing: !configuration.mode.consultsCassette,
      match: configuration.match, redaction: configuration.redaction, rewriting: configuration.rewriting,
      upstreams: try configuration.recordedUpstreams(), durability: configuration.durability,
      secrets: configuration.secrets, recovering: configuration.loadingProgress)
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
  var emptyWarning: [String] {
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

  /// Says so when clients reach several origins by other patterns than the cassette says.
  func tellUpstreams(to notice: (String) -> Void) {
    // What a recorder has begun is the cassette's already.
    let known = recorder == nil ? cassette?.upstreams : recorder?.replacedUpstreams
    guard let recorded = known, !recorded.patterns.isEmpty,
      let upstreams, recorded.patterns != upstreams.patterns
    else { return }
    let (now, before) = (upstreams.text, recorded.text)
    if let recorder {
      notice("\(recorder.path) will be served with \(now); it was with \(before)")
    } else if let cassette {
      notice("serving \(now) in this run; \(cassette.path) itself was recorded with \(before)")
    }
  }

  private static func text(_ rules: MatchRules) -> String { rules.items.joined(separator: ", ") }
}

extension OriginRewriter {
  /// `nil` where nothing is rewritten.
  convenience init?(_ origin: UpstreamOrigin?, _ rules: RewriteRules, place: ClientPlace = ClientPlace()) {
    guard let origin, rules.isOn else { return nil }
    self.init(
      scheme: origin.scheme.rawValue, authority: origin.authority, host: origin.host,
      pathPrefix: origin.pathPrefix, rules: rules, place: place)
  }
}
