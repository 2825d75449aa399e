internal import TapedeckHTTP
internal import TapedeckRecording

extension Option {
  static let unused = Option(name: "--unused", value: "REPORT", help: "what a run wrote with --report")
  static let dryRun = Option(name: "--dry-run", help: "only tell what would be done")
}

extension Verb {
  static let trim = Verb(
    name: "trim", group: .cassettes, summary: "remove what a run did not use",
    synopsis: "CASSETTE --unused REPORT [--dry-run]", options: [.unused, .dryRun],
    examples: [
      "tapedeck run --cassette example --report report.json -- npm test",
      "tapedeck trim example --unused report.json --dry-run",
      "tapedeck trim example --unused report.json",
    ],
    notes: """
      Removes the interactions that the report lists as unused, the bodies that nobody needs then, and closes the gaps
      in the numbers of repeated answers. A report is good for the cassette as it was when the report was made.
      """
  ) { arguments in
    let name = try arguments.words("cassette", required: 1)[0]
    guard let file = arguments[.unused] else {
      throw UsageError("--unused REPORT is missing: what a run wrote with --report")
    }
    let report = try UsageReport(parsing: try Files.read(file), file: file)
    let isRehearsal = arguments.has(.dryRun)
    let trimming = try CassetteTrimming(
      try CassettePath.resolve(name), unused: report.unused, known: report.known, isRehearsal: isRehearsal)
    TrimVerb.tell(trimming, isRehearsal: isRehearsal)
    return .good
  }
}

enum TrimVerb {
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
