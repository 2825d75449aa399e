internal import TapedeckHTTP
internal import TapedeckMocking

/// How long a rule makes a client wait: `0.5` seconds, or a time out of a range, `{"min": 0.1, "max": 0.5}`.
struct RuleDelay: Sendable, Equatable {
  let seconds: ClosedRange<Double>

  private static let limit = 0...86_400.0

  /// Nil where the member is missing.
  static func read(_ reader: inout RuleReader, _ name: String) throws(OverrideProblem) -> RuleDelay? {
    guard let value = reader.value(name) else { return nil }
    if let seconds = value.double, limit.contains(seconds) { return RuleDelay(seconds: seconds...seconds) }
    guard value.members != nil, var range = try reader.object(name) else {
      throw reader.problem(
        name, #"must be seconds from 0 to 86400, like 0.5, or a range of them: {"min": 0.1, "max": 0.5}"#)
    }
    let least = try range.number("min", in: limit)
    let most = try range.number("max", in: limit)
    try range.finish()
    guard let least, let most, least <= most else {
      throw reader.problem(name, "needs min and max, in this order")
    }
    return RuleDelay(seconds: least...most)
  }

  /// A time of the range.
  func nanoseconds(using generator: inout SplitMix64) -> Int64 {
    let time =
      seconds.lowerBound == seconds.upperBound
      ? seconds.lowerBound : Double.random(in: seconds, using: &generator)
    return Int64(time * 1e9)
  }
}
