internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckMocking

/// Limits a rule to some of the requests that it matches: `times` (at most so many), `after` (all but the first so many),
/// `on` (only the requests with these numbers), and `probability` with `seed`.
///
/// The result depends only on the seed and the number of the request, so that runs are repeatable.
struct RuleLimits: Sendable {
  var times: Int?
  private let after: Int
  /// Numbers of requests, from 1; `nil` for all.
  private let on: [Int]?
  private let probability: Double
  private let seed: UInt64

  /// - Parameter probability: the name of this member in the kind of rule.
  init(_ reader: inout RuleReader, probability name: String) throws(OverrideProblem) {
    times = try reader.int("times", in: 1...Int.max)
    after = try reader.int("after", in: 0...Int.max) ?? 0
    on = try Self.turns("on", of: "a request", &reader)
    probability = try reader.number(name, in: 0...1) ?? 1
    seed = UInt64(try reader.int("seed", in: 0...Int.max) ?? 0)
  }

  /// Reads a number or a list of numbers.
  static func turns(
    _ name: String, of what: String, _ reader: inout RuleReader
  ) throws(OverrideProblem) -> [Int]? {
    guard let value = reader.value(name) else { return nil }
    let items = value.array ?? [value]
    let numbers = items.compactMap(\.int)
    guard !items.isEmpty, numbers.count == items.count, numbers.allSatisfy({ $0 > 0 }) else {
      throw reader.problem(name, "must be the number of \(what), from 1, or a list of such numbers")
    }
    return numbers
  }

  /// Whether the rule acts on a request, regardless of `times`.
  fileprivate func allows(_ turn: Int) -> Bool {
    if on?.contains(turn) == false || turn <= after { return false }
    if probability == 1 { return true }
    var generator = generator(turn)
    return Double.random(in: 0..<1, using: &generator) < probability
  }

  private func generator(_ turn: Int) -> SplitMix64 {
    var mixer = SplitMix64(state: seed)
    return SplitMix64(state: mixer.next() ^ UInt64(truncatingIfNeeded: turn) &* 0x9E37_79B9_7F4A_7C15)
  }

  /// The random numbers of one request, without the first one, which `probability` uses: that is low in each request on
  /// which the rule acts.
  func generator(beyondDiceOf turn: Int) -> SplitMix64 {
    var generator = generator(turn)
    _ = generator.next()
    return generator
  }
}

/// Counts the requests that a rule matched, those on which it acted, and those of them in which it changed nothing.
struct RuleUsage {
  private(set) var seen = 0
  private(set) var used = 0
  fileprivate(set) var unchanged = 0

  /// Counts a request that the rule matches.
  /// - Returns: the request's number among those matched and among those acted on, both from 1; `nil` if the rule does
  ///   not act on it.
  mutating func claim(_ limits: RuleLimits) -> (turn: Int, use: Int)? {
    seen += 1
    guard limits.allows(seen), used < limits.times ?? .max else { return nil }
    used += 1
    return (seen, used)
  }
}

private let lastIdentity = Atomic<Int>(0)

/// A number that no rule has had before.
func newRuleIdentity() -> Int { lastIdentity.wrappingAdd(1, ordering: .relaxed).newValue }

/// The usage counts of a session's rules.
final class RuleUsages<Effect: RuleEffect>: RuleState {
  private let usages = Mutex<[Int: RuleUsage]>([:])

  init(_ table: RuleTable<RequestRule<Effect>>) {}

  /// Counts a request that the rule matches; see `RuleUsage.claim`.
  func claim(_ rule: RequestRule<Effect>) -> (turn: Int, use: Int)? {
    usages.withLock { $0[rule.identity, default: RuleUsage()].claim(rule.limits) }
  }

  /// Counts a request in which a patch acted and found nothing that it could change.
  func countUnchanged(_ rule: RequestRule<Effect>) {
    usages.withLock { $0[rule.identity]?.unchanged += 1 }
  }

  func counts(of rule: RequestRule<Effect>) -> RuleUsage {
    usages.withLock { $0[rule.identity] ?? RuleUsage() }
  }

  func take(_ table: RuleTable<RequestRule<Effect>>, restarting id: String?) {
    usages.withLock { usages in
      guard !usages.isEmpty else { return }
      let kept = Set(table.entries.map(\.rule.identity))
      usages = usages.filter { kept.contains($0.key) }
    }
  }

  func reset() { usages.withLock { $0 = [:] } }
}
