internal import Synchronization

/// The rules that an overrides file declares, on their way into the lists of all sessions. Lists that had the same rules
/// have the same ones afterwards.
final class FileRules<Rule: OverrideRule>: Sendable {
  private struct Change {
    /// Held, so that its identity stays its own.
    let old: LazyRuleTable<Rule>
    let new: RuleList<Rule>.State
  }

  private let rules: [Rule]
  private let changes = Mutex<[ObjectIdentifier: Change]>([:])

  init(_ rules: [Rule]) { self.rules = rules }

  func state(after old: RuleList<Rule>.State) -> RuleList<Rule>.State {
    changes.withLock { changes in
      if let known = changes[ObjectIdentifier(old.table)] { return known.new }
      let own = old.entries.filter { !$0.isFromFile }
      let taken = Set(own.map(\.rule.id))
      let declared = rules.lazy.filter { !taken.contains($0.id) }
      let new = RuleList<Rule>.State(
        entries: declared.map { RuleList.Entry(rule: $0, isFromFile: true) } + own)
      changes[ObjectIdentifier(old.table)] = Change(old: old.table, new: new)
      return new
    }
  }

  /// Lets go of the lists there were. One that comes later has the same rules in a list of its own.
  func forget() { changes.withLock { $0 = [:] } }
}
