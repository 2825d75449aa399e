internal import Synchronization

/// How far one session has come in each sequence of a cassette, apart from all others.
public final class ReplayCursors: Sendable {
  private let turns = Mutex<[ObjectIdentifier: Int]>([:])
  /// In sequences that were recorded for several clients.
  private let clientTurns = Mutex<[ObjectIdentifier: ClientTurns]>([:])

  public init() {}

  /// The number of turns taken before, and takes one.
  /// - Parameter limit: of turns; nil is returned where they are taken.
  func advance(_ sequence: InteractionSequence, upTo limit: Int?) -> Int? {
    turns.withLock { turns in
      let turn = turns[ObjectIdentifier(sequence), default: 0]
      if let limit, turn >= limit { return nil }
      turns[ObjectIdentifier(sequence)] = turn + 1
      return turn
    }
  }

  func advance(
    _ sequence: InteractionSequence, _ choice: ClientGroups.Choice, _ policy: ExhaustionPolicy
  ) -> (index: Int, number: Int)? {
    clientTurns.withLock { turns in
      turns[ObjectIdentifier(sequence), default: ClientTurns(count: sequence.answers.count)]
        .take(choice, policy)
    }
  }

  /// Begins anew with the first response to every request.
  public func rewind() {
    turns.withLock { $0 = [:] }
    clientTurns.withLock { $0 = [:] }
  }
}
