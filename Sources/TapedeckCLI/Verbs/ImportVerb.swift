import TapedeckFormats
internal import TapedeckProxy
internal import TapedeckRecording

extension Option {
  static let importFormat = Option(
    name: "--format", value: "FORMAT",
    help:
      "\(ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")); found by looking")
  static let only = Option(
    name: "--only", value: "HOST", help: "take the exchanges with this host only; repeatable",
    isRepeatable: true)
  static let importUpstream = Option(
    name: "--upstream", value: "URL", help: "the origin that the cassette shall name (that of most exchanges)"
  )
  static let strictImport = Option(
    name: "--strict",
    help: "exit with 4 if anything could not be carried over, and write nothing that holds a secret")
}

extension Verb {
  static let `import` = Verb(
    name: "import", group: .cassettes, summary: "make a cassette of files that other tools wrote",
    synopsis: "FILE... --cassette NAME [options]",
    options: [
      .cassette, .importFormat, .only, .importUpstream, .match, .redact, .keep, .noRedact, .strictImport,
    ],
    examples: [
      "tapedeck import session.har --only api.example.com --cassette example",
      "tapedeck import test/cassettes/*.yaml --cassette example",
    ],
    notes: """
      Reads HAR files, cassettes of VCR, vcrpy and go-vcr, mappings of WireMock (a file or its folder), and simulations of
      Hoverfly. What could not be carried over is told on standard error, one line a reason. Recordings of a request that
      is in the cassette already are replaced. To try a file without importing it: tapedeck replay --cassette FILE
      """,
    run: ImportVerb.run)
}

/// Files of other tools, on their way into a cassette.
enum ImportVerb {
  static func run(_ arguments: Arguments) throws -> ExitCode {
    guard !arguments.positional.isEmpty else { throw UsageError("the file is missing: \(Verb.import.usage)") }
    guard let name = arguments[.cassette] else { throw UsageError("import needs --cassette NAME") }
    let path = try CassettePath.resolve(name)
    try checkUpstream(arguments[.importUpstream])
    var session = try read(arguments)
    let found = session.exchanges.count
    try keepOnly(arguments.all(.only), of: &session)
    session.settleOrigins(by: try session.matcher(for: path, match: arguments.match()))
    let result = try record(session, into: path, arguments)
    for line in ImportNote.summary(session.notes) { Terminal.say(line) }
    guard let result else {
      Terminal.say(
        session.notes.isEmpty && found == 0
          ? "nothing to import: there is no exchange in it; save it again once requests have been made (a browser "
            + "lists only those since its network panel was opened)"
          : "nothing to import: all that it holds was left out")
      return .failure
    }
    tell(result, session, found: found, path: path)
    if !result.report.finds.isEmpty {
      Terminal.say("warning: \(SecretAdvice.warning(result.report.finds, path: path))")
    }
    let isComplete = !session.notes.contains { $0.severity != .changed }
    return arguments.has(.strictImport) && !isComplete ? .strictness : .good
  }

  private static func checkUpstream(_ url: String?) throws(UsageError) {
    var configuration = ProxyConfiguration()
    configuration.upstream = url
    do throws(ProxyError) { try configuration.validate() } catch { throw UsageError("--upstream: \(error)") }
  }

  private static func read(_ arguments: Arguments) throws -> ImportedSession {
    let format = try arguments.choice(.importFormat, ImportFormat.self)
    var session = ImportedSession()
    for file in arguments.positional {
      session.append(try ImportedSession.read(file, format: format))
    }
    return session
  }

  private static func keepOnly(_ hosts: [String], of session: inout ImportedSession) throws {
    let known = session.origins.prefix(10).map { "\($0.origin) (\($0.count))" }
    var filter = HostFilter(hosts)
    session.keepOnly(&filter)
    guard let unmet = filter.unmet.first else { return }
    throw Failure(
      "no exchange is with \(unmet); there are: \(known.isEmpty ? "none" : known.joined(separator: ", "))")
  }

  private static func record(
    _ session: ImportedSession, into path: String, _ arguments: Arguments
  ) throws -> (report: SealReport, hidden: Int)? {
    let progress = Progress("importing", total: session.exchanges.count)
    defer { progress.finish() }
    return try session.record(
      into: path, upstream: arguments[.importUpstream], match: try arguments.match(),
      redaction: try arguments.redaction(),
      secrets: Terminal.isCI || arguments.has(.strictImport) ? .refuse : .tell
    ) { progress.set($0, of: session.exchanges.count) }
  }

  private static func tell(
    _ result: (report: SealReport, hidden: Int), _ session: ImportedSession, found: Int, path: String
  ) {
    let count = session.exchanges.count
    var parts = ["imported \(count)\(count < found ? " of \(found)" : "") exchanges into \(path)"]
    parts.append("\(result.report.written) files written")
    if result.report.unchanged > 0 { parts.append("\(result.report.unchanged) as they were") }
    if result.report.removed > 0 { parts.append("\(result.report.removed) removed") }
    if result.hidden > 0 { parts.append("\(result.hidden) secrets hidden") }
    Terminal.say(parts.joined(separator: ", "))
  }
}
