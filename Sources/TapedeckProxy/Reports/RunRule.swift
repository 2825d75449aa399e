/// What a run may be forbidden to be.
public enum RunRule: String, Sendable, CaseIterable {
  /// Interactions that no request got.
  case unused
  /// Requests that differed from their recordings where the rules ignore it.
  case drift
  /// Requests that nothing answered.
  case unmatched
  /// Responses that were given more often than they were recorded.
  case `repeat`
  /// What looks like a secret in what was recorded; nothing is sealed then.
  case secrets
}

extension ProxySummary {
  /// How often a rule was broken.
  public func breaches(of rule: RunRule) -> Int {
    switch rule {
    case .unused: unused
    case .drift: drifted
    case .unmatched: unmatched
    case .repeat: repeated
    case .secrets: secrets.count
    }
  }
}
