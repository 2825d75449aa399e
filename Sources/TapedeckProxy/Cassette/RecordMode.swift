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

/// What the cassette had to say about a request.
public enum RecordingSituation: Sendable, CaseIterable {
  /// There is an answer for it.
  case recorded
  /// There were answers for it, and all have been given.
  case exhausted
  /// Nothing with its key was ever recorded.
  case unknown
}

/// What is done with a request.
public enum Disposition: Sendable {
  case replay
  case record
  case forward
  case refuse
}

extension RecordMode {
  /// Whether the cassette is asked at all.
  public var consultsCassette: Bool { self != .all && self != .passthrough }

  /// Whether answers may be remembered, so that the cassette is opened for writing.
  public func mayRecord(cassetteExists: Bool) -> Bool {
    switch self {
    case .none, .passthrough: false
    case .once: !cassetteExists
    case .newEpisodes, .all: true
    }
  }

  /// The whole policy: every mode in every situation.
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
}
