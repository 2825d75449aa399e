internal import Synchronization
internal import TapedeckHTTP

/// The latest requests of a session, as many as fit into its bytes.
public final class RequestLog: Sendable {
  fileprivate struct State {
    /// A ring: the oldest stands at `first`.
    var entries: [RequestLogEntry?] = []
    var first = 0
    var count = 0
    var bytes = 0
    var lastNumber = 0
  }

  private let state = Mutex(State())
  let budget: RequestLogBudget

  init(_ budget: RequestLogBudget) { self.budget = budget }

  deinit { budget.release(state.withLock { $0.bytes }) }

  /// Whether anything is kept at all.
  public var isOn: Bool { budget.bytes > 0 }

  func append(_ entry: RequestLogEntry) {
    let size = entry.bytes
    // Entries are released outside of the lock.
    var gone = state.withLock { state -> RequestLogEntry? in
      state.lastNumber += 1
      // Under the lock, so that whoever reads up to the last id so far finds every entry before it.
      entry.isNumbered(state.lastNumber, id: budget.nextID())
      guard size <= budget.bytes else { return nil }
      state.append(entry)
      state.bytes += size
      budget.take(size)
      return oldestBeyondBudget(&state)
    }
    while gone != nil { gone = state.withLock { oldestBeyondBudget(&$0) } }
  }

  /// Removes and returns the oldest entry beyond the budget, but never the last one.
  private func oldestBeyondBudget(_ state: inout State) -> RequestLogEntry? {
    guard state.count > 1, state.bytes > budget.bytes || budget.isOverdrawn,
      let oldest = state.removeFirst()
    else { return nil }
    state.bytes -= oldest.bytes
    budget.release(oldest.bytes)
    return oldest
  }

  /// Forgets all requests; numbers go on from where they are.
  public func clear() {
    let bytes = state.withLock { state in
      let bytes = state.bytes
      let number = state.lastNumber
      state = State()
      state.lastNumber = number
      return bytes
    }
    budget.release(bytes)
  }

  /// The entries still held, the oldest first.
  public var entries: [RequestLogEntry] { state.withLock { $0.all } }

  /// The oldest entries of those with ids after `first` and up to `last`, at most `limit`.
  func entries(after first: Int, through last: Int, limit: Int) -> [RequestLogEntry] {
    state.withLock { $0.entries(after: first, through: last, limit: limit) }
  }

  public func entry(_ number: Int) -> RequestLogEntry? { entries.first { $0.number == number } }

  /// How many requests there were, forgotten ones included.
  public var total: Int { state.withLock { $0.lastNumber } }
}

extension RequestLog.State {
  mutating func append(_ entry: RequestLogEntry) {
    if count == entries.count { grow() }
    entries[(first + count) % entries.count] = entry
    count += 1
  }

  private mutating func grow() {
    if first > 0 { (entries, first) = (all.map { $0 }, 0) }
    // Appends in place, so that the entries are not retained one by one.
    entries.append(contentsOf: repeatElement(nil, count: Swift.max(64, count)))
  }

  mutating func removeFirst() -> RequestLogEntry? {
    guard count > 0 else { return nil }
    let entry = entries[first]
    entries[first] = nil
    first = (first + 1) % entries.count
    count -= 1
    return entry
  }

  fileprivate func entries(after first: Int, through last: Int, limit: Int) -> [RequestLogEntry] {
    // Ids ascend, so the first one is found by halving.
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if let entry = entry(at: middle), entry.id <= first { low = middle + 1 } else { high = middle }
    }
    var found: [RequestLogEntry] = []
    while low < count, found.count < limit, let entry = entry(at: low), entry.id <= last {
      found.append(entry)
      low += 1
    }
    return found
  }

  private func entry(at place: Int) -> RequestLogEntry? { entries[(first + place) % entries.count] }

  var all: [RequestLogEntry] { (0..<count).compactMap { entries[(first + $0) % entries.count] } }
}

/// What the request logs of all sessions may take together.
final class RequestLogBudget: Sendable {
  /// That one log may take; all together four times as much.
  let bytes: Int
  private let taken = Atomic<Int>(0)
  private let ids = Atomic<Int>(0)

  init(bytes: Int) { self.bytes = bytes }

  /// The next of the ids, which count the requests of all sessions.
  func nextID() -> Int { ids.add(1, ordering: .relaxed).newValue }
  var lastID: Int { ids.load(ordering: .relaxed) }

  func take(_ count: Int) { taken.add(count, ordering: .relaxed) }
  func release(_ count: Int) { taken.subtract(count, ordering: .relaxed) }

  /// Whether all of them together have more, so that whoever adds then drops its own oldest.
  var isOverdrawn: Bool { taken.load(ordering: .relaxed) > 4 * bytes }
}
