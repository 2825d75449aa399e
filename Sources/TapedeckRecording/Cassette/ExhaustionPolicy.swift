/// What is given when a request is asked more often than it was recorded.
public enum ExhaustionPolicy: String, Sendable, CaseIterable {
  /// The last answer, again and again.
  case repeatLast = "repeat"
  /// Nothing: the request is unmatched.
  case miss
  /// The first answer, and so on from there.
  case loop
}
