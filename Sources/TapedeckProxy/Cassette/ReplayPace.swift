/// How fast a recorded answer is given.
public enum ReplayPace: Sendable, Equatable {
  case instant
  /// As the origin was, so many times as fast.
  case recorded(times: Double)

  /// Reads `instant`, `recorded` or a factor like `10x`, from a thousandth to a million; nil when it is none of them.
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
