internal import TapedeckHTTP
internal import TapedeckProxy
import TapedeckRecording
import TapedeckRedaction

/// What a run came to as test results: the run itself, a case a recording, a case a kind of unmatched request.
enum RunJUnit {
  static func xml(_ report: RunReport) -> JUnitXML {
    let suite = report.cassette ?? "tapedeck"
    var cases = [JUnitXML.Case(group: suite, name: "run", outcome: run(report))]
    cases += report.uses.map { use in
      JUnitXML.Case(
        group: suite, name: "\(use.method) \(use.target) (\(use.file))", outcome: outcome(use, report))
    }
    cases += report.summary.unmatchedRequests.map { request in
      JUnitXML.Case(
        group: "\(suite) unmatched", name: "\(request.miss.method) \(request.miss.target)",
        outcome: unmatched(request))
    }
    cases += report.summary.failures.map { exchange in
      JUnitXML.Case(
        group: "\(suite) failed", name: "\(exchange.method) \(exchange.target)",
        outcome: .error(
          message: exchange.failure.detail + (exchange.count > 1 ? " (\(exchange.count) times)" : ""),
          detail: exchange.failure.cause))
    }
    if report.summary.otherFailures > 0 {
      let message = "\(report.summary.otherFailures) other exchanges with the origin failed"
      cases.append(
        JUnitXML.Case(group: "\(suite) failed", name: "others", outcome: .error(message: message, detail: ""))
      )
    }
    if report.summary.otherUnmatched > 0 {
      let message = "\(report.summary.otherUnmatched) other requests were unmatched"
      cases.append(
        JUnitXML.Case(
          group: "\(suite) unmatched", name: "others", outcome: .failed(message: message, detail: "")))
    }
    return JUnitXML(suite: suite, cases: cases)
  }

  private static func run(_ report: RunReport) -> JUnitXML.Outcome {
    if let failure = report.summary.recordingFailure {
      return .error(message: "the recording is not complete", detail: failure)
    }
    if let problem = report.summary.emptyRecording(report.mode) {
      return .error(message: problem, detail: "")
    }
    return secrets(report)
  }

  private static func secrets(_ report: RunReport) -> JUnitXML.Outcome {
    let finds = report.summary.secrets
    guard report.rules.contains(.secrets), !finds.isEmpty else { return .passed }
    return .failed(
      message: "nothing was sealed: \(SecretAdvice.count(finds)) in what was recorded",
      detail: finds.map(\.description).joined(separator: "\n"))
  }

  /// A recording fails by the rules that the user gave.
  private static func outcome(_ use: InteractionUse, _ report: RunReport) -> JUnitXML.Outcome {
    if use.hits == 0 {
      let message = "no request asked for this recording"
      return report.rules.contains(.unused)
        ? .failed(message: message, detail: "") : .skipped(message: message)
    }
    if use.drifted > 0, report.rules.contains(.drift) {
      let places = report.summary.driftedFields.map { field in
        "\(field.field): \(field.recorded ?? "(absent)") → \(field.received ?? "(absent)")"
      }
      return .failed(
        message: "\(use.drifted) of \(use.hits) requests differed where the rules ignore it",
        detail: places.joined(separator: "\n"))
    }
    if use.repeated > 0, report.rules.contains(.repeat) {
      return .failed(message: "given \(use.hits) times, recorded once", detail: "")
    }
    return .passed
  }

  private static func unmatched(_ request: MissGroup) -> JUnitXML.Outcome {
    let near = request.miss.nearest.map { nearest in
      (["nearest: \(nearest.file) (\(nearest.request))"] + nearest.differences.map { "  \($0)" })
        .joined(separator: "\n")
    }
    let fixes = request.miss.fixes.map { "\($0.because):\n  \($0.command)" }
    let times = request.count > 1 ? " (\(request.count) times)" : ""
    return .failed(
      message: request.miss.detail + times,
      detail: (near + fixes + ["again: \(request.miss.curl)"]).joined(separator: "\n"))
  }
}
