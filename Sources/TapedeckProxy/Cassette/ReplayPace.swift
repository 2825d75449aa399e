/// How fast recorded responses are sent.
public enum ReplayPace: Sendable, Equatable {
  case instant
  /// As the origin was, this many times as fast.
  case recorded(times: Double)

  /// Reads `instant`, `recorded` or a factor like `10x`, from a thousandth to a million; `nil` for any other text.
  public init?(_ text: String) {
    switch text {
    case "instant": self = .instant
    case "recorded": self = .recorded(times: 1)
    default:
      guard text.hasSuffix("x"), let times = Double(text.dropLast()), (0.001...1_000_000).contains(times)
      else {
        return nil
      }
      self = .recorded(times: times)
    }
  }
}

/// How a replayed stream goes on where the client left it when it was recorded.
public enum CutPolicy: String, Sendable, CaseIterable {
  /// It stays open and silent, as it was.
  case open
  /// Its body ends properly.
  case close
}
