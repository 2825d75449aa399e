import TapedeckFormats
import TapedeckHTTP
package import TapedeckRecording
import TapedeckRedaction

/// Finds mistakes in a cassette or in a file of another tool.
package struct CassetteLint {
  /// Sorted by file or entry, and then by severity, the worst first.
  package private(set) var findings: [LintFinding] = []
  package private(set) var interactionCount = 0

  private var stored: [StoredInteraction] = []

  /// - Parameter now: milliseconds since 1970 UTC, to tell what has expired.
  /// - Throws: `absent` if there is no cassette.
  package init(_ path: String, now: Int) throws(CassetteError) {
    let directory = try CassetteDirectory(opening: path)
    let names = try directory.names()
    let (hasManifest, hasJournal) = (
      names.contains(CassetteNames.manifest), names.contains(CassetteNames.journal)
    )
    let manifest = hasManifest ? readManifest(directory) : nil
    let origins = readOrigins(directory)
    let files = try directory.interactionNames(names, inFolders: origins == .several)
    guard !files.isEmpty || hasManifest || hasJournal else { throw .absent(directory: path) }
    if !hasManifest {
      add(.info, .noManifest, CassetteNames.manifest, "it is missing, so nothing says what was recorded")
    }
    let matcher = RequestMatcher(
      manifest?.rules ?? MatchRules(),
      redaction: manifest?.redaction ?? Redaction(upstream: manifest?.upstream),
      comparesOrigin: origins == .several)
    let reader = CassetteReader(directory, matcher: matcher)
    if hasJournal { try checkJournal(directory, reader) }
    for name in names where name.hasPrefix(Sealer.temporaryPrefix) {
      add(.warning, .debris, name, "a crash left it half written", isFixable: true)
    }
    for name in files {
      unreadable(name) { lint throws(CassetteError) in
        try lint.check(name, directory, reader, upstream: manifest?.upstream, now: now)
      }
    }
    interactionCount = files.count
    if origins != .several { checkHosts() }
    let hasErrors = findings.contains { $0.severity == .error }
    if !hasErrors { checkNames(path, matcher) }
    try checkBodies(directory, findsOrphans: !hasErrors)
    findings.sort { ($0.file, $0.severity) < ($1.file, $1.severity) }
  }

  private mutating func add(
    _ severity: LintFinding.Severity, _ rule: LintFinding.Rule, _ file: String, _ text: String,
    isFixable: Bool = false
  ) {
    findings.append(LintFinding(severity, rule, file, text, isFixable: isFixable))
  }

  /// Makes a finding of an error.
  @discardableResult
  private mutating func unreadable<Result>(
    _ name: String, _ rule: LintFinding.Rule = .unreadable,
    _ read: (inout CassetteLint) throws(CassetteError) -> Result
  ) -> Result? {
    do throws(CassetteError) { return try read(&self) } catch {
      add(.error, rule, name, error.description)
      return nil
    }
  }

  // MARK: The cassette as a whole

  private mutating func readManifest(_ directory: CassetteDirectory) -> CassetteManifest? {
    unreadable(CassetteNames.manifest) { _ throws(CassetteError) in
      try CassetteReader(directory, matcher: RequestMatcher()).manifest()
    }.flatMap { $0 }
  }

  private mutating func readOrigins(_ directory: CassetteDirectory) -> CassetteOrigins {
    // A manifest that cannot be read is a finding already.
    if findings.contains(where: { $0.severity == .error }) { return .one(nil) }
    return unreadable(CassetteNames.manifest) { _ throws(CassetteError) in try directory.origins() }
      ?? .one(nil)
  }

  private mutating func checkJournal(
    _ directory: CassetteDirectory, _ reader: CassetteReader
  ) throws(CassetteError) {
    let name = CassetteNames.journal
    guard let file = try directory.openForReading(name) else { return }
    unreadable(name, .journal) { lint throws(CassetteError) in
      var count = 0
      let journal = try Journal(reading: file, isJoining: true) { entry throws(CassetteError) in
        _ = try reader.interaction(entry.record.tree, name: name, in: entry.file)
        count += 1
      }
      for warning in journal.warnings { lint.add(.warning, .journal, name, warning) }
      lint.add(
        .warning, .journal, name,
        "\(count) interactions are not sealed: a recording is running, or a crash left them", isFixable: true)
    }
  }

  private mutating func checkHosts() {
    let hosts = Set(stored.compactMap { $0.interaction.request.fields.text("host") }).sorted()
    guard hosts.count > 1 else { return }
    add(
      .info, .severalHosts, "",
      "recorded from \(hosts.count) hosts: \(hosts.prefix(5).joined(separator: ", ")); "
        + "responses that name one of them are rewritten for the upstream of cassette.json only")
  }

  // MARK: Files

  private mutating func check(
    _ name: String, _ directory: CassetteDirectory, _ reader: CassetteReader, upstream: String?, now: Int
  ) throws(CassetteError) {
    guard let interaction = try reader.interaction(name) else { return }
    stored.append(interaction)
    let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) ?? []
    findings +=
      InteractionLint(
        name: name, interaction: interaction.interaction, tree: try? JSONValue(parsing: bytes),
        upstream: interaction.interaction.origin.map { "\($0)" } ?? upstream, now: now
      ).findings
  }

  private mutating func checkNames(_ path: String, _ matcher: RequestMatcher) {
    let cassette = Cassette(
      path: path, manifest: nil, upstream: nil, matcher: matcher, recordedRules: matcher.rules,
      interactions: stored, warnings: [])
    for (old, new) in TidyPlan(cassette.planned, followsKeys: true).renames {
      let isNumber = CassetteNames.parse(old).stem == CassetteNames.parse(new).stem
      add(
        .warning, isNumber ? .numbering : .name, old,
        isNumber
          ? "the numbers of the responses to its request have gaps; it should be \(new)"
          : "the name does not match the request; it should be \(new)", isFixable: true)
    }
  }

  private mutating func checkBodies(
    _ directory: CassetteDirectory, findsOrphans: Bool
  ) throws(CassetteError) {
    let needed = Set(stored.flatMap(\.bodyNames))
    for leaf in try directory.names(in: BodyFile.folder) {
      let name = "\(BodyFile.folder)/\(leaf)"
      if leaf.hasPrefix(BodySpool.prefix) {
        add(.warning, .debris, name, "a crash left it half written", isFixable: true)
      } else if !BodyFile.isName(name) {
        add(.info, .orphanBody, name, "it is not the body of an interaction")
      } else if !needed.contains(name), findsOrphans {
        add(.warning, .orphanBody, name, "no interaction needs it", isFixable: true)
      }
    }
  }
}

// MARK: - Files of other tools

extension CassetteLint {
  /// Checks a file of another tool: for mistakes that stricter readers reject if it is a HAR, and for everything that an
  /// import would lose.
  /// - Throws: if there is no such file, or its format is unknown.
  package init(file path: String) throws(CassetteError) {
    let source = try ImportSource(unpacking: path)
    do throws(CassetteError) {
      let session = try ImportedSession.read(source)
      interactionCount = session.exchanges.count
      if source.isJSON, case let document = try source.document(), ImportFormat.detect(document) == .har {
        findings = HARLint(document, bytes: source.bytes).findings
      }
      for note in session.notes {
        let request = note.request.isEmpty ? "" : "\(note.request): "
        add(
          note.severity == .skipped ? .warning : .info, .notCarriedOver, note.entry, request + note.problem)
      }
    } catch {
      // A file of a known format that cannot be read.
      switch error {
      case .invalidJSON, .invalidYAML, .invalidEntry:
        findings = [LintFinding(.error, .unreadable, "", error.description)]
      default: throw error
      }
    }
  }
}
