internal import TapedeckHTTP
internal import TapedeckProxy
import TapedeckRecording
import TapedeckRedaction

/// Test results in the XML that CI servers read: one suite of cases.
struct JUnitXML {
  enum Outcome: Equatable {
    case passed
    case failed(message: String, detail: String)
    /// It could not be run.
    case error(message: String, detail: String)
    case skipped(message: String)

    /// The name of the XML element; `nil` for a case that passed.
    fileprivate var element: String? {
      switch self {
      case .passed: nil
      case .failed: "failure"
      case .error: "error"
      case .skipped: "skipped"
      }
    }
  }

  struct Case {
    /// The class name, by which servers group cases.
    var group: String
    var name: String
    /// `nil` if it was not measured.
    var seconds: Double?
    var outcome = Outcome.passed
    /// The file of the cassette that it is about, for reports that can show it.
    var file: String?
    /// What is said of it whatever the outcome; empty for nothing.
    var output = ""
  }

  var suite: String
  var cases: [Case]

  var text: String {
    func count(_ element: String) -> Int { cases.count { $0.outcome.element == element } }
    let counts =
      #"tests="\#(cases.count)" failures="\#(count("failure"))" errors="\#(count("error"))" skipped="\#(count("skipped"))""#
    let times = cases.compactMap(\.seconds)
    let time = Self.time(times.isEmpty ? nil : times.reduce(0, +))
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites \(counts)\(time)>
        <testsuite name="\(Self.escaped(suite))" \(counts)\(time)>
      \(cases.map(Self.text).joined())  </testsuite>
      </testsuites>

      """
  }

  private static func text(_ item: Case) -> String {
    let head =
      #"    <testcase classname="\#(escaped(item.group))" name="\#(escaped(item.name))""#
      + time(item.seconds)
    var inner: [String] = []
    if let element = item.outcome.element {
      switch item.outcome {
      case .failed(let message, let detail), .error(let message, let detail):
        inner.append(
          #"<\#(element) message="\#(escaped(message))">\#(escaped(detail))</\#(element)>"#)
      case .skipped(let message): inner.append(#"<\#(element) message="\#(escaped(message))"/>"#)
      case .passed: break
      }
    }
    if !item.output.isEmpty { inner.append("<system-out>\(escaped(item.output))</system-out>") }
    guard !inner.isEmpty else { return head + "/>\n" }
    return head + ">\n\(inner.map { "      \($0)\n" }.joined())    </testcase>\n"
  }

  /// The attribute, with three decimals.
  private static func time(_ value: Double?) -> String {
    guard let value else { return "" }
    let thousandths = Int((value * 1000).rounded())
    return #" time="\#(thousandths / 1000).\#(String(thousandths % 1000 + 1000).dropFirst())""#
  }

  /// XML 1.0 §2.2, §2.4: markup as entities, line ends as references, and U+FFFD for forbidden characters.
  static func escaped(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: out.append(contentsOf: "&amp;".unicodeScalars)
      case 0x3C: out.append(contentsOf: "&lt;".unicodeScalars)
      case 0x3E: out.append(contentsOf: "&gt;".unicodeScalars)
      case 0x22: out.append(contentsOf: "&quot;".unicodeScalars)
      case 0x09, 0x0A, 0x0D: out.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
      case 0..<0x20, 0x7F...0x9F, 0xFFFE, 0xFFFF: out.append("\u{FFFD}")
      default: out.append(scalar)
      }
    }
    return String(out)
  }
}

// MARK: The report of a run

extension JUnitXML {
  /// A case for the run itself, for each recording, for each kind of unmatched or failed request, and for isolation.
  init(_ report: RunReport) {
    let (summary, suite) = (report.summary, report.cassette ?? "tapedeck")
    var cases = [Case(group: suite, name: "run", outcome: Self.run(report))]
    func add(_ name: String, _ outcome: Outcome, to group: String = "", file: String? = nil) {
      cases.append(Case(group: suite + group, name: name, outcome: outcome, file: file))
    }
    for use in report.uses {
      add("\(use.method) \(use.target) (\(use.file))", Self.outcome(use, report), file: use.file)
    }
    for request in summary.unmatchedRequests {
      add(
        "\(request.miss.method) \(request.miss.target)", Self.unmatched(request), to: " unmatched",
        file: request.miss.nearest.first?.file)
    }
    for exchange in summary.failures {
      let message = exchange.failure.detail + Self.times(exchange.count)
      add(
        "\(exchange.method) \(exchange.target)",
        .error(message: message, detail: exchange.failure.cause), to: " failed")
    }
    if summary.otherFailures > 0 {
      let message = "\(summary.otherFailures) other exchanges with the origin failed"
      add("others", .error(message: message, detail: ""), to: " failed")
    }
    if summary.otherUnmatched > 0 {
      let message = "\(summary.otherUnmatched) other requests were unmatched"
      add("others", .failed(message: message, detail: ""), to: " unmatched")
    }
    if let isolation = report.isolation { cases.append(Self.isolation(isolation, of: suite)) }
    (self.suite, self.cases) = (suite, cases)
  }

  private static func isolation(_ isolation: IsolationReport, of suite: String) -> Case {
    Case(
      group: suite, name: "isolation",
      outcome: isolation.refusal == nil ? .passed : .skipped(message: isolation.text),
      output: isolation.refusal == nil ? isolation.text : "")
  }

  private static func times(_ count: Int) -> String { count > 1 ? " (\(count) times)" : "" }

  private static func run(_ report: RunReport) -> Outcome {
    if let failure = report.summary.recordingFailure {
      return .error(message: "the recording is not complete", detail: failure)
    }
    if let problem = report.summary.emptyRecording(report.mode) {
      return .error(message: problem, detail: "")
    }
    let finds = report.summary.secrets
    guard report.rules.contains(.secrets), !finds.isEmpty else { return .passed }
    return .failed(
      message: "nothing was sealed: \(SecretAdvice.count(finds)) in what was recorded",
      detail: finds.map(\.description).joined(separator: "\n"))
  }

  /// The outcome of a recording, by the rules that the user gave.
  private static func outcome(_ use: InteractionUse, _ report: RunReport) -> Outcome {
    if use.hits == 0 {
      let message = "no request used this recording"
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
      return .failed(message: "served \(use.hits) times, recorded once", detail: "")
    }
    return .passed
  }

  private static func unmatched(_ request: MissGroup) -> Outcome {
    let near = request.miss.nearest.map { nearest in
      (["nearest: \(nearest.file) (\(nearest.request))"] + nearest.differences.map { "  \($0)" })
        .joined(separator: "\n")
    }
    let fixes = request.miss.fixes.map { "\($0.because):\n  \($0.command)" }
    return .failed(
      message: request.miss.detail + times(request.count),
      detail: (near + fixes + ["again: \(request.miss.curl)"]).joined(separator: "\n"))
  }
}
