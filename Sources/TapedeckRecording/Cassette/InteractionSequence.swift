internal import Synchronization
public import TapedeckHTTP

/// The response to a request that is sent more often than it was recorded.
public enum ExhaustionPolicy: String, Sendable, CaseIterable {
  /// Repeats the last response.
  case repeatLast = "repeat"
  /// Treats the request as a miss.
  case miss
  /// Starts again with the first response.
  case loop
}

/// The responses to one key, in order, with a cursor of their own; one per client if there were several.
public final class InteractionSequence: Sendable {
  public let interactions: [StoredInteraction]
  private let cursor = Atomic<Int>(0)
  /// How often other cursors gave each response; empty when there are none.
  private let otherUses = Mutex<[Int]>([])

  private let clients: ClientGroups?
  private let clientTurns: Mutex<ClientTurns>

  init(_ interactions: [StoredInteraction], clients: ClientGroups? = nil) {
    self.interactions = interactions
    self.clients = clients
    clientTurns = Mutex(ClientTurns(count: clients == nil ? 0 : interactions.count))
  }

  /// Whether these are responses to a request without a range and conditions.
  var isFull: Bool { RequestVariant.isFull(status: interactions[0].status) }

  var hits: Int { cursor.load(ordering: .relaxed) }

  public struct Turn: Sendable {
    public let interaction: StoredInteraction
    /// The number of such requests so far, including this one.
    public let number: Int
    public let recorded: Int
    /// Whether the response was recorded for another client because there is none for this one.
    public var isOtherClient = false

    public var isBeyondRecording: Bool { number > recorded }
  }

  /// The response to the next request; `nil` (not counted as a hit) when the policy ends the sequence.
  /// - Parameter cursors: the cursors of the request's session; `nil` for the sequence's own.
  public func next(
    for request: HTTPRequest, onExhausted policy: ExhaustionPolicy = .repeatLast,
    cursors: ReplayCursors? = nil
  ) -> Turn? {
    guard let clients else { return next(onExhausted: policy, cursors: cursors) }
    return next(policy, cursors, clients.choice(for: request))
  }

  /// The response to the next request from any client.
  public func next(
    onExhausted policy: ExhaustionPolicy = .repeatLast, cursors: ReplayCursors? = nil
  ) -> Turn? {
    if let cursors { return next(policy, cursors) }
    if policy == .miss, hits >= interactions.count { return nil }
    let turn = cursor.wrappingAdd(1, ordering: .relaxed).oldValue
    guard let index = index(turn, policy) else {
      cursor.wrappingSubtract(1, ordering: .relaxed)
      return nil
    }
    return Turn(interaction: interactions[index], number: turn + 1, recorded: interactions.count)
  }

  private func next(_ policy: ExhaustionPolicy, _ cursors: ReplayCursors) -> Turn? {
    guard let turn = cursors.advance(self, upTo: policy == .miss ? interactions.count : nil),
      let index = index(turn, policy)
    else { return nil }
    countOtherUse(of: index)
    return Turn(interaction: interactions[index], number: turn + 1, recorded: interactions.count)
  }

  private func next(
    _ policy: ExhaustionPolicy, _ cursors: ReplayCursors?, _ choice: ClientGroups.Choice
  ) -> Turn? {
    let taken =
      if let cursors { cursors.advance(self, choice, policy) } else {
        clientTurns.withLock { $0.take(choice, policy) }
      }
    guard let taken else { return nil }
    countOtherUse(of: taken.index)
    return Turn(
      interaction: interactions[taken.index], number: taken.number, recorded: choice.indices.count,
      isOtherClient: !choice.agrees)
  }

  private func countOtherUse(of index: Int) {
    otherUses.withLock { uses in
      if uses.isEmpty { uses = Array(repeating: 0, count: interactions.count) }
      uses[index] += 1
    }
  }

  private func index(_ turn: Int, _ policy: ExhaustionPolicy) -> Int? {
    if turn < interactions.count { return turn }
    return switch policy {
    case .repeatLast: interactions.count - 1
    case .loop: turn % interactions.count
    case .miss: nil
    }
  }

  func rewind() {
    cursor.store(0, ordering: .relaxed)
    if clients != nil { clientTurns.withLock { $0 = ClientTurns(count: interactions.count) } }
  }

  /// How often each response was given, in order.
  public func uses(onExhausted policy: ExhaustionPolicy) -> [Int] {
    let (hits, count) = (hits, interactions.count)
    let others = otherUses.withLock { $0 }
    return (0..<count).map { index in
      (others.isEmpty ? 0 : others[index]) + ownUses(of: index, hits: hits, count, policy)
    }
  }

  private func ownUses(of index: Int, hits: Int, _ count: Int, _ policy: ExhaustionPolicy) -> Int {
    switch policy {
    case .loop: hits / count + (index < hits % count ? 1 : 0)
    case .repeatLast where index == count - 1: max(0, hits - index)
    case .repeatLast, .miss: index < hits ? 1 : 0
    }
  }
}

/// The cursors of one session, one for each sequence of a cassette.
public final class ReplayCursors: Sendable {
  private let turns = Mutex<[ObjectIdentifier: Int]>([:])
  /// The turns in sequences recorded for several clients.
  private let clientTurns = Mutex<[ObjectIdentifier: ClientTurns]>([:])

  public init() {}

  /// Takes a turn and returns the number of earlier turns; `nil` at the limit.
  fileprivate func advance(_ sequence: InteractionSequence, upTo limit: Int?) -> Int? {
    turns.withLock { turns in
      let turn = turns[ObjectIdentifier(sequence), default: 0]
      if let limit, turn >= limit { return nil }
      turns[ObjectIdentifier(sequence)] = turn + 1
      return turn
    }
  }

  fileprivate func advance(
    _ sequence: InteractionSequence, _ choice: ClientGroups.Choice, _ policy: ExhaustionPolicy
  ) -> (index: Int, number: Int)? {
    clientTurns.withLock { turns in
      turns[ObjectIdentifier(sequence), default: ClientTurns(count: sequence.interactions.count)]
        .take(choice, policy)
    }
  }

  /// Starts again with the first response to every request.
  public func rewind() {
    turns.withLock { $0 = [:] }
    clientTurns.withLock { $0 = [:] }
  }
}
