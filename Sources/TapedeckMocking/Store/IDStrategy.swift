/// The way a store makes the ids of new entities.
public struct IDStrategy: Sendable {
  enum Kind: Sendable {
    case counter(first: Int, isPerType: Bool)
    case random(seed: UInt64?)
    case custom(@Sendable (any Any.Type, Int) -> String)
  }

  let kind: Kind

  /// `"0"`, `"1"`, … counted over all types, as in Kakapo.
  public static let shared = counter()

  /// Numbers counted over all types.
  public static func counter(from first: Int = 0) -> IDStrategy {
    IDStrategy(kind: .counter(first: first, isPerType: false))
  }

  /// Numbers counted for each type separately.
  public static func perType(from first: Int = 1) -> IDStrategy {
    IDStrategy(kind: .counter(first: first, isPerType: true))
  }

  /// Random UUIDs (RFC 9562 §5.4), in lower case; with a seed, the same ones in every run.
  public static func uuid(seed: UInt64? = nil) -> IDStrategy { IDStrategy(kind: .random(seed: seed)) }

  /// The result of `make`, given the type and how many ids the store has made. An id that is taken is skipped.
  public static func custom(_ make: @escaping @Sendable (any Any.Type, Int) -> String) -> IDStrategy {
    IDStrategy(kind: .custom(make))
  }
}

/// The ids of a store so far.
package struct IDSource: Sendable {
  let strategy: IDStrategy
  private var next: Int
  private var nextOfType: [ObjectIdentifier: Int] = [:]
  private var generator: SplitMix64
  private(set) var made = 0

  package init(_ strategy: IDStrategy) {
    self.strategy = strategy
    switch strategy.kind {
    case .counter(let first, _): (next, generator) = (first, SplitMix64(state: 0))
    case .random(let seed):
      var system = SystemRandomNumberGenerator()
      (next, generator) = (0, SplitMix64(state: seed ?? system.next()))
    case .custom: (next, generator) = (0, SplitMix64(state: 0))
    }
  }

  /// The next id; `nil` for a custom strategy, whose closure the caller runs without a lock, with the number `made`.
  package mutating func take(for type: ObjectIdentifier) -> String? {
    made += 1
    switch strategy.kind {
    case .custom: return nil
    case .random: return generator.uuid()
    case .counter(let first, let isPerType):
      if isPerType {
        let number = nextOfType[type] ?? first
        nextOfType[type] = number + 1
        return String(number)
      }
      defer { next += 1 }
      return String(next)
    }
  }

  /// Makes a counter continue after an id that was given.
  package mutating func notice(_ id: String, of type: ObjectIdentifier) {
    guard case .counter(let first, let isPerType) = strategy.kind, let number = Int(id), number < .max else {
      return
    }
    if isPerType {
      nextOfType[type] = max(nextOfType[type] ?? first, number + 1)
    } else {
      next = max(next, number + 1)
    }
  }
}

extension RandomNumberGenerator {
  /// A random UUID (RFC 9562 §5.4) in lower case.
  mutating func uuid() -> String {
    let high = (next() & ~0xF000) | 0x4000
    let low = (next() & ~(3 << 62)) | 1 << 63
    let digits = Array(
      [high, low].map { value in
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
      }.joined())
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
  }
}
