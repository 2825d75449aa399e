/// A recording that a request nearly matches, and what keeps it from matching.
public struct NearMiss: Sendable {
  public let answer: StoredInteraction
  /// In the order host, method, path, query, headers, body; none where all answers of a matching request have been
  /// given.
  public let differences: [RequestDifference]
  /// How far it is from the request; only good for comparing.
  public let distance: Int
}
