import TapedeckFormats
internal import TapedeckProxy
internal import TapedeckRecording

extension Option {
  static let importFormat = Option(
    "--format", "FORMAT",
    help: "\(ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")); detected by default")
  static let only = Option("--only", "HOST", help: "import only exchanges with this host", isRepeatable: true)
  static let importUpstream = Option(
    "--upstream", "URL", help: "the cassette's origin (that of most exchanges)")
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
      of Hoverfly. What is lost is reported on standard error, one line per reason. Existing recordings of an imported
      request are replaced. To try a file without importing it: tapedeck replay --cassette FILE
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
    session.settleOrigins(by: try session.matcher(for: path, match: arguments.match()))
    let count = session.exchanges.count
    let progress = Progress("importing", total: count)
    let result = try session.record(
      into: path, upstream: arguments[.importUpstream], match: try arguments.match(),
      redaction: try arguments.redaction(),
      secrets: Terminal.isCI || arguments.has(.strictImport) ? .refuse : .tell
    ) { progress.set($0, of: count) }
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
    var parts = ["imported \(count)\(count < found ? " of \(found)" : "") exchanges into \(path)"]
    parts.append("\(report.written) files written")
    if report.unchanged > 0 { parts.append("\(report.unchanged) unchanged") }
    if report.removed > 0 { parts.append("\(report.removed) removed") }
    if result.hidden > 0 { parts.append("\(result.hidden) secrets redacted") }
    Terminal.say(parts.joined(separator: ", "))
    report.sayWarnings(path: path)
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
