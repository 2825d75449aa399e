/// When to replay, when to ask the origin and when to remember (VCR's words).
public enum RecordMode: String, Sendable, CaseIterable {
  /// Replay only.
  case none
  /// Record when the cassette is absent, else replay only.
  case once
  /// Replay what is known, record what is not.
  case newEpisodes = "new_episodes"
  /// Always ask the origin, and replace what was recorded.
  case all
  /// Always ask the origin, remember nothing.
  case passthrough
}

/// What the cassette holds for a request.
public enum RecordingSituation: Sendable, CaseIterable {
  /// There is a response to give.
  case recorded
  /// There were responses, and all have been given.
  case exhausted
  /// Nothing with its key was ever recorded.
  case unknown
}

/// What becomes of a request.
public enum Disposition: Sendable {
  case replay
  case record
  case forward
  case refuse
}

extension RecordMode {
  /// The whole policy: every mode in every situation. All else about modes follows from it.
  public func disposition(
    _ situation: RecordingSituation, cassetteExists: Bool, hasUpstream: Bool
  ) -> Disposition {
    switch (self, situation) {
    case (.none, .recorded), (.once, .recorded), (.newEpisodes, .recorded): .replay
    case (.none, _): .refuse
    case (.once, _): !cassetteExists && hasUpstream ? .record : .refuse
    case (.newEpisodes, _), (.all, _): hasUpstream ? .record : .refuse
    case (.passthrough, _): hasUpstream ? .forward : .refuse
    }
  }

  /// Whether the cassette is asked at all.
  public var consultsCassette: Bool {
    disposition(.recorded, cassetteExists: true, hasUpstream: true) == .replay
  }

  /// Whether responses may be remembered, so that the cassette is opened for writing.
  public func mayRecord(cassetteExists: Bool) -> Bool {
    disposition(.unknown, cassetteExists: cassetteExists, hasUpstream: true) == .record
  }

  /// Whether there has to be an origin.
  var needsUpstream: Bool { disposition(.unknown, cassetteExists: true, hasUpstream: true) != .refuse }

  /// Whether there has to be a place for a cassette.
  var needsCassette: Bool { mayRecord(cassetteExists: false) }

  /// Whether a value of the environment variable `CI` says that nothing may be recorded by accident: any but none, `0`,
  /// `false` and `no`, in any case.
  package static func isCI(_ value: String?) -> Bool {
    guard let value, !value.isEmpty else { return false }
    return !["0", "false", "no"].contains(value.lowercased())
  }
}
