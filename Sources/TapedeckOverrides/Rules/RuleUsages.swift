internal import Synchronization

/// A rule as it was declared once. The same declaration read again is another rule, whose counts begin at zero.
struct RuleIdentity: Hashable, Sendable {
  private static let last = Atomic<Int>(0)
  private let number = last.wrappingAdd(1, ordering: .relaxed).newValue
}

/// How often a session's rules have acted. Rules are shared by sessions; what differs is here, and only for rules that a
/// request was for.
final class RuleUsages: Sendable {
  private let usages = Mutex<[RuleIdentity: RuleUsage]>([:])

  func usage(of rule: some OverrideRule) -> RuleUsage {
    usages.withLock { usages in
      if let known = usages[rule.identity] { return known }
      let made = RuleUsage(rule.limits)
      usages[rule.identity] = made
      return made
    }
  }

  func counts(of rule: some OverrideRule) -> (seen: Int, used: Int, unchanged: Int) {
    usages.withLock { $0[rule.identity]?.counts } ?? (0, 0, 0)
  }

  /// Forgets rules that are gone.
  func keep(_ rules: () -> Set<RuleIdentity>) {
    usages.withLock { usages in
      guard !usages.isEmpty else { return }
      let kept = rules()
      usages = usages.filter { kept.contains($0.key) }
    }
  }

  /// All counts at zero.
  func reset() { usages.withLock { $0 = [:] } }
}
