internal import Synchronization
internal import TapedeckHTTP

/// The rules of one kind at one moment, shared by all sessions with the same rules.
final class RuleTable<Rule: OverrideRule>: Sendable {
  struct Entry: Sendable {
    var rule: Rule
    /// Whether it is replaced when the overrides file is read again.
    var isFromFile: Bool
  }

  /// In the order they were declared.
  let entries: [Entry]
  private let madeIndex = Mutex<Rule.Index?>(nil)
  /// The last result of `replacingFile`.
  private let merged = Mutex<(old: RuleTable, new: RuleTable)?>(nil)

  init(_ entries: [Entry] = []) { self.entries = entries }

  convenience init(ofFile rules: [Rule]) { self.init(rules.map { Entry(rule: $0, isFromFile: true) }) }

  /// Built when the first request needs it, since thousands of rules may be added one by one.
  var index: Rule.Index {
    madeIndex.withLock { made in
      if let made { return made }
      let index = Rule.index(of: entries.map(\.rule))
      made = index
      return index
    }
  }

  /// The table `old` with its rules from the file replaced by these; other rules stay, and come first. Sessions that
  /// shared a table still share one afterwards.
  func replacingFile(in old: RuleTable) -> RuleTable {
    let own = old.entries.filter { !$0.isFromFile }
    if own.isEmpty { return self }
    return merged.withLock { merged in
      if let merged, merged.old === old { return merged.new }
      let taken = Set(own.map(\.rule.id))
      let new = RuleTable(entries.filter { !taken.contains($0.rule.id) } + own)
      merged = (old, new)
      return new
    }
  }
}

/// The rules of one kind in one session. They can be changed from any thread, and the next request sees the change.
/// Sessions share their tables until one of them changes; each session has its own state.
final class RuleList<Rule: OverrideRule>: ChangeableRules {
  typealias Entry = RuleTable<Rule>.Entry

  private let held: Mutex<RuleTable<Rule>>
  let state: Rule.State

  init(_ table: RuleTable<Rule> = RuleTable()) {
    held = Mutex(table)
    state = Rule.State(table)
  }

  var table: RuleTable<Rule> { held.withLock { $0 } }

  /// The index of the current rules; `nil` if there are none.
  var index: Rule.Index? {
    let table = table
    return table.entries.isEmpty ? nil : table.index
  }

  var rules: [Overrides.Rule] {
    table.entries.map { entry in
      let counts = state.counts(of: entry.rule)
      return Overrides.Rule(
        id: entry.rule.id, declaration: entry.rule.source, isFromFile: entry.isFromFile, seen: counts.seen,
        used: counts.used, unchanged: counts.unchanged)
    }
  }

  /// Changes the rules, unless `body` throws.
  private func change<Result: Sendable, Problem: Error>(
    restarting id: String? = nil, _ body: (inout [Entry]) throws(Problem) -> Result
  ) throws(Problem) -> Result {
    try held.withLock { table throws(Problem) in
      var entries = table.entries
      let result = try body(&entries)
      table = RuleTable(entries)
      state.take(table, restarting: id)
      return result
    }
  }

  func put(_ declaration: RuleDeclaration) throws(OverrideProblem) -> Bool {
    let rule = try Rule(declaration)
    return try change(restarting: rule.id) { entries throws(OverrideProblem) in
      let entry = Entry(rule: rule, isFromFile: false)
      let index = entries.firstIndex { $0.rule.id == rule.id }
      if let index { entries[index] = entry } else { entries.append(entry) }
      if let problem = Rule.problem(of: rule, among: entries) { throw problem }
      return index == nil
    }
  }

  func remove(_ id: String) -> Bool {
    change { entries in
      guard let index = entries.firstIndex(where: { $0.rule.id == id }) else { return false }
      entries.remove(at: index)
      return true
    }
  }

  func removeAll() { change { $0 = [] } }

  func reset() { state.reset() }

  /// Replaces the rules that came from a file.
  func take(_ file: RuleTable<Rule>) {
    held.withLock { table in
      table = file.replacingFile(in: table)
      state.take(table, restarting: nil)
    }
  }

  /// Puts the rules of a file in the place of all rules, counts and data kept.
  func adopt(_ file: RuleTable<Rule>) {
    held.withLock { table in
      table = file
      state.take(table, restarting: nil)
    }
  }

  /// The same rules with a new state, for another session.
  func fresh() -> RuleList { RuleList(table) }
}

/// A list of rules of any kind that can be changed.
protocol ChangeableRules: Sendable {
  var rules: [Overrides.Rule] { get }

  /// Adds a rule, or replaces the one with its id.
  /// - Returns: whether the rule is new.
  func put(_ declaration: RuleDeclaration) throws(OverrideProblem) -> Bool
  /// - Returns: `false` if no rule has the id.
  func remove(_ id: String) -> Bool
  func removeAll()
  /// Sets all counts to zero, and restores the initial data.
  func reset()
}
