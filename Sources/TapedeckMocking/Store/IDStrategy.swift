/// The way a store creates the ids of new entities.
public enum IDStrategy: Sendable {
  /// Numbers, counted across all types.
  case counter(from: Int = 0)
  /// Numbers, counted separately for each type.
  case perType(from: Int = 1)
  /// Random UUIDs (RFC 9562 §5.4) in lower case; with a seed, the same ones in every run.
  case uuid(seed: UInt64? = nil)
  /// The result of a function of the type and the number of ids made so far. Ids already in use are skipped.
  case custom(@Sendable (any Any.Type, Int) -> String)

  /// `"0"`, `"1"`, … counted across all types, as in Kakapo.
  public static let shared = counter()
}

package struct IDSource: Sendable {
  let strategy: IDStrategy
  private var next: Int
  private var nextOfType: [ObjectIdentifier: Int] = [:]
  private var generator: SplitMix64
  private(set) var made = 0

  package init(_ strategy: IDStrategy) {
    self.strategy = strategy
    switch strategy {
    case .counter(let first): (next, generator) = (first, SplitMix64(state: 0))
    case .uuid(let seed):
      var system = SystemRandomNumberGenerator()
      (next, generator) = (0, SplitMix64(state: seed ?? system.next()))
    case .perType, .custom: (next, generator) = (0, SplitMix64(state: 0))
    }
  }

  /// The next id; `nil` for a custom strategy, whose closure the caller runs on `made` without a lock.
  package mutating func take(for type: ObjectIdentifier) -> String? {
    made += 1
    switch strategy {
    case .custom: return nil
    case .uuid: return generator.uuid()
    case .perType(let first):
      let number = nextOfType[type] ?? first
      nextOfType[type] = number + 1
      return String(number)
    case .counter:
      defer { next += 1 }
      return String(next)
    }
  }

  package mutating func notice(_ id: String, of type: ObjectIdentifier) {
    guard let number = Int(id), number < .max else { return }
    switch strategy {
    case .counter: next = max(next, number + 1)
    case .perType(let first): nextOfType[type] = max(nextOfType[type] ?? first, number + 1)
    case .uuid, .custom: return
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
