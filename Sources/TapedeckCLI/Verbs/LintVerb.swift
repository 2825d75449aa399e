internal import Glibc
internal import TapedeckHTTP
import TapedeckMaintenance
import TapedeckOverrides
internal import TapedeckProxy
internal import TapedeckRecording

extension Option {
  static let fix = Option("--fix", help: "fix what can be fixed safely")
}

extension Verb {
  static let lint = Verb(
    name: "lint", group: .cassettes,
    summary: "check cassettes, HAR and overrides files for mistakes",
    synopsis: "[CASSETTE|FILE…] [--fix] [--json]", options: [.fix, .json] + Option.store,
    examples: ["tapedeck lint", "tapedeck lint example --fix", "tapedeck lint down.json"],
    notes: """
      Without a name, checks all of Cassettes/. Exits with 4 if there are errors, but not for warnings or remarks. --fix
      renames and renumbers files, removes bodies that are not needed, and seals the journal that a crash left.

      In a HAR file, it also finds what stricter readers would reject, and in any file of another tool, what an import
      would lose. In an overrides file, it finds the first problem of each rule, with its line. Such files are never
      changed.
      """
  ) { arguments in
    let names = arguments.positional
    let paths =
      names.isEmpty
      ? try CassetteSummary.all(in: CassettePath.folder).map { "\(CassettePath.folder)/\($0.name)" }
      : try names.map(arguments.has(.fix) ? CassettePath.resolve : CassettePath.readable)
    guard !paths.isEmpty else {
      throw Failure("there are no cassettes in \(CassettePath.folder)/; name one, or record one first")
    }
    if arguments.has(.fix) {
      if !names.isEmpty { try refuseFiles(paths) }
      for path in paths where !ForeignFile.isThere(path) { try fix(path) }
    }
    let progress = Progress("linting", total: paths.count)
    let results = try paths.map { path in
      defer { progress.advance(by: 1, path) }
      return try LintResult(path)
    }
    progress.finish()
    arguments.show(results.map(\.text).joined(), json: .array(results.map(\.json)))
    return results.contains { $0.findings.contains { $0.severity == .error } } ? .strictness : .good
  }

  /// Files of other tools among the cassettes are skipped, but naming one is an error.
  private static func refuseFiles(_ paths: [String]) throws {
    guard let file = paths.first(where: ForeignFile.isThere) else { return }
    guard try LintResult.overrides(file) == nil else {
      throw UsageError("--fix is for cassettes, and \(file) is an overrides file")
    }
    throw CassetteError.notOurs(path: file)
  }

  private static func fix(_ path: String) throws {
    let fix = try CassetteTidying(fixing: path)
    if fix.recoveredCount > 0 {
      Terminal.out(
        "\(path): sealed \(HumanText.count(fix.recoveredCount, "interaction")) of a left-over journal\n")
    }
    for rename in fix.renamed {
      Terminal.out("\(path): renamed \(Printable.line(rename.old)) to \(Printable.line(rename.new))\n")
    }
    if fix.removedBodies > 0 {
      Terminal.out(
        "\(path): removed \(HumanText.count(fix.removedBodies, "body", "bodies")) that are not needed\n")
    }
  }
}

private struct LintResult {
  let path: String
  let findings: [LintFinding]
  let count: Int
  /// The unit of the count, such as interactions or rules.
  var unit = "interaction"
  /// Whether it is a single file, so that findings name places in it.
  let isFile: Bool

  init(_ path: String) throws {
    self.path = path
    isFile = ForeignFile.isThere(path)
    if isFile, let check = try Self.overrides(path) {
      unit = "rule"
      count = check.ruleCount
      findings = check.problems.map { LintFinding(.error, .overrides, "\($0.line):\($0.column)", $0.text) }
    } else if isFile {
      let lint = try CassetteLint(file: path)
      (findings, count) = (lint.findings, lint.interactionCount)
    } else {
      let lint = try CassetteLint(path, now: time(nil) * 1000)
      (findings, count) = (lint.findings, lint.interactionCount)
    }
  }

  /// `nil` if the file is of another kind.
  static func overrides(_ path: String) throws -> OverridesCheck? {
    guard path.hasSuffix(".json") else { return nil }
    let bytes = try [UInt8](contentsOf: path)
    return OverridesCheck.isOverrides(bytes)
      ? OverridesCheck(bytes, of: OverridesFile(readingCassettes: path)) : nil
  }

  private var shown: String { CassettePath.shown(path) }

  private func place(of finding: LintFinding) -> String {
    if finding.rule == .overrides { return "\(path):\(finding.file)" }
    return finding.file.isEmpty ? shown : isFile ? "\(path): \(finding.file)" : "\(shown)/\(finding.file)"
  }

  var text: String {
    let lines = findings.map { finding in
      let place = place(of: finding)
      let mark = finding.severity.rawValue.painted(Self.color(finding.severity))
      // The text about an unreadable file already names its place.
      let text = finding.text.hasPrefix(place) ? finding.text : "\(place): \(finding.text)"
      let hint = finding.isFixable ? " (--fix can fix it)".painted(.dim) : ""
      return "\(mark): \(Printable.line(text)) [\(finding.rule.rawValue)]\(hint)\n"
    }
    let counts = LintFinding.Severity.allCases.map { severity in
      HumanText.count(
        findings.count { $0.severity == severity }, severity == .info ? "remark" : severity.rawValue)
    }
    return lines.joined() + "\(shown): \(HumanText.count(count, unit)), \(counts.joined(separator: ", "))\n"
  }

  private static func color(_ severity: LintFinding.Severity) -> Style.Color {
    switch severity {
    case .error: .red
    case .warning: .yellow
    case .info: .cyan
    }
  }

  var json: JSONValue {
    let findings: [JSONValue] = findings.map { finding in
      [
        "severity": JSONValue(finding.severity.rawValue), "rule": JSONValue(finding.rule.rawValue),
        "file": JSONValue(finding.file), "text": JSONValue(finding.text),
        "fixable": .bool(finding.isFixable),
      ]
    }
    return [
      "cassette": JSONValue(shown), .init("\(unit)s"): JSONValue(count), "findings": .array(findings),
    ]
  }
}
