internal import Glibc
internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckRecording
import TapedeckRedaction

extension Option {
  static let fixSecrets = Option(name: "--fix", help: "hide what is found, so that recordings still replay")
}

extension Verb {
  static let scan = Verb(
    name: "scan", group: .cassettes, summary: "find secrets in cassettes and in files of any kind",
    synopsis: "[PATH…] [--fix] [--json]", options: [.fixSecrets, .redact, .keep, .json],
    examples: [
      "tapedeck scan", "tapedeck scan example session.har test/fixtures",
      "tapedeck scan example --fix --redact x-internal-key",
    ],
    notes: """
      Takes cassettes, HAR files and files of any other kind, and folders of them; without a path all of Cassettes/.
      Exits with 4 on a find. --fix hides it: in a cassette by its redaction rules, which --redact and --keep add to, in
      other files where it stands. What cannot be hidden is told, and exits with 4 as well. Without --fix, --keep holds
      for this scan.
      """,
    run: ScanVerb.run)
}

/// A look for secrets, and what is done about those that are found.
enum ScanVerb {
  private struct Result {
    var unit: SecretScan.Unit
    var fix: SecretFix?

    /// What is still there.
    var remaining: [SecretFind] { fix?.remaining ?? unit.finds }
  }

  static func run(_ arguments: Arguments) throws -> ExitCode {
    let choice = try arguments.redaction()
    guard arguments.has(.fixSecrets) || choice.redact.isEmpty else {
      throw UsageError("--redact goes with --fix: it is what to hide, and a scan alone hides nothing")
    }
    var isBroken = false
    var results: [Result] = []
    let progress = Progress("scanning")
    for path in try paths(arguments.positional) {
      do {
        let scan = try SecretScan(path, keep: choice.keep) { progress.advance($0) }
        results += scan.units.map { Result(unit: $0) }
      } catch {
        isBroken = true
        Terminal.say("\(error)")
      }
    }
    progress.finish()
    if arguments.has(.fixSecrets) {
      for index in results.indices {
        do { results[index].fix = try SecretFix(results[index].unit, choice) } catch {
          if CommandLineTool.code(error) == .failure { isBroken = true }
          Terminal.say("\(error)")
        }
      }
    }
    tell(results, asJSON: arguments.has(.json))
    let problems = results.flatMap(\.unit.problems)
    for problem in problems { Terminal.say(problem) }
    if isBroken || !problems.isEmpty { return .failure }
    return results.contains { !$0.remaining.isEmpty } ? .strictness : .good
  }

  private static func paths(_ names: [String]) throws -> [String] {
    if names.isEmpty {
      guard access(CassettePath.folder, F_OK) == 0 else {
        throw Failure("there is no folder \(CassettePath.folder)/ here; name what to scan")
      }
      return [CassettePath.folder]
    }
    return try names.map { name in
      // Any file or folder will do, unless there is a cassette of that name.
      if !name.contains("/"), access("\(CassettePath.folder)/\(name)", F_OK) != 0, access(name, F_OK) == 0 {
        return name
      }
      return try CassettePath.resolve(name)
    }
  }

  // MARK: Telling

  private static func tell(_ results: [Result], asJSON: Bool) {
    guard !asJSON else { return Terminal.out(json: JSONValue.array(results.map(json))) }
    // Clean files of a folder are not worth a line each.
    let told = results.filter { $0.unit.kind == .cassette || !$0.unit.finds.isEmpty || results.count == 1 }
    for result in told { Terminal.out(text(result, .output)) }
    let others = results.count - told.count
    if others > 0 { Terminal.out("\(HumanText.count(others, "other file")), no secrets\n") }
    for result in results where result.fix == nil && !result.unit.finds.isEmpty {
      let path = if case .part(let cassette) = result.unit.kind { cassette } else { result.unit.path }
      let commands = SecretAdvice.commands(
        result.unit.finds, path: path, hasRules: result.unit.kind != .file)
      Terminal.say("about \(path):\n\(commands.joined(separator: "\n"))")
    }
  }

  private static func text(_ result: Result, _ style: Style) -> String {
    let unit = result.unit
    let lines = result.remaining.map { find in
      let place = unit.kind == .cassette ? "\(unit.path)/\(find)" : "\(find)"
      return "\(style.paint(result.fix == nil ? "secret" : "not hidden", .red)): \(Printable.line(place))\n"
    }
    return lines.joined() + "\(unit.path): \(result.fix?.text ?? counts(unit))\n"
  }

  private static func counts(_ unit: SecretScan.Unit) -> String {
    let finds = unit.finds.isEmpty ? "no secrets" : HumanText.count(unit.finds.count, "secret")
    return "\(HumanText.count(unit.fileCount, "file")), \(finds)"
  }

  private static func json(_ result: Result) -> JSONValue {
    [
      "path": JSONValue(result.unit.path),
      "files": JSONValue(result.unit.fileCount),
      "finds": .array(result.unit.finds.map(json)),
      "problems": .array(result.unit.problems.map { JSONValue($0) }),
      "fixed": result.fix?.json ?? .null,
      "left": .array(result.remaining.map(json)),
    ]
  }

  private static func json(_ find: SecretFind) -> JSONValue {
    [
      "file": JSONValue(find.file), "line": find.line.map { JSONValue($0) } ?? .null,
      "place": find.place.map { JSONValue($0) } ?? .null, "name": find.name.map { JSONValue($0) } ?? .null,
      "looksLike": JSONValue(find.looksLike), "beginning": JSONValue(find.beginning),
    ]
  }
}
