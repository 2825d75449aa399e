/// A recording that a request nearly matches, and what keeps it from matching.
public struct NearMiss: Sendable {
  public let answer: RecordedAnswer
  /// In the order method, path, query, body; at least one.
  public let differences: [RequestDifference]
  /// How far it is from the request; only good for comparing.
  public let distance: Int
}
