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
  /// Of few sequences there are several: the first needs no array.
  let first: StoredInteraction
  private let others: [StoredInteraction]
  private let cursor = Atomic<Int>(0)
  private let clients: ClientGroups?
  private let uses = AtomicLazyReference<Uses>()

  /// What only sessions and several clients need.
  private final class Uses: Sendable {
    /// How often other cursors gave each response; empty when there are none.
    let others = Mutex<[Int]>([])
    let turns: Mutex<ClientTurns>

    init(clients: Int) { turns = Mutex(ClientTurns(count: clients)) }
  }

  /// - Parameter interactions: at least one.
  init(_ interactions: [StoredInteraction], clients: ClientGroups? = nil) {
    first = interactions[0]
    others = interactions.count > 1 ? Array(interactions.dropFirst()) : []
    self.clients = clients
  }

  public var interactions: [StoredInteraction] { [first] + others }

  var last: StoredInteraction { others.last ?? first }

  public var count: Int { 1 + others.count }

  private func interaction(at index: Int) -> StoredInteraction { index == 0 ? first : others[index - 1] }

  private var sharedUses: Uses {
    uses.load() ?? uses.storeIfNil(Uses(clients: clients == nil ? 0 : count))
  }

  /// Whether these are responses to a request without a range and conditions.
  var isFull: Bool { RequestVariant.isFull(status: first.status) }

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
    if policy == .miss, hits >= count { return nil }
    let turn = cursor.wrappingAdd(1, ordering: .relaxed).oldValue
    guard let index = index(turn, policy) else {
      cursor.wrappingSubtract(1, ordering: .relaxed)
      return nil
    }
    return Turn(interaction: interaction(at: index), number: turn + 1, recorded: count)
  }

  private func next(_ policy: ExhaustionPolicy, _ cursors: ReplayCursors) -> Turn? {
    guard let turn = cursors.advance(self, upTo: policy == .miss ? count : nil),
      let index = index(turn, policy)
    else { return nil }
    countOtherUse(of: index)
    return Turn(interaction: interaction(at: index), number: turn + 1, recorded: count)
  }

  private func next(
    _ policy: ExhaustionPolicy, _ cursors: ReplayCursors?, _ choice: ClientGroups.Choice
  ) -> Turn? {
    let taken =
      if let cursors { cursors.advance(self, choice, policy) } else {
        sharedUses.turns.withLock { $0.take(choice, policy) }
      }
    guard let taken else { return nil }
    countOtherUse(of: taken.index)
    return Turn(
      interaction: interaction(at: taken.index), number: taken.number, recorded: choice.indices.count,
      isOtherClient: !choice.agrees)
  }

  private func countOtherUse(of index: Int) {
    sharedUses.others.withLock { uses in
      if uses.isEmpty { uses = Array(repeating: 0, count: count) }
      uses[index] += 1
    }
  }

  private func index(_ turn: Int, _ policy: ExhaustionPolicy) -> Int? {
    if turn < count { return turn }
    return switch policy {
    case .repeatLast: count - 1
    case .loop: turn % count
    case .miss: nil
    }
  }

  func rewind() {
    cursor.store(0, ordering: .relaxed)
    if clients != nil { uses.load()?.turns.withLock { $0 = ClientTurns(count: count) } }
  }

  /// How often each response was given, in order.
  public func uses(onExhausted policy: ExhaustionPolicy) -> [Int] {
    let (hits, count) = (hits, count)
    let others = uses.load()?.others.withLock { $0 } ?? []
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
      turns[ObjectIdentifier(sequence), default: ClientTurns(count: sequence.count)]
        .take(choice, policy)
    }
  }

  /// Starts again with the first response to every request.
  public func rewind() {
    turns.withLock { $0 = [:] }
    clientTurns.withLock { $0 = [:] }
  }
}
