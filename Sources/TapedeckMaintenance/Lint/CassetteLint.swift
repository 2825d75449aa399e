import TapedeckHTTP
package import TapedeckRecording
import TapedeckRedaction

/// Finds everything in a cassette that is wrong or suspicious.
package struct CassetteLint {
  /// In the order of the files, the worst of each first.
  package private(set) var findings: [LintFinding] = []
  package private(set) var interactionCount = 0

  private let directory: CassetteDirectory
  private var stored: [StoredInteraction] = []

  /// - Parameters:
  ///   - path: the directory of a cassette.
  ///   - now: milliseconds since 1970 UTC, to tell what has expired.
  /// - Throws: `absent` where there is no cassette.
  package init(_ path: String, now: Int) throws(CassetteError) {
    directory = try CassetteDirectory(opening: path)
    let names = try directory.names()
    let files = names.filter(CassetteNames.isInteraction)
    guard !files.isEmpty || names.contains(CassetteNames.manifest) || names.contains(CassetteNames.journal)
    else { throw .absent(directory: path) }
    let manifest = checkManifest(isThere: names.contains(CassetteNames.manifest))
    let matcher = RequestMatcher(
      manifest?.rules ?? MatchRules(),
      redaction: manifest?.redaction ?? Redaction(upstream: manifest?.upstream))
    let reader = CassetteReader(directory, matcher: matcher)
    try checkJournal(isThere: names.contains(CassetteNames.journal), reader)
    checkDebris(names)
    for name in files { checkInteraction(name, reader, upstream: manifest?.upstream, now: now) }
    interactionCount = files.count
    checkHosts()
    checkNames(matcher)
    try checkBodies()
    findings.sort { ($0.file, $0.severity) < ($1.file, $1.severity) }
  }

  private mutating func note(_ finding: LintFinding) { findings.append(finding) }

  private var hasErrors: Bool { findings.contains { $0.severity == .error } }

  // MARK: The cassette as a whole

  private mutating func checkManifest(isThere: Bool) -> CassetteManifest? {
    let name = CassetteNames.manifest
    guard isThere else {
      note(LintFinding(.info, .noManifest, name, "it is not there, so nothing says what was recorded"))
      return nil
    }
    do throws(CassetteError) {
      return try CassetteReader(directory, matcher: RequestMatcher()).manifest()
    } catch {
      note(LintFinding(.error, .unreadable, name, error.description))
      return nil
    }
  }

  private mutating func checkJournal(isThere: Bool, _ reader: CassetteReader) throws(CassetteError) {
    let name = CassetteNames.journal
    guard isThere, let file = try directory.openForReading(name) else { return }
    var count = 0
    do throws(CassetteError) {
      let journal = try Journal(reading: file) { entry throws(CassetteError) in
        _ = try reader.interaction(entry.record.tree, name: name, in: entry.file)
        count += 1
      }
      for warning in journal.warnings { note(LintFinding(.warning, .journal, name, warning)) }
      note(
        LintFinding(
          .warning, .journal, name,
          "\(count) interactions are not sealed yet: somebody records, or a crash left them", isFixable: true)
      )
    } catch {
      note(LintFinding(.error, .journal, name, error.description))
    }
  }

  private mutating func checkDebris(_ names: [String]) {
    for name in names where name.hasPrefix(Sealer.temporaryPrefix) {
      note(LintFinding(.warning, .debris, name, "a crash left it half written", isFixable: true))
    }
  }

  private mutating func checkHosts() {
    let hosts = Set(stored.compactMap { $0.interaction.request.fields.text("host") }).sorted()
    guard hosts.count > 1 else { return }
    note(
      LintFinding(
        .info, .severalHosts, "",
        "recorded from \(hosts.count) hosts: \(hosts.prefix(5).joined(separator: ", ")); "
          + "answers that name one of them are rewritten for the upstream of cassette.json only"))
  }

  // MARK: Interactions

  private mutating func checkInteraction(
    _ name: String, _ reader: CassetteReader, upstream: String?, now: Int
  ) {
    do throws(CassetteError) {
      guard let interaction = try reader.interaction(name) else { return }
      stored.append(interaction)
      let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) ?? []
      let lint = InteractionLint(
        name: name, interaction: interaction.interaction, tree: try? JSONValue(parsing: bytes),
        upstream: upstream, now: now)
      findings += lint.findings
    } catch {
      note(LintFinding(.error, .unreadable, name, error.description))
    }
  }

  private mutating func checkNames(_ matcher: RequestMatcher) {
    guard !hasErrors else { return }
    let cassette = Cassette(
      path: directory.path, manifest: nil, upstream: nil, matcher: matcher, recordedRules: matcher.rules,
      answers: stored, warnings: [])
    let renames = TidyPlan(cassette.planned, followsKeys: true).renames
    for rename in renames {
      let isNumber = CassetteNames.parse(rename.old).stem == CassetteNames.parse(rename.new).stem
      note(
        LintFinding(
          .warning, isNumber ? .numbering : .name, rename.old,
          isNumber
            ? "the answers to its request are not numbered without gaps; it would be \(rename.new)"
            : "the name does not follow from the request; it would be \(rename.new)", isFixable: true))
    }
  }

  // MARK: Bodies

  private mutating func checkBodies() throws(CassetteError) {
    let needed = Set(stored.flatMap(\.bodyNames))
    for leaf in try directory.names(in: BodyFile.folder) {
      let name = "\(BodyFile.folder)/\(leaf)"
      if leaf.hasPrefix(BodySpool.prefix) {
        note(LintFinding(.warning, .debris, name, "a crash left it half written", isFixable: true))
      } else if !BodyFile.isName(name) {
        note(LintFinding(.info, .orphanBody, name, "it is no body of ours"))
      } else if !needed.contains(name), !hasErrors {
        note(LintFinding(.warning, .orphanBody, name, "no interaction needs it", isFixable: true))
      }
    }
  }
}

/// Fixes what can be fixed without a decision: names, numbers, bodies that nothing needs, and what a crash left behind.
package struct LintFix: Sendable {
  /// The old and new name of each renamed file.
  package private(set) var renamed: [(old: String, new: String)] = []
  package private(set) var removedBodies = 0
  /// How many interactions of a left-over journal are files now.
  package private(set) var recoveredCount = 0

  /// - Throws: when something in the cassette cannot be read, since then it is not known which bodies are needed.
  package init(_ path: String) throws(CassetteError) {
    let tidying = try CassetteTidying(path)
    let plan = TidyPlan(tidying.cassette.planned, followsKeys: true)
    recoveredCount = tidying.recoveredCount
    renamed = plan.renames.map { ($0.old, $0.new) }
    removedBodies = try tidying.finish(plan)
  }

  package var isEmpty: Bool { renamed.isEmpty && removedBodies == 0 && recoveredCount == 0 }
}
