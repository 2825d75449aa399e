internal import TapedeckHTTP
internal import TapedeckMocking

/// A delay in seconds: `0.5`, or a random time from a range, `{"min": 0.1, "max": 0.5}`.
struct RuleDelay: Sendable, Equatable {
  private let seconds: ClosedRange<Double>

  init(_ value: JSONValue, at place: String) throws(OverrideProblem) {
    let limit = 0...86_400.0
    if let seconds = value.double, limit.contains(seconds) {
      self.seconds = seconds...seconds
      return
    }
    guard value.members != nil else {
      throw OverrideProblem(
        place, #"must be seconds from 0 to 86400, like 0.5, or a range of them: {"min": 0.1, "max": 0.5}"#)
    }
    var range = try RuleReader(value, at: place)
    let least = try range.number("min", in: limit)
    let most = try range.number("max", in: limit)
    try range.finish()
    guard let least, let most, least <= most else {
      throw OverrideProblem(place, "needs min and max, in this order")
    }
    seconds = least...most
  }

  /// A random time from the range.
  func nanoseconds(using generator: inout SplitMix64) -> Int64 {
    let time =
      seconds.lowerBound == seconds.upperBound
      ? seconds.lowerBound : Double.random(in: seconds, using: &generator)
    return Int64(time * 1e9)
  }
}
