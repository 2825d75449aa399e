internal import Synchronization

/// What a ledger lists: the first of its kind, and how many came.
protocol CountedGroup: Sendable {
  var count: Int { get set }
}

/// What came in a run, grouped. However many different things come, only a hundred groups are kept; the rest are counted.
final class GroupLedger<Group: CountedGroup>: Sendable {
  static var maximumGroups: Int { 100 }

  private struct State {
    var places: [[String]: Int] = [:]
    var groups: [Group] = []
    var others = 0
  }

  private let state = Mutex(State())

  /// - Parameters:
  ///   - key: what the members of a group have in common.
  ///   - group: made of the first member, with a count of 1.
  /// - Returns: whether it is the first of its group.
  @discardableResult
  func add(_ key: [String], _ group: () -> Group) -> Bool {
    state.withLock { state in
      if let place = state.places[key] {
        state.groups[place].count += 1
        return false
      }
      guard state.groups.count < Self.maximumGroups else {
        state.others += 1
        return false
      }
      state.places[key] = state.groups.count
      state.groups.append(group())
      return true
    }
  }

  /// In the order they first came, and how many are in none of them.
  var groups: (listed: [Group], others: Int) { state.withLock { ($0.groups, $0.others) } }
}
