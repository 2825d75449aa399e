internal import Synchronization
internal import TapedeckSockets

/// Rules of one kind, as they stand for one session: changed from any thread, seen by the next request.
///
/// Lists share their rules until one of them is changed; only how often a rule has acted is each list's own.
final class RuleList<Rule: OverrideRule>: Versioned {
  struct Entry: Sendable {
    var rule: Rule
    /// Whether it goes when the overrides file is read anew.
    var isFromFile: Bool
  }

  /// The rules of a moment.
  struct State {
    var entries: [Entry] = []
    /// Shared by all lists that have these entries.
    var table = LazyRuleTable<Rule>()
  }

  private let state: Mutex<State>
  private let changes = Atomic<Int>(0)
  let usages = RuleUsages()

  init() { state = Mutex(State()) }

  private init(_ shared: State) { state = Mutex(shared) }

  var version: Int { changes.load(ordering: .acquiring) }

  var entries: [Entry] { state.withLock { $0.entries } }

  var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

  /// The rules of this moment; nil where there are none.
  var current: RuleTable<Rule>? {
    state.withLock { $0.entries.isEmpty ? nil : $0.table.table(of: $0.entries) }
  }

  private func change<Result: Sendable>(_ body: (inout [Entry]) -> Result) -> Result {
    state.withLock { state in
      let result = body(&state.entries)
      state.table = LazyRuleTable()
      changed(state)
      return result
    }
  }

  private func changed(_ state: State) {
    usages.keep { Set(state.entries.map(\.rule.identity)) }
    changes.add(1, ordering: .releasing)
  }

  /// Adds a rule, or puts it in the place of the one with its id.
  /// - Returns: whether it is new.
  @discardableResult
  func put(_ rule: Rule, isFromFile: Bool = false) -> Bool {
    change { entries in
      let entry = Entry(rule: rule, isFromFile: isFromFile)
      if let index = entries.firstIndex(where: { $0.rule.id == rule.id }) {
        entries[index] = entry
        return false
      }
      entries.append(entry)
      return true
    }
  }

  /// False when there was none.
  func remove(_ id: String) -> Bool {
    change { entries in
      guard let index = entries.firstIndex(where: { $0.rule.id == id }) else { return false }
      entries.remove(at: index)
      return true
    }
  }

  func removeAll() { change { $0 = [] } }

  /// Puts the rules of a file in the place of all that came from it before; others stay, and go before them.
  func take(_ file: FileRules<Rule>) {
    state.withLock { state in
      state = file.state(after: state)
      changed(state)
    }
  }

  /// The same rules with their counts at zero, for another session.
  func fresh() -> RuleList { RuleList(state.withLock { $0 }) }

  /// All counts at zero.
  func reset() { usages.reset() }
}
