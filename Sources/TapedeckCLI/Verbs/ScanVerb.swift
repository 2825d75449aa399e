internal import Glibc
internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckRecording
import TapedeckRedaction

extension Option {
  static let fixSecrets = Option("--fix", help: "redact what is found, so that recordings still replay")
}

extension Verb {
  static let scan = Verb(
    name: "scan", group: .cassettes, summary: "find secrets in cassettes and other files",
    synopsis: "[PATH…] [--fix] [--json]",
    options: [.fixSecrets, .redact, .keep, .json, .reportGitHub] + Option.store,
    examples: [
      "tapedeck scan", "tapedeck scan example session.har test/fixtures",
      "tapedeck scan example --fix --redact x-internal-key",
    ],
    notes: """
      Scans cassettes, HAR files, files of any other kind, and folders of them; without a path, all of Cassettes/.
      Exits with 4 if it finds a secret or a body that it cannot search because of its content coding; --keep
      content-encoding accepts such bodies. Exits with 1 if it cannot read something. --fix redacts secrets: in a
      cassette by its redaction rules, to which --redact and --keep are added, in other files in place. If a secret
      cannot be redacted, it is reported, and the exit code is 4 as well. Without --fix, --keep applies to this scan
      only.
      """
  ) { arguments in
    let choice = try arguments.redaction()
    guard arguments.has(.fixSecrets) || !arguments.isGiven(.redact) else {
      throw UsageError("--redact needs --fix: a scan alone redacts nothing")
    }
    if arguments.has(.reportGitHub) { try GitHubReport.checkSummary() }
    var isBroken = false
    var results: [ScanResult] = []
    // A signal ends the scan, not the process: what was found so far is reported.
    Signals.block()
    let progress = Progress("scanning")
    for path in try paths(arguments.positional, fixes: arguments.has(.fixSecrets)) {
      do {
        let scan = try SecretScan(path, keep: choice.keep, until: { Signals.isEndPending }) {
          progress.advance($0)
        }
        results += scan.units.map { ScanResult(unit: $0) }
      } catch {
        isBroken = true
        Terminal.say("\(error)")
      }
    }
    progress.finish()
    let isInterrupted = Signals.isEndPending
    if isInterrupted { Terminal.say("interrupted: not everything was scanned, and nothing is changed") }
    if arguments.has(.fixSecrets), !isInterrupted {
      for index in results.indices {
        do { results[index].fix = try SecretFix(results[index].unit, choice) } catch {
          if CommandLineTool.code(error) == .failure { isBroken = true }
          Terminal.say("\(error)")
        }
      }
    }
    if arguments.has(.json) { Terminal.out(json: .array(results.map(\.json))) } else { print(results) }
    let problems = results.flatMap(\.unit.problems)
    for problem in problems { Terminal.say(problem) }
    let isClean = results.allSatisfy(\.remaining.isEmpty)
    let code: ExitCode =
      isBroken || isInterrupted || !problems.isEmpty ? .failure : isClean ? .good : .strictness
    if arguments.has(.reportGitHub) { try GitHubReport(results, problems, code).publish() }
    return code
  }

  private static func paths(_ names: [String], fixes: Bool) throws -> [String] {
    guard !names.isEmpty else {
      guard access(CassettePath.folder, F_OK) == 0 else {
        throw Failure("there is no folder \(CassettePath.folder)/ here; name what to scan")
      }
      return [CassettePath.folder]
    }
    return try names.map { name in
      // Any file or folder, unless there is a cassette with that name.
      if !name.contains("/"), access("\(CassettePath.folder)/\(name)", F_OK) != 0, access(name, F_OK) == 0 {
        return name
      }
      return fixes ? try CassettePath.resolve(name) : try CassettePath.readable(name)
    }
  }

  private static func print(_ results: [ScanResult]) {
    // Clean files of a folder are only counted.
    let shown = results.filter { $0.unit.kind == .cassette || !$0.unit.finds.isEmpty || results.count == 1 }
    for result in shown { Terminal.out(result.text) }
    let others = results.count - shown.count
    if others > 0 { Terminal.out("\(HumanText.count(others, "other file")), no secrets\n") }
    for result in results where result.fix == nil && !result.unit.finds.isEmpty {
      let path = if case .part(let cassette) = result.unit.kind { cassette } else { result.shown }
      let commands = SecretAdvice.commands(
        result.unit.finds, path: path, hasRules: result.unit.kind != .file)
      Terminal.say("about \(path):\n\(commands.joined(separator: "\n"))")
    }
  }
}

extension GitHubReport {
  /// The report of `scan`: an error for each find, and for each file that could not be read.
  fileprivate init(_ results: [ScanResult], _ problems: [String], _ code: ExitCode) {
    title = "tapedeck scan"
    exitCode = code
    counts = [
      ("files", results.reduce(0) { $0 + $1.unit.fileCount }),
      ("found", results.reduce(0) { $0 + $1.unit.finds.count }),
      ("left", results.reduce(0) { $0 + $1.remaining.count }),
    ]
    annotations = results.flatMap { result in
      Self.annotations(result.remaining, folder: result.unit.kind == .cassette ? result.shown : nil)
    }
    annotations += problems.map { Annotation(level: .error, title: "Not scanned", message: $0) }
  }
}

private struct ScanResult {
  let unit: SecretScan.Unit
  var fix: SecretFix?

  var remaining: [SecretFind] { fix?.remaining ?? unit.finds }

  var shown: String { CassettePath.shown(unit.path) }

  var text: String {
    let lines = remaining.map { find in
      let place = unit.kind == .cassette ? "\(shown)/\(find)" : "\(find)"
      let label = find.isUnsearchedBody ? "not searched" : fix == nil ? "secret" : "not hidden"
      return "\(label.painted(.red)): \(Printable.line(place))\n"
    }
    let bodies = unit.finds.count { $0.isUnsearchedBody }
    let secrets = unit.finds.count - bodies
    let finds =
      (secrets == 0 ? "no secrets" : HumanText.count(secrets, "secret"))
      + (bodies == 0 ? "" : ", \(bodies == 1 ? "1 body" : "\(bodies) bodies") not searched")
    return lines.joined()
      + "\(shown): \(fix?.text ?? "\(HumanText.count(unit.fileCount, "file")), \(finds)")\n"
  }

  var json: JSONValue {
    [
      "path": JSONValue(shown), "files": JSONValue(unit.fileCount),
      "finds": .array(unit.finds.map(\.json)), "problems": JSONValue(unit.problems),
      "fixed": fix?.json ?? .null, "left": .array(remaining.map(\.json)),
    ]
  }
}

/// The result of `scan --fix` for one cassette or file.
private struct SecretFix {
  private(set) var remaining: [SecretFind] = []
  private var hiddenCount = 0
  private var changedFiles: [String] = []
  private var renamedCount = 0
  private var recoveredCount = 0
  private var recoveredHiddenCount = 0

  /// `nil` if there is nothing to do.
  init?(_ unit: SecretScan.Unit, _ choice: RedactionChoice) throws {
    switch unit.kind {
    case .cassette where !unit.finds.isEmpty || choice != RedactionChoice():
      let progress = Progress("hiding")
      defer { progress.finish() }
      let cleaning = try CassetteCleaning(unit.path, choice) { progress.set($0, of: $1) }
      (remaining, hiddenCount) = (cleaning.remaining, cleaning.hiddenCount)
      (changedFiles, renamedCount) = (cleaning.changedFiles, cleaning.renamed.count)
      (recoveredCount, recoveredHiddenCount) = (cleaning.recoveredCount, cleaning.recoveredHiddenCount)
      progress.finish()
      warn(cleaning.unmatched, unit.path)
    case .file where !unit.finds.isEmpty || !choice.redact.isEmpty:
      let cleaning = try CassetteCleaning(file: unit.path, choice)
      (remaining, hiddenCount) = (cleaning.remaining, cleaning.hiddenCount)
      if hiddenCount > 0 { changedFiles = [unit.path] }
      warn(cleaning.unmatched, unit.path)
    case .part(let cassette) where !unit.finds.isEmpty:
      remaining = unit.finds
      Terminal.say(
        "\(unit.path) is not changed by itself, since it must still match: tapedeck scan \(cassette) --fix")
    default: return nil
    }
  }

  private func warn(_ unmatched: [String], _ path: String) {
    for request in unmatched {
      Terminal.say(
        "warning: \(path) no longer matches \(Printable.line(request)) as it was recorded; "
          + "it matches a client that was given the placeholder")
    }
  }

  var text: String {
    var parts = ["\(hiddenCount) hidden in \(HumanText.count(changedFiles.count, "file"))"]
    if renamedCount > 0 { parts.append("\(HumanText.count(renamedCount, "file")) renamed") }
    if recoveredCount > 0 {
      parts.append("\(HumanText.count(recoveredCount, "interaction")) of a left-over journal sealed")
    }
    if recoveredHiddenCount > 0 {
      parts.append("\(recoveredHiddenCount) hidden in \(recoveredCount == 1 ? "it" : "them")")
    }
    if !remaining.isEmpty { parts.append("\(remaining.count) not hidden") }
    return parts.joined(separator: ", ")
  }

  var json: JSONValue {
    [
      "hidden": JSONValue(hiddenCount + recoveredHiddenCount), "files": JSONValue(changedFiles),
      "renamed": JSONValue(renamedCount), "recovered": JSONValue(recoveredCount),
    ]
  }
}
