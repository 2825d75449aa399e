internal import TapedeckHTTP
internal import TapedeckRecording

/// A recording, and how often it was given in a run.
public struct InteractionUse: Sendable, Equatable {
  /// Its file in the cassette.
  public var file: String
  public var method: String
  /// Path and query.
  public var target: String
  public var status: Int
  public var hits: Int
  /// Of the hits: those beyond what was recorded.
  public var repeated: Int
  /// Of the hits: those of requests that differed where the rules ignore it.
  public var drifted: Int

  static func all(
    in cassette: Cassette, onExhausted policy: ExhaustionPolicy, drifted: [String: Int]
  ) -> [InteractionUse] {
    zip(cassette.answers, cassette.uses(onExhausted: policy)).map { answer, hits in
      InteractionUse(
        file: answer.fileName, method: answer.recorded.request.method.rawValue,
        target: answer.recorded.request.targetText, status: answer.status,
        hits: hits, repeated: max(0, hits - 1), drifted: drifted[answer.fileName] ?? 0)
    }
  }
}
