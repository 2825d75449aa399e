import TapedeckHTTP
import TapedeckRecording

/// When an exchange was and how long it took, in whole milliseconds: integers are numbers, and some readers take
/// nothing else.
struct HARTimes {
  let started: String
  let total: Int
  private let wait: Int

  /// The first day of the year 0, the earliest that four digits can tell.
  private static let earliest = -62_167_219_200_000

  init(_ facts: VolatileFacts) {
    total = Int((facts.durationMilliseconds ?? 0).rounded())
    wait = min(
      total, Int((facts.chunkOffsetsMilliseconds?.first ?? facts.durationMilliseconds ?? 0).rounded()))
    started = Timestamp.text(milliseconds: max((facts.recordedAtMilliseconds ?? 0) - total, Self.earliest))
  }

  var timings: JSONValue { ["send": 0, "wait": JSONValue(wait), "receive": JSONValue(total - wait)] }
}
