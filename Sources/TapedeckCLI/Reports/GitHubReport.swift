internal import Glibc
import TapedeckFormats
internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckProxy
internal import TapedeckRecording
internal import TapedeckRedaction

/// A report for GitHub Actions: annotations of the files concerned, and a summary of the step in Markdown.
///
/// Annotations are workflow commands. The runner reads them from standard output and standard error alike; they go to
/// standard error, because standard output may be data, or belong to the command of `run`. GitHub shows ten errors and
/// ten warnings of a step, so no more are written; the summary has all of them, up to a readable length.
struct GitHubReport {
  struct Annotation {
    enum Level: String, CaseIterable { case error, warning, notice }

    var level: Level
    var title: String
    var message: String
    /// Relative to the current folder; `nil` if no file is concerned.
    var file: String?
    /// Counted from 1.
    var line: Int?
  }

  var title: String
  var exitCode: ExitCode
  var counts: [(name: String, count: Int)]
  var annotations: [Annotation]

  /// Writes both. Says so where the variable that names the summary is absent.
  func publish() throws(Failure) {
    Terminal.write(commands(environment: Terminal.environment))
    guard let path = Self.summaryPath else {
      Terminal.say("there is no step summary: \(Self.summaryVariable) is not set, as it is in GitHub Actions")
      return
    }
    try OutputFile.append(Array(markdown.utf8), to: path)
  }

  /// Throws at the start of a run if the summary could not be written at its end.
  static func checkSummary() throws(Failure) {
    if let path = summaryPath { try OutputFile.append([], to: path) }
  }

  private static let summaryVariable = "GITHUB_STEP_SUMMARY"
  private static var summaryPath: String? { Terminal.environment(summaryVariable) }
}

// MARK: Annotations

extension GitHubReport {
  private static let maximumOfLevel = 10

  /// The workflow commands, one a line.
  func commands(environment: (String) -> String?) -> String {
    let listed = Annotation.Level.allCases.flatMap { level in
      annotations.filter { $0.level == level }.prefix(Self.maximumOfLevel)
    }
    return listed.map { Self.command($0, workspace: environment("GITHUB_WORKSPACE")) + "\n" }.joined()
  }

  private static func command(_ annotation: Annotation, workspace: String?) -> String {
    var properties: [String] = []
    if let file = annotation.file {
      properties.append("file=\(property(inWorkspace(file, workspace)))")
      if let line = annotation.line { properties.append("line=\(line)") }
    }
    properties.append("title=\(property(Printable.line(annotation.title)))")
    return "::\(annotation.level.rawValue) \(properties.joined(separator: ","))"
      + "::\(data(Printable.lines(annotation.message)))"
  }

  /// The path as GitHub resolves it: from the root of the checkout, wherever the step runs.
  static func inWorkspace(_ file: String, _ workspace: String?) -> String {
    guard let workspace, let root = resolved(workspace), let path = resolved(file), path.hasPrefix(root + "/")
    else { return file }
    return String(path.dropFirst(root.count + 1))
  }

  private static func resolved(_ path: String) -> String? {
    guard let pointer = realpath(path, nil) else { return nil }
    defer { free(pointer) }
    return String(cString: pointer)
  }

  /// The escapes that the runner undoes in the text of a command.
  private static func data(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }

  /// The same for a property, which a comma or colon would end.
  private static func property(_ text: String) -> String {
    data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}

// MARK: The summary of the step

extension GitHubReport {
  /// GitHub takes 1 MiB of a step; these bounds keep to a fifth of it.
  private static let maximumListed = 100
  private static let maximumCharacters = 2000

  var markdown: String {
    let result = exitCode == .good ? "good" : "failed, exit code \(exitCode.rawValue)"
    let rest = annotations.count - Self.maximumListed
    return "### \(Self.code(title)): \(result)\n\n" + table
      + annotations.prefix(Self.maximumListed).map(Self.section).joined()
      + (rest > 0 ? "… and \(rest) more\n\n" : "")
  }

  private var table: String {
    guard !counts.isEmpty else { return "" }
    func row(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |\n" }
    return row(counts.map(\.name)) + row(counts.map { _ in "---:" }) + row(counts.map { "\($0.count)" })
      + "\n"
  }

  private static func section(_ annotation: Annotation) -> String {
    let message = Printable.lines(annotation.message)
    let shown = message.count > maximumCharacters ? message.prefix(maximumCharacters) + "…" : message[...]
    let line = annotation.line.map { ":\($0)" } ?? ""
    let file = annotation.file.map { " in \(code($0 + line))" } ?? ""
    let fence = backticks(around: String(shown), atLeast: 3)
    return
      "**\(annotation.level.rawValue)** \(code(annotation.title))\(file)\n\(fence)text\n\(shown)\n\(fence)\n\n"
  }

  /// Text of others as code, in which nothing is markup (CommonMark §6.1).
  private static func code(_ text: String) -> String {
    let text = Printable.line(text)
    let ticks = backticks(around: text, atLeast: 1)
    let space = text.hasPrefix("`") || text.hasSuffix("`") ? " " : ""
    return ticks + space + text + space + ticks
  }

  /// One more than the longest run of backticks in the text.
  private static func backticks(around text: String, atLeast minimum: Int) -> String {
    let longest = text.split(whereSeparator: { $0 != "`" }).map(\.count).max() ?? 0
    return String(repeating: "`", count: max(minimum, longest + 1))
  }
}

// MARK: What is reported

extension GitHubReport {
  /// The report of a run: each failed case, each secret, and drift that no rule forbids as a warning.
  init(_ report: RunReport, verb: String) {
    let (summary, rules) = (report.summary, report.rules)
    let cassette = report.cassette
    title = "tapedeck \(verb)" + (cassette.map { " \($0)" } ?? "")
    exitCode = ExitCode(rawValue: Int32(report.exitCode))
    counts = [
      ("recorded", summary.recorded), ("replayed", summary.replayed), ("overridden", summary.overridden),
      ("passed through", summary.forwarded), ("unmatched", summary.unmatched), ("unused", summary.unused),
      ("drifted", summary.drifted), ("repeated", summary.repeated), ("failed", summary.failed),
      ("secrets", summary.secrets.count),
    ].filter { $0.1 > 0 || ["recorded", "replayed", "unmatched", "unused"].contains($0.0) }
    let cases = JUnitXML(report).cases
    let recordings = cases.dropFirst().prefix(report.uses.count)
    // Unmatched requests explain many of the unused recordings, so recordings come last.
    annotations = Self.annotations(
      cases.prefix(1) + cases.dropFirst(1 + recordings.count) + recordings, cassette)
    annotations += Self.annotations(
      summary.secrets, isAllowed: !rules.contains(.secrets), folder: report.cassette)
    annotations += report.uses.filter { $0.drifted > 0 && !rules.contains(.drift) }.map { use in
      Annotation(
        level: .warning, title: "\(use.method) \(use.target)",
        message: "\(use.drifted) of \(use.hits) requests differed where the rules ignore it",
        file: cassette.flatMap { Self.file(use.file, in: $0) })
    }
    if summary.unused > 0, !rules.contains(.unused) {
      let files = report.uses.filter { $0.hits == 0 }.map(\.file)
      annotations.append(
        Annotation(
          level: .notice, title: "Unused recordings",
          message: "\(HumanText.count(summary.unused, "recording")) not used: \(files.firstThree)"))
    }
    if let isolation = report.isolation {
      let isGood = isolation.refusal == nil && !isolation.reached.contains { $0.server == .nobody }
      annotations.append(
        Annotation(level: isGood ? .notice : .warning, title: "Isolation", message: isolation.text))
    }
  }

  /// The report of a verb that ended with an error, before it had anything else to report.
  init(_ error: String, verb: String, _ code: ExitCode) {
    title = "tapedeck \(verb)"
    exitCode = code
    counts = []
    annotations = [Annotation(level: .error, title: title, message: error)]
  }

  /// The report of `verify`: breaking drift and failures as errors, notable drift as warnings.
  init(_ report: DriftReport) {
    title = "tapedeck verify \(report.cassette)"
    exitCode = report.exitCode
    counts = report.counts
    annotations = Self.annotations(report.junit.cases, report.cassette)
    annotations += report.findings.filter { $0.drifts.first?.severity == .notable }.map { finding in
      Annotation(
        level: .warning, title: "\(finding.recorded.method) \(finding.recorded.shownTarget)",
        message: finding.drifts.map { "\($0.severity.rawValue): \($0)" }.joined(separator: "\n"),
        file: Self.file(finding.request.interactions[0].fileName, in: report.cassette))
    }
  }

  /// An error for each case that failed.
  private static func annotations(
    _ cases: some Sequence<JUnitXML.Case>, _ cassette: String?
  ) -> [Annotation] {
    cases.compactMap { item in
      switch item.outcome {
      case .failed(let message, let detail), .error(let message, let detail):
        Annotation(
          level: .error, title: item.name,
          message: [message, detail].filter { !$0.isEmpty }.joined(separator: "\n"),
          file: item.file.flatMap { name in cassette.flatMap { Self.file(name, in: $0) } })
      case .passed, .skipped: nil
      }
    }
  }

  /// - Parameter folder: that of the cassette, whose finds name their files in it; `nil` for any other files.
  static func annotations(
    _ finds: [SecretFind], isAllowed: Bool = false, folder: String? = nil
  ) -> [Annotation] {
    finds.map { find in
      Annotation(
        level: isAllowed ? .warning : .error,
        title: find.isUnsearchedBody ? "Body that was not searched" : "Secret",
        message: "\(find)", file: folder.flatMap { file(find.file, in: $0) } ?? existing(find.file),
        line: find.line)
    }
  }

  /// A file of a cassette; the cassette itself if that is a file of another tool.
  private static func file(_ name: String, in cassette: String) -> String? {
    existing("\(cassette)/\(name)") ?? existing(cassette)
  }

  private static func existing(_ path: String) -> String? {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? path : nil
  }
}
