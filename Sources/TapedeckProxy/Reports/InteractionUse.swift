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
    zip(cassette.answers, cassette.uses(onExhausted: policy)).map { stored, hits in
      InteractionUse(
        file: stored.fileName, method: stored.recorded.request.method.rawValue,
        target: stored.recorded.request.targetText, status: stored.status,
        hits: hits, repeated: max(0, hits - 1), drifted: drifted[stored.fileName] ?? 0)
    }
  }
}
