import TapedeckFormats
internal import TapedeckProxy
internal import TapedeckRecording

extension Option {
  static let importFormat = Option(
    "--format", "FORMAT",
    help: "\(ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")); detected by default",
    choices: ImportFormat.allCases.map(\.rawValue))
  static let only = Option("--only", "HOST", help: "import only exchanges with this host", isRepeatable: true)
  static let importUpstream = Option(
    "--upstream", "URL", help: "the cassette's only origin, whatever hosts the files name")
  static let strictImport = Option(
    "--strict", help: "exit with 4 if anything is lost, and write nothing that holds a secret")
}

extension Verb {
  static let `import` = Verb(
    name: "import", group: .cassettes, summary: "import files of other tools into a cassette",
    synopsis: "FILE... --cassette NAME [options]",
    options: [
      .cassette, .importFormat, .only, .importUpstream, .match, .redact, .keep, .noRedact, .strictImport,
    ],
    examples: [
      "tapedeck import session.har --only api.example.com --cassette example",
      "tapedeck import test/cassettes/*.yaml --cassette example",
    ],
    notes: """
      Reads HAR files, cassettes of VCR, vcrpy and go-vcr, mappings of WireMock (a file or its folder), and simulations
      of Hoverfly. Files that name several hosts make a cassette of several origins. What is lost is reported on
      standard error, one line per reason. Existing recordings of an imported request are replaced. To try a file
      without importing it: tapedeck replay --cassette FILE
      """
  ) { arguments in
    guard !arguments.positional.isEmpty else { throw UsageError("the file is missing: \(arguments.usage)") }
    guard let name = arguments[.cassette] else { throw UsageError("import needs --cassette NAME") }
    let path = try CassettePath.resolve(name)
    var configuration = ProxyConfiguration()
    configuration.upstream = arguments[.importUpstream]
    try UsageError.from(.importUpstream) { try configuration.validate() }
    let format = try arguments.choice(.importFormat, ImportFormat.self)
    var session = ImportedSession()
    for file in arguments.positional { session.append(try ImportedSession.read(file, format: format)) }
    let found = session.exchanges.count
    try keepOnly(arguments.all(.only), of: &session)
    try session.settle(for: path, upstream: arguments[.importUpstream], match: arguments.match())
    let count = session.exchanges.count
    let progress = Progress("importing", total: count)
    // A signal ends the import, not the process: what was imported so far is sealed.
    Signals.block()
    var done = 0
    let result = try session.record(
      into: path, upstream: arguments[.importUpstream], match: try arguments.match(),
      redaction: try arguments.redaction(),
      secrets: Terminal.isCI || arguments.has(.strictImport) ? .refuse : .tell,
      until: { Signals.isEndPending }
    ) {
      done = $0
      progress.set($0, of: count)
    }
    progress.finish()
    for line in ImportNote.summary(session.notes) { Terminal.say(line) }
    guard let result else {
      Terminal.say(
        session.notes.isEmpty && found == 0
          ? "nothing to import: it holds no exchanges; save it again once requests have been made (a browser lists "
            + "only those since its network panel was opened)"
          : "nothing to import: all exchanges were left out")
      return .failure
    }
    let report = result.report
    let isInterrupted = done < count
    if isInterrupted {
      Terminal.say(
        "interrupted: \(count - done) of \(HumanText.count(count, "exchange")) are not imported; import again for the rest"
      )
    }
    var parts = [
      "imported \(done < found ? "\(done) of " : "")\(HumanText.count(found, "exchange")) into \(path)"
    ]
    parts.append("\(HumanText.count(report.written, "file")) written")
    if report.unchanged > 0 { parts.append("\(report.unchanged) unchanged") }
    if report.removed > 0 { parts.append("\(report.removed) removed") }
    if result.hidden > 0 { parts.append("\(HumanText.count(result.hidden, "secret")) redacted") }
    Terminal.say(parts.joined(separator: ", "))
    report.sayWarnings(path: path)
    if isInterrupted { return .failure }
    let isComplete = !session.notes.contains { $0.severity != .changed }
    return arguments.has(.strictImport) && !isComplete ? .strictness : .good
  }

  private static func keepOnly(_ hosts: [String], of session: inout ImportedSession) throws {
    let known = session.origins.prefix(10).map { "\($0.origin) (\($0.count))" }
    guard let unmet = session.keepOnly(hosts).first else { return }
    throw Failure(
      "no exchange is with \(unmet); origins are: \(known.isEmpty ? "none" : known.joined(separator: ", "))")
  }
}
