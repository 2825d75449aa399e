internal import TapedeckHTTP

/// The rules at one moment, by path.
final class RuleIndex<Effect: RuleEffect>: Sendable {
  typealias Rule = RequestRule<Effect>

  /// In the order they were declared.
  private let rules: [Rule]
  /// The indices of the rules, the most specific first.
  private let ranked: [Int]
  private let tree: PathTree

  init(_ rules: [Rule]) {
    self.rules = rules
    // Among rules for one path, those with more conditions come first, then those declared later.
    ranked = rules.indices.sorted { left, right in
      let (mine, theirs) = (rules[left].condition.whenCount, rules[right].condition.whenCount)
      return mine == theirs ? left > right : mine > theirs
    }
    tree = PathTree(ranked.map { rules[$0].condition.path.segments })
  }

  /// The quick check: whether a rule may match the request's path. It does not allocate, and most requests need no more.
  func concerns(_ request: HTTPRequest) -> Bool { tree.mayFit(target: request.target) }

  /// Offers the rules with a matching path, the most specific first, until one is taken.
  func offer(_ request: OverrideRequest, _ takes: (Rule) -> Bool) {
    tree.offer(request.path) { takes(rules[ranked[$0]]) }
  }

  /// Whether a rule may need the body of an upload: to know whether it acts, or, for a route, to respond.
  func needsBody(of request: HTTPRequest) -> Bool {
    guard concerns(request) else { return false }
    let request = OverrideRequest(request)
    var needsBody = false
    tree.offer(request.path) { place in
      let condition = rules[ranked[place]].condition
      needsBody = (Effect.kind == .routes || condition.readsBody) && condition.acceptsHead(request)
      return needsBody
    }
    return needsBody
  }

  /// All rules that match the request, in the order they were declared.
  /// - Parameter unmet: called with each rule whose path matches but whose condition is not met, and that condition.
  func all(for request: OverrideRequest, unmet: ((Rule, String) -> Void)?) -> [Rule] {
    var found: [Int] = []
    tree.offer(request.path) { place in
      let rule = rules[ranked[place]]
      if rule.condition.accepts(request) {
        found.append(ranked[place])
      } else if let unmet {
        unmet(rule, rule.condition.obstacle(request) ?? "")
      }
      return false
    }
    return found.sorted().map { rules[$0] }
  }
}
