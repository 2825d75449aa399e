internal import Synchronization
internal import TapedeckHTTP

/// Rules of one kind, as they stand: changed from any thread, seen by the next request.
final class RuleList<Rule: OverrideRule>: Versioned {
  private struct State {
    var entries: [Entry] = []
    var table: RuleTable<Rule>?
  }

  struct Entry: Sendable {
    var rule: Rule
    /// Whether it goes when the overrides file is read anew.
    var isFromFile: Bool
  }

  private let state: Mutex<State>
  private let changes = Atomic<Int>(0)

  init(_ entries: [Entry] = []) { state = Mutex(State(entries: entries)) }

  var version: Int { changes.load(ordering: .acquiring) }

  var entries: [Entry] { state.withLock { $0.entries } }

  var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

  /// The rules of this moment; nil where there are none.
  var current: RuleTable<Rule>? {
    state.withLock { state in
      if state.entries.isEmpty { return nil }
      if let table = state.table { return table }
      let table = RuleTable(state.entries.map(\.rule))
      state.table = table
      return table
    }
  }

  private func change<Result: Sendable>(_ body: (inout [Entry]) -> Result) -> Result {
    state.withLock { state in
      let result = body(&state.entries)
      state.table = nil
      changes.add(1, ordering: .releasing)
      return result
    }
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

  /// Puts these in the place of all that came from the file; others stay, and go before them.
  func replaceFileRules(_ rules: [Rule]) {
    change { entries in
      entries.removeAll(where: \.isFromFile)
      let taken = Set(entries.map(\.rule.id))
      entries.insert(
        contentsOf: rules.filter { !taken.contains($0.id) }.map { Entry(rule: $0, isFromFile: true) }, at: 0)
    }
  }

  /// The same rules with their counts at zero.
  func fresh() -> RuleList {
    RuleList(entries.map { Entry(rule: $0.rule.fresh(), isFromFile: $0.isFromFile) })
  }

  /// All counts at zero.
  func reset() {
    change { entries in
      for index in entries.indices { entries[index].rule = entries[index].rule.fresh() }
    }
  }
}

/// The rules of a moment, by their paths.
final class RuleTable<Rule: OverrideRule>: Sendable {
  /// In the order of their declaration.
  let rules: [Rule]
  /// The same in the order in which they are asked where one answer is wanted.
  private let ranked: [Int]
  private let tree: PathTree

  init(_ rules: [Rule]) {
    self.rules = rules
    // Among rules for one path those that ask for more, then those declared later.
    ranked = rules.indices.sorted { left, right in
      let (mine, theirs) = (rules[left].condition.whenCount, rules[right].condition.whenCount)
      return mine == theirs ? left > right : mine > theirs
    }
    tree = PathTree(ranked.map { rules[$0].condition.path.segments })
  }

  /// Whether a rule may be for the request's path; most requests are over with that.
  func concerns(_ request: HTTPRequest) -> Bool { tree.mayFit(target: request.target) }

  /// The first for which `takes` has something, the most specific path first.
  func first<Result>(for request: OverrideRequest, _ takes: (Rule) -> Result?) -> Result? {
    var result: Result?
    tree.offer(request.path) { place in
      let rule = rules[ranked[place]]
      guard rule.condition.accepts(request) else { return false }
      result = takes(rule)
      return result != nil
    }
    return result
  }

  /// All that are for the request, in the order of their declaration.
  func all(for request: OverrideRequest) -> [Rule] {
    var found: [Int] = []
    tree.offer(request.path) { place in
      if rules[ranked[place]].condition.accepts(request) { found.append(ranked[place]) }
      return false
    }
    return found.sorted().map { rules[$0] }
  }

  /// All whose path fits, and what else of them stands in the way; for explanations.
  func obstacles(for request: OverrideRequest) -> [(rule: Rule, obstacle: String?)] {
    var found: [(Rule, String?)] = []
    tree.offer(request.path) { place in
      let rule = rules[ranked[place]]
      found.append((rule, rule.condition.obstacle(request)))
      return false
    }
    return found
  }
}
