/// The delay of a response: a time, or a range from which a time is drawn for each response.
public struct Latency: Sendable, Equatable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  /// The shortest and the longest time in seconds.
  public var seconds: ClosedRange<Double>

  /// Clamps to the range from 0 seconds to one day.
  private init(from lower: Double, to upper: Double) {
    let start = lower.isNaN ? 0 : min(max(0, lower), 86_400)
    seconds = start...max(start, upper.isNaN ? start : min(upper, 86_400))
  }

  public init(floatLiteral seconds: Double) { self.init(from: seconds, to: seconds) }

  public init(integerLiteral seconds: Int) { self.init(from: Double(seconds), to: Double(seconds)) }

  /// No latency.
  public static let zero: Latency = 0

  /// A latency in seconds, at most a day.
  public static func seconds(_ seconds: Double) -> Latency { Latency(from: seconds, to: seconds) }

  /// A latency in milliseconds, at most a day.
  public static func milliseconds(_ milliseconds: Double) -> Latency { .seconds(milliseconds / 1000) }

  /// A latency between two times in seconds.
  public static func range(_ seconds: ClosedRange<Double>) -> Latency {
    Latency(from: seconds.lowerBound, to: seconds.upperBound)
  }

  /// Whether every response is immediate.
  public var isZero: Bool { seconds.upperBound == 0 }

  func nanoseconds(using generator: inout some RandomNumberGenerator) -> Int64 {
    let time =
      seconds.lowerBound == seconds.upperBound
      ? seconds.lowerBound : Double.random(in: seconds, using: &generator)
    return Int64(time * 1_000_000_000)
  }
}

/// Random numbers that are the same in every run (Steele, Lea and Flood, 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  package var state: UInt64

  package init(state: UInt64) { self.state = state }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
