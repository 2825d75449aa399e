internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckProxy
internal import TapedeckRecording

/// What came of asking one request again.
struct DriftFinding {
  enum Outcome {
    case same
    case drifted([Drift])
    /// A sentence says why it was not asked.
    case skipped(String)
    /// A sentence says why nothing came.
    case failed(String)
  }

  let question: DriftQuestion
  let outcome: Outcome
  /// How long asking took; nil for what was not asked.
  let durationMilliseconds: Double?
  /// The status that came.
  let status: Int?

  /// - Parameter result: nil for what was not asked.
  init(_ question: DriftQuestion, _ result: UpstreamBatch.Result?) {
    self.question = question
    durationMilliseconds = result?.durationMilliseconds
    switch (question.plan, result?.outcome) {
    case (.skip(let reason), _): (outcome, status) = (.skipped(reason), nil)
    case (_, .response(let answer)?):
      let drifts = question.drifts(in: answer)
      (outcome, status) = (drifts.isEmpty ? .same : .drifted(drifts), answer.head.status)
    case (_, .failed(let reason)?): (outcome, status) = (.failed(reason), nil)
    case (_, nil): (outcome, status) = (.skipped("it was not asked"), nil)
    }
  }

  var drifts: [Drift] {
    guard case .drifted(let drifts) = outcome else { return [] }
    return drifts.enumerated().sorted {
      $0.element.severity == $1.element.severity
        ? $0.offset < $1.offset : $0.element.severity > $1.element.severity
    }.map(\.element)
  }

  var answer: StoredInteraction { question.answers[0] }

  /// What explains a refusal better than its status: a secret that was recorded as a placeholder was not sent.
  var hint: String? {
    guard !question.withheld.isEmpty, let status, status == 401 || status == 403 else { return nil }
    let names = question.withheld.joined(separator: ", ")
    return "asked without its redacted \(names); give it with --header '\(question.withheld[0]): …'"
  }
}
