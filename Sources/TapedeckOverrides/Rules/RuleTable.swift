internal import Synchronization
internal import TapedeckHTTP

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
  /// - Parameter declined: told of each rule before it whose path fits, and why it declined.
  func first<Result>(
    for request: OverrideRequest, declined: ((String, Decision.Reason) -> Void)?, _ takes: (Rule) -> Result?
  ) -> Result? {
    var result: Result?
    tree.offer(request.path) { place in
      let rule = rules[ranked[place]]
      guard rule.condition.accepts(request) else {
        declined?(rule.id, .unmet(rule.condition.obstacle(request) ?? ""))
        return false
      }
      result = takes(rule)
      if result == nil { declined?(rule.id, .notItsTurn) }
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

  /// Tells of each rule whose path fits but whose condition is not met what it wants.
  func tellUnmet(_ request: OverrideRequest, _ tell: (_ rule: String, _ wish: String) -> Void) {
    tree.offer(request.path) { place in
      let rule = rules[ranked[place]]
      if let wish = rule.condition.obstacle(request) { tell(rule.id, wish) }
      return false
    }
  }
}

/// A table that is made when the first request wants it.
final class LazyRuleTable<Rule: OverrideRule>: Sendable {
  private let made = Mutex<RuleTable<Rule>?>(nil)

  func table(of entries: [RuleList<Rule>.Entry]) -> RuleTable<Rule> {
    made.withLock { made in
      if let made { return made }
      let table = RuleTable(entries.map(\.rule))
      made = table
      return table
    }
  }
}
