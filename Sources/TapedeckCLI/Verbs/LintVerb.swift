internal import Glibc
internal import TapedeckHTTP
import TapedeckMaintenance
import TapedeckOverrides
internal import TapedeckProxy
internal import TapedeckRecording

extension Option {
  static let fix = Option(name: "--fix", help: "put right what can be put right safely")
}

extension Verb {
  static let lint = Verb(
    name: "lint", group: .cassettes,
    summary: "find what is wrong or smells in cassettes, HAR and overrides files",
    synopsis: "[CASSETTE|FILE…] [--fix] [--json]", options: [.fix, .json],
    examples: ["tapedeck lint", "tapedeck lint example --fix", "tapedeck lint down.json"],
    notes: """
      Without a name it looks through all of Cassettes/. Errors exit with 4; warnings and remarks do not. --fix renames
      and renumbers files, removes bodies that nobody needs, and seals what a crash left in a journal.

      Of a HAR it tells what readers stricter than ours would stumble over, and of every file of another tool what a
      cassette made of it would lack. Of an overrides file it tells what is wrong with each rule, and on which line. Such
      files are never changed.
      """,
    run: LintVerb.run)
}

enum LintVerb {
  private struct Result {
    var path: String
    var findings: [LintFinding]
    var count: Int
    /// What is counted.
    var unit = "interaction"
    /// Whether it is one file, so that findings name places in it.
    var isFile: Bool

    init(_ path: String) throws {
      self.path = path
      isFile = FileLint.isFile(path)
      if isFile, let check = try OverridesLint.check(path) {
        unit = "rule"
        count = check.ruleCount
        findings = check.problems.map {
          LintFinding(.error, .overrides, "\($0.line):\($0.column)", $0.text)
        }
      } else if isFile {
        let lint = try FileLint(path)
        (findings, count) = (lint.findings, lint.interactionCount)
      } else {
        let lint = try CassetteLint(path, now: time(nil) * 1000)
        (findings, count) = (lint.findings, lint.interactionCount)
      }
    }

    func place(of finding: LintFinding) -> String {
      if finding.rule == .overrides { return "\(path):\(finding.file)" }
      return finding.file.isEmpty ? path : isFile ? "\(path): \(finding.file)" : "\(path)/\(finding.file)"
    }
  }

  static func run(_ arguments: Arguments) throws -> ExitCode {
    let paths = try paths(arguments.positional)
    guard !paths.isEmpty else {
      throw Failure("there are no cassettes in \(CassettePath.folder)/; name one, or record one first")
    }
    if arguments.has(.fix) {
      for path in try fixable(paths, areNamed: !arguments.positional.isEmpty) { try fix(path) }
    }
    let progress = Progress("linting", total: paths.count)
    let results = try paths.map { path in
      defer { progress.advance(by: 1, path) }
      return try Result(path)
    }
    progress.finish()
    if arguments.has(.json) {
      Terminal.out(json: JSONValue.array(results.map(json)))
    } else {
      Terminal.out(results.map { text($0, .output) }.joined())
    }
    return results.contains { $0.findings.contains { $0.severity == .error } } ? .strictness : .good
  }

  private static func paths(_ names: [String]) throws -> [String] {
    guard names.isEmpty else { return try names.map { try CassettePath.resolve($0) } }
    return try CassetteSummary.all(in: CassettePath.folder).map { "\(CassettePath.folder)/\($0.name)" }
  }

  /// A file of another tool that stands among the cassettes stays as it is; one that is named cannot be put right.
  private static func fixable(_ paths: [String], areNamed: Bool) throws -> [String] {
    if areNamed, let file = paths.first(where: FileLint.isFile) {
      guard try OverridesLint.check(file) == nil else {
        throw UsageError("--fix is for cassettes, and \(file) is an overrides file")
      }
      throw CassetteError.notOurs(path: file)
    }
    return paths.filter { !FileLint.isFile($0) }
  }

  private static func fix(_ path: String) throws {
    let fix = try LintFix(path)
    if fix.recoveredCount > 0 {
      Terminal.out(
        "\(path): sealed \(HumanText.count(fix.recoveredCount, "interaction")) of a left-over journal\n")
    }
    for rename in fix.renamed {
      Terminal.out("\(path): renamed \(Printable.line(rename.old)) to \(Printable.line(rename.new))\n")
    }
    if fix.removedBodies > 0 {
      Terminal.out(
        "\(path): removed \(HumanText.count(fix.removedBodies, "body", "bodies")) that nobody needs\n")
    }
  }

  private static func text(_ result: Result, _ style: Style) -> String {
    let lines = result.findings.map { finding in
      let place = result.place(of: finding)
      let mark = style.paint(finding.severity.rawValue, color(finding.severity))
      // What cannot be read is told with its place.
      let text = finding.text.hasPrefix(place) ? finding.text : "\(place): \(finding.text)"
      let hint = finding.isFixable ? style.paint(" (--fix does that)", .dim) : ""
      return "\(mark): \(Printable.line(text)) [\(finding.rule.rawValue)]\(hint)\n"
    }
    let counts = LintFinding.Severity.allCases.map { severity in
      HumanText.count(result.findings.count { $0.severity == severity }, name(severity))
    }
    return lines.joined()
      + "\(result.path): \(HumanText.count(result.count, result.unit)), \(counts.joined(separator: ", "))\n"
  }

  private static func name(_ severity: LintFinding.Severity) -> String {
    severity == .info ? "remark" : severity.rawValue
  }

  private static func color(_ severity: LintFinding.Severity) -> Style.Color {
    switch severity {
    case .error: .red
    case .warning: .yellow
    case .info: .cyan
    }
  }

  private static func json(_ result: Result) -> JSONValue {
    [
      "cassette": JSONValue(result.path),
      .init("\(result.unit)s"): JSONValue(result.count),
      "findings": .array(
        result.findings.map { finding in
          [
            "severity": JSONValue(finding.severity.rawValue),
            "rule": JSONValue(finding.rule.rawValue),
            "file": JSONValue(finding.file),
            "text": JSONValue(finding.text),
            "fixable": .bool(finding.isFixable),
          ]
        }),
    ]
  }
}
