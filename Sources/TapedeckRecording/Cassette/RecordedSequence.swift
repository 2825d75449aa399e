import Synchronization

/// The answers to one key, in order. The cursor is per key, so requests for other keys cannot reorder them.
public final class RecordedSequence: Sendable {
  /// At least one.
  public let answers: [RecordedAnswer]
  private let cursor = Atomic<Int>(0)

  init(_ answers: [RecordedAnswer]) { self.answers = answers }

  /// How often an answer was given.
  public var hits: Int { cursor.load(ordering: .relaxed) }

  /// The answers that were not given yet.
  public var unused: ArraySlice<RecordedAnswer> { answers.dropFirst(hits) }

  /// The answer to the next request, and whether it is asked for more often than it was recorded.
  /// - Returns: nil when all were given and the policy says so; this is no hit.
  public func next(
    onExhausted policy: ExhaustionPolicy = .repeatLast
  ) -> (answer: RecordedAnswer, isBeyondRecording: Bool)? {
    if policy == .miss, hits >= answers.count { return nil }
    let turn = cursor.wrappingAdd(1, ordering: .relaxed).oldValue
    if turn < answers.count { return (answers[turn], false) }
    switch policy {
    case .repeatLast: return (answers[answers.count - 1], true)
    case .loop: return (answers[turn % answers.count], true)
    case .miss:
      cursor.wrappingSubtract(1, ordering: .relaxed)
      return nil
    }
  }
}
