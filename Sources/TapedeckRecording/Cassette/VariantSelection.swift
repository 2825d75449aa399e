import TapedeckHTTP

/// Which of the recorded responses belong to which variant.
enum VariantSelection {
  /// The responses to one key without those that cannot be meant: a 206 recorded for a request without `Range`, and a
  /// 304 for one without an `If-…` field. Files of other tools hold such, where the browser added the field later than
  /// it wrote the request down. Where there is nothing else they stay, since an origin may say so.
  static func fitting(_ answers: [StoredInteraction]) -> [StoredInteraction] {
    guard answers.count > 1, answers.contains(where: { $0.status == 206 || $0.status == 304 }) else {
      return answers
    }
    let variant = RequestVariant(answers[0].recorded.request.fields)
    let fitting = answers.filter { !isRead($0.recorded.request) || variant.allows(status: $0.status) }
    return fitting.isEmpty ? answers : fitting
  }

  /// The responses that are right for any variant of a request, by its plain key, where the plain variant itself was not
  /// recorded with one.
  static func substitutes(in sequences: [MatchKey: [StoredInteraction]]) -> [MatchKey: [StoredInteraction]] {
    var substitutes: [MatchKey: [StoredInteraction]] = [:]
    for (key, answers) in sequences where !key.isPlain {
      let plain = key.plain
      if sequences[plain]?.contains(where: { RequestVariant.isFull(status: $0.status) }) ?? false { continue }
      let full = answers.filter { isRead($0.recorded.request) && RequestVariant.isFull(status: $0.status) }
      if !full.isEmpty { substitutes[plain, default: []] += full }
    }
    // The order of a dictionary is another in every process.
    return substitutes.mapValues { $0.sorted { $0.fileName < $1.fileName } }
  }

  /// Whether a request only reads, so that a range or a condition may select its response.
  static func isRead(_ request: HTTPRequest) -> Bool { request.method == .get || request.method == .head }
}
