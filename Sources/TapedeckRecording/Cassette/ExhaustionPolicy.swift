/// What a request gets that comes more often than it was recorded.
public enum ExhaustionPolicy: String, Sendable, CaseIterable {
  /// The last response, again and again.
  case repeatLast = "repeat"
  /// Nothing: the request is unmatched.
  case miss
  /// The first response, and so on from there.
  case loop
}
