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

  /// An answer that is taken.
  public struct Turn: Sendable {
    public let answer: RecordedAnswer
    /// How often such a request has come, with this time.
    public let number: Int
    /// How often it was recorded.
    public let recorded: Int

    public var isBeyondRecording: Bool { number > recorded }
  }

  /// The answer to the next request.
  /// - Returns: nil when all were given and the policy says so; this is no hit.
  public func next(onExhausted policy: ExhaustionPolicy = .repeatLast) -> Turn? {
    if policy == .miss, hits >= answers.count { return nil }
    let turn = cursor.wrappingAdd(1, ordering: .relaxed).oldValue
    func take(_ index: Int) -> Turn {
      Turn(answer: answers[index], number: turn + 1, recorded: answers.count)
    }
    if turn < answers.count { return take(turn) }
    switch policy {
    case .repeatLast: return take(answers.count - 1)
    case .loop: return take(turn % answers.count)
    case .miss:
      cursor.wrappingSubtract(1, ordering: .relaxed)
      return nil
    }
  }

  /// How often each answer was given, in order.
  public func uses(onExhausted policy: ExhaustionPolicy) -> [Int] {
    let (hits, count) = (hits, answers.count)
    return (0..<count).map { index in
      switch policy {
      case .loop: hits / count + (index < hits % count ? 1 : 0)
      case .repeatLast where index == count - 1: max(0, hits - index)
      case .repeatLast, .miss: index < hits ? 1 : 0
      }
    }
  }
}
