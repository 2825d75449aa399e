internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckRecording

extension Option {
  static let unused = Option(name: "--unused", value: "REPORT", help: "what a run wrote with --report")
  static let dryRun = Option(name: "--dry-run", help: "only tell what would be done")
}

extension Verb {
  static let trim = Verb(
    name: "trim", group: .cassettes, summary: "remove what a run did not use",
    synopsis: "CASSETTE (--unused REPORT | FILE…) [--dry-run]", options: [.unused, .dryRun],
    examples: [
      "tapedeck run --cassette example --report report.json -- npm test",
      "tapedeck trim example --unused report.json --dry-run",
      "tapedeck trim example --unused report.json",
      "tapedeck trim example get-users-1-3f9a1c.json",
    ],
    notes: """
      Removes the interactions that the report lists as unused, or those of the files named, the bodies that nobody
      needs then, and closes the gaps in the numbers of repeated answers. A report is good for the cassette as it was
      when the report was made.
      """
  ) { arguments in
    let (name, files) = try arguments.word("cassette")
    let isRehearsal = arguments.has(.dryRun)
    let report = try TrimVerb.report(arguments, files)
    let trimming = try CassetteTrimming(
      try CassettePath.resolve(name), unused: report?.unused ?? Set(files), known: report?.known,
      isRehearsal: isRehearsal)
    TrimVerb.tell(trimming, isRehearsal: isRehearsal)
    return .good
  }
}

enum TrimVerb {
  /// What a run did not use; nil where the files themselves are named.
  static func report(_ arguments: Arguments, _ files: [String]) throws -> UsageReport? {
    guard let file = arguments[.unused] else {
      guard files.isEmpty else { return nil }
      throw UsageError(
        "--unused REPORT is missing: what a run wrote with --report; or name the files that go")
    }
    guard files.isEmpty else { throw UsageError("--unused and names of files exclude each other") }
    return try UsageReport(parsing: try Files.read(file), file: file)
  }

  static func tell(_ trimming: CassetteTrimming, isRehearsal: Bool) {
    for name in trimming.removed { Terminal.out("- \(Printable.line(name))\n") }
    for rename in trimming.renamed {
      Terminal.out("  \(Printable.line(rename.old)) → \(Printable.line(rename.new))\n")
    }
    let removed = HumanText.count(trimming.removed.count, "interaction")
    let bodies = HumanText.count(trimming.removedBodies, "body", "bodies")
    Terminal.out(
      "\(isRehearsal ? "would remove" : "removed") \(removed) and \(bodies); \(trimming.keptCount) kept\n")
  }
}
