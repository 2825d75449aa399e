internal import Synchronization
public import TapedeckHTTP

/// The unmatched requests of a run, grouped. However many different ones come, only so many are
/// kept; the rest are counted.
final class MissLedger: Sendable {
  static let maximumGroups = 100

  private struct State {
    var groups: [String: MissGroup] = [:]
    var order: [String] = []
    var others = 0
  }

  private let state = Mutex(State())

  /// Whether it is the first of its group, and so worth telling.
  func add(_ miss: Miss) -> Bool {
    let name = miss.sort
    return state.withLock { state in
      if state.groups[name] != nil {
        state.groups[name]?.count += 1
        return false
      }
      guard state.order.count < Self.maximumGroups else {
        state.others += 1
        return false
      }
      state.order.append(name)
      state.groups[name] = MissGroup(miss: miss, count: 1)
      return true
    }
  }

  /// In the order they first came, and how many requests are in none of them.
  var groups: (listed: [MissGroup], others: Int) {
    state.withLock { state in (state.order.compactMap { state.groups[$0] }, state.others) }
  }
}

/// Misses of one kind: requests that nothing answered and that ask for the same thing.
public struct MissGroup: Sendable, Equatable {
  /// The first of them.
  public var miss: Miss
  public var count: Int
}
