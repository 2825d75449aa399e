public import TapedeckHTTP

/// Misses of one kind: requests that nothing answered and that ask for the same thing.
public struct MissGroup: CountedGroup, Sendable, Equatable {
  /// The first of them.
  public var miss: Miss
  public var count: Int
}

extension GroupLedger<MissGroup> {
  /// Whether it is the first of its group, and so worth telling.
  func add(_ miss: Miss) -> Bool { add([miss.sort]) { MissGroup(miss: miss, count: 1) } }
}
