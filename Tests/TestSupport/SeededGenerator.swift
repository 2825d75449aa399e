/// A small generator of the same numbers every time (SplitMix64), so that a failure can be had again.
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  public init(_ seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// A number from 0 up to, not including, `bound`.
  public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// Changes, removes, inserts or repeats bytes in one place: what a broken peer or disk would do.
  public mutating func mutate(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    let place = below(bytes.count)
    switch below(5) {
    case 0: bytes[place] = UInt8(truncatingIfNeeded: next())
    case 1: bytes.remove(at: place)
    case 2: bytes.insert([0, 9, 10, 13, 32, 44, 58, 59, 128, 255][below(10)], at: place)
    case 3: bytes.insert(bytes[below(bytes.count)], at: place)
    default: bytes.append(contentsOf: bytes[place...].prefix(8))
    }
  }
}
