/// How fast a recorded answer is given.
public enum ReplayPace: Sendable, Equatable {
  case instant
  /// As the origin was, so many times as fast.
  case recorded(times: Double)

  /// Reads `instant`, `recorded` or a factor like `10x`; nil when it is none of them.
  public init?(_ text: String) {
    switch text {
    case "instant": self = .instant
    case "recorded": self = .recorded(times: 1)
    default:
      guard text.hasSuffix("x"), let times = Double(text.dropLast()), times > 0, times.isFinite else {
        return nil
      }
      self = .recorded(times: times)
    }
  }
}
