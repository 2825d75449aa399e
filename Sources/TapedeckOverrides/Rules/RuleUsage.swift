internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckMocking

/// Of the requests that a rule is for, those in which it acts: `times` (so often at most), `after` (leaving out the
/// first), `on` (the second only, or a list), `probability` with `seed`. Each session has its own (`RuleUsages`).
///
/// The seed and the number of the request decide, and nothing else, so a run can be had again.
final class RuleUsage: Sendable {
  struct Limits: Sendable, Equatable {
    var times: Int?
    var after = 0
    /// Counted from 1; nil for all.
    var on: [Int]?
    var probability = 1.0
    var seed: UInt64 = 0

    /// - Parameter probability: the name it has in this kind of rule.
    init(_ reader: inout RuleReader, probability name: String = "probability") throws(OverrideProblem) {
      times = try reader.int("times", in: 1...Int.max)
      after = try reader.int("after", in: 0...Int.max) ?? 0
      on = try Self.turns(&reader)
      probability = try reader.number(name, in: 0...1) ?? 1
      seed = UInt64(try reader.int("seed", in: 0...Int.max) ?? 0)
    }

    private static func turns(_ reader: inout RuleReader) throws(OverrideProblem) -> [Int]? {
      guard let value = reader.value("on") else { return nil }
      let items = value.array ?? [value]
      let numbers = items.compactMap(\.int)
      guard !items.isEmpty, numbers.count == items.count, numbers.allSatisfy({ $0 > 0 }) else {
        throw reader.problem("on", "must be a number from 1, or a list of them: which of its requests")
      }
      return numbers
    }
  }

  /// Whether a rule acts in a request.
  enum Claim: Equatable {
    /// - Parameters:
    ///   - turn: which of the requests that it was for this is, from 1.
    ///   - use: which of those in which it acts.
    case granted(turn: Int, use: Int)
    /// In words, like `its 2 times are used up`.
    case denied(String)
  }

  let limits: Limits
  private let seen = Atomic<Int>(0)
  private let used = Atomic<Int>(0)
  private let unchanged = Atomic<Int>(0)

  init(_ limits: Limits) { self.limits = limits }

  /// How many requests it was for, in how many of them it acted, and in how many of those it changed nothing.
  var counts: (seen: Int, used: Int, unchanged: Int) {
    (seen.load(ordering: .relaxed), used.load(ordering: .relaxed), unchanged.load(ordering: .relaxed))
  }

  /// Counts a request in which a patch acted and found nothing that it could change.
  func countUnchanged() { unchanged.wrappingAdd(1, ordering: .relaxed) }

  /// Counts a request that the rule is for.
  func claim() -> Claim {
    let turn = seen.wrappingAdd(1, ordering: .relaxed).newValue
    if let on = limits.on, !on.contains(turn) { return .denied("this is request \(turn), it is for \(on)") }
    if turn <= limits.after { return .denied("it begins after \(limits.after) requests") }
    if limits.probability < 1, draw(turn) >= limits.probability {
      return .denied("the dice of seed \(limits.seed) said no to request \(turn)")
    }
    let use = used.wrappingAdd(1, ordering: .relaxed).newValue
    guard let times = limits.times, use > times else { return .granted(turn: turn, use: use) }
    used.wrappingSubtract(1, ordering: .relaxed)
    return .denied("its \(times) times are used up")
  }

  /// From 0 up to 1, the same for a seed and a number in every run.
  private func draw(_ turn: Int) -> Double {
    var generator = limits.generator(turn)
    return Double.random(in: 0..<1, using: &generator)
  }
}

extension RuleUsage.Limits {
  /// Random numbers of a request's own, for whatever else of a rule is left to chance.
  func generator(_ turn: Int) -> SplitMix64 {
    var mixer = SplitMix64(state: seed)
    return SplitMix64(state: mixer.next() ^ UInt64(truncatingIfNeeded: turn) &* 0x9E37_79B9_7F4A_7C15)
  }

  /// The same without the number that the dice had, which says something about all that are granted.
  func generator(beyondDiceOf turn: Int) -> SplitMix64 {
    var generator = generator(turn)
    _ = generator.next()
    return generator
  }
}
