internal import Synchronization
public import TapedeckHTTP

/// The answers to one key, in order. The cursor is per key, so requests for other keys cannot reorder them; where they
/// were recorded for several clients, each of these has one of its own.
public final class InteractionSequence: Sendable {
  /// At least one.
  public let answers: [StoredInteraction]
  private let cursor = Atomic<Int>(0)
  /// How often each response was given by other cursors than the sequence's own; empty where there are none.
  private let otherUses = Mutex<[Int]>([])

  /// `nil` where they were all recorded for one client.
  private let clients: ClientGroups?
  private let clientTurns: Mutex<ClientTurns>

  init(_ answers: [StoredInteraction], clients: ClientGroups? = nil) {
    self.answers = answers
    self.clients = clients
    clientTurns = Mutex(ClientTurns(count: clients == nil ? 0 : answers.count))
  }

  /// Whether these are responses to a request without a range and conditions.
  var isFull: Bool { RequestVariant.isFull(status: answers[0].status) }

  /// How often a response was given by the sequence's own cursor.
  var hits: Int { cursor.load(ordering: .relaxed) }

  /// The response that one request takes.
  public struct Turn: Sendable {
    public let answer: StoredInteraction
    /// How often such a request has come, with this time.
    public let number: Int
    /// How often it was recorded.
    public let recorded: Int
    /// Whether it was recorded for another client, and none for the one that asks.
    public var isOtherClient = false

    public var isBeyondRecording: Bool { number > recorded }
  }

  /// The response to the next request.
  /// - Parameter cursors: of the request's session; `nil` for the sequence's own.
  /// - Returns: nil when all were given to such a client and the policy says so; this is no hit.
  public func next(
    for request: HTTPRequest, onExhausted policy: ExhaustionPolicy = .repeatLast,
    cursors: ReplayCursors? = nil
  ) -> Turn? {
    guard let clients else { return next(onExhausted: policy, cursors: cursors) }
    return next(policy, cursors, clients.choice(for: request))
  }

  /// The response to the next request, whichever client sends it.
  /// - Parameter cursors: of the request's session; `nil` for the sequence's own.
  /// - Returns: nil when all were given and the policy says so; this is no hit.
  public func next(
    onExhausted policy: ExhaustionPolicy = .repeatLast, cursors: ReplayCursors? = nil
  ) -> Turn? {
    if let cursors { return next(policy, cursors) }
    if policy == .miss, hits >= answers.count { return nil }
    let turn = cursor.wrappingAdd(1, ordering: .relaxed).oldValue
    guard let index = index(turn, policy) else {
      cursor.wrappingSubtract(1, ordering: .relaxed)
      return nil
    }
    return Turn(answer: answers[index], number: turn + 1, recorded: answers.count)
  }

  private func next(_ policy: ExhaustionPolicy, _ cursors: ReplayCursors) -> Turn? {
    guard let turn = cursors.advance(self, upTo: policy == .miss ? answers.count : nil),
      let index = index(turn, policy)
    else { return nil }
    countOtherUse(of: index)
    return Turn(answer: answers[index], number: turn + 1, recorded: answers.count)
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
      answer: answers[taken.index], number: taken.number, recorded: choice.indices.count,
      isOtherClient: !choice.agrees)
  }

  private func countOtherUse(of index: Int) {
    otherUses.withLock { uses in
      if uses.isEmpty { uses = Array(repeating: 0, count: answers.count) }
      uses[index] += 1
    }
  }

  /// Which response a turn gets, counted from 0.
  private func index(_ turn: Int, _ policy: ExhaustionPolicy) -> Int? {
    if turn < answers.count { return turn }
    return switch policy {
    case .repeatLast: answers.count - 1
    case .loop: turn % answers.count
    case .miss: nil
    }
  }

  /// Begins anew with the first response.
  func rewind() {
    cursor.store(0, ordering: .relaxed)
    if clients != nil { clientTurns.withLock { $0 = ClientTurns(count: answers.count) } }
  }

  /// How often each response was given, in order.
  public func uses(onExhausted policy: ExhaustionPolicy) -> [Int] {
    let (hits, count) = (hits, answers.count)
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
