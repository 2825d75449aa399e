internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckObjectStore
internal import TapedeckRecording

extension Option {
  static let unused = Option("--unused", "REPORT", help: "the --report of a run")
  static let dryRun = Option("--dry-run", help: "only show what would be done")
}

extension Verb {
  static let trim = Verb(
    name: "trim", group: .cassettes, summary: "remove interactions that a run did not use",
    synopsis: "CASSETTE [--unused REPORT | FILE…] [--dry-run]",
    options: [.unused, .dryRun, .json] + Option.store,
    examples: [
      "tapedeck run --cassette example --report report.json -- npm test",
      "tapedeck trim example --unused report.json --dry-run",
      "tapedeck trim example --unused report.json",
      "tapedeck trim example get-users-1-3f9a1c.json",
    ],
    notes: """
      Removes the interactions that the report lists as unused, or the named files, then bodies that are no longer
      needed, and closes gaps in the numbers of repeated responses. A report is valid only for the cassette as it was
      when the report was written.

      With an s3:// cassette alone, removes the objects that recordings left which were never sealed, or were replaced
      since, once they are a day old.
      """
  ) { arguments in
    guard let name = arguments.positional.first else {
      throw UsageError("the cassette is missing: \(arguments.usage)")
    }
    let files = Array(arguments.positional.dropFirst())
    let isRemote = RemoteCassettes.isMeant(by: name)
    if isRemote, files.isEmpty, !arguments.has(.unused) { return try trimStore(name, arguments) }
    guard arguments.has(.unused) == files.isEmpty else {
      throw UsageError(
        files.isEmpty
          ? "--unused REPORT, the --report of a run, is missing; or name the files to remove"
          : "--unused and names of files exclude each other")
    }
    let hits = try arguments[.unused].map(readHits)
    let unused = hits.map { $0.filter { $0.value == 0 }.map(\.key) } ?? files
    let isRehearsal = arguments.has(.dryRun)
    let recording = isRemote ? try RemoteCassettes.record(name) : nil
    let trimming = try CassetteTidying(
      trimming: try recording?.folder ?? CassettePath.resolve(name), unused: Set(unused),
      known: hits.map { Set($0.keys) },
      isRehearsal: isRehearsal)
    if let recording { try RemoteCassettes.publish(recording, as: name) }
    if arguments.has(.json) {
      Terminal.out(json: json(trimming, isRehearsal: isRehearsal))
      return .good
    }
    for name in trimming.removed { Terminal.out("- \(Printable.line(name))\n") }
    for rename in trimming.renamed {
      Terminal.out("  \(Printable.line(rename.old)) → \(Printable.line(rename.new))\n")
    }
    let removed = HumanText.count(trimming.removed.count, "interaction")
    let bodies = HumanText.count(trimming.removedBodies, "body", "bodies")
    Terminal.out(
      "\(isRehearsal ? "would remove" : "removed") \(removed) and \(bodies); \(trimming.keptCount) kept\n")
    return .good
  }

  private static func json(_ trimming: CassetteTidying, isRehearsal: Bool) -> JSONValue {
    let renamed: [JSONValue] = trimming.renamed.map { ["old": JSONValue($0.old), "new": JSONValue($0.new)] }
    return [
      "dryRun": .bool(isRehearsal), "removed": JSONValue(trimming.removed), "renamed": .array(renamed),
      "removedBodies": JSONValue(trimming.removedBodies), "kept": JSONValue(trimming.keptCount),
    ]
  }
}
