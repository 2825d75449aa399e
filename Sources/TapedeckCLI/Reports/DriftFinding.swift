internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckProxy
internal import TapedeckRecording

/// What came of sending one request again.
struct DriftFinding {
  enum Outcome {
    case same
    case drifted([Drift])
    /// With a sentence that says why it was not sent.
    case skipped(String)
    /// With a sentence that says why there is no response.
    case failed(String)
  }

  let request: DriftRequest
  let outcome: Outcome
  /// How long the response took; nil for a request that was not sent.
  let durationMilliseconds: Double?
  /// The status of today's response.
  let status: Int?

  /// - Parameter result: nil for a request that was not sent.
  init(_ request: DriftRequest, _ result: UpstreamBatch.Result?) {
    self.request = request
    durationMilliseconds = result?.durationMilliseconds
    switch (request.plan, result?.outcome) {
    case (.skip(let reason), _): (outcome, status) = (.skipped(reason), nil)
    case (_, .response(let response)?):
      let drifts = request.drifts(in: response)
      (outcome, status) = (drifts.isEmpty ? .same : .drifted(drifts), response.head.status)
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

  var recorded: Interaction { request.interactions[0].interaction }
  var fileName: String { request.interactions[0].fileName }

  /// Explains a refusal: a secret that was recorded as a placeholder was not sent.
  var hint: String? {
    guard !request.withheld.isEmpty, let status, status == 401 || status == 403 else { return nil }
    let names = request.withheld.joined(separator: ", ")
    return "asked without its redacted \(names); give it with --header '\(request.withheld[0]): …'"
  }
}
