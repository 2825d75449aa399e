import TapedeckHTTP
package import TapedeckRedaction

/// Opens a recorder: finds or creates the directory, takes the lock, and recovers a left-over journal.
package struct RecorderOpening {
  let directory: CassetteDirectory
  let made: [String]
  private(set) var recoveredCount = 0
  private(set) var warnings: [String] = []
  private(set) var recoveredHiddenCount = 0
  private(set) var recoveredFinds: [SecretFind] = []
  private let match: MatchSpec?
  private let choice: RedactionChoice
  private let rewriting: RewriteChoice
  private let upstreams: RecordedUpstreams?
  private let template: CassetteManifest?
  let durability: Durability
  private let isDurable: Bool
  private let secrets: SecretPolicy
  private let recovering: @Sendable (_ done: Int, _ total: Int) -> Void

  /// How often another process may remove the journal between opening and locking it.
  private static let maximumAttempts = 100

  package init(
    _ path: String, match: MatchSpec?, redaction choice: RedactionChoice,
    rewriting: RewriteChoice = RewriteChoice(), upstreams: RecordedUpstreams? = nil,
    template: CassetteManifest? = nil,
    durability: Durability, isDurable: Bool, secrets: SecretPolicy = .tell,
    recovering: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(CassetteError) {
    if ForeignFile.isMeant(by: path) { throw .notOurs(path: path) }
    (directory, made) = try CassetteDirectory.create(path)
    self.match = match
    self.choice = choice
    self.rewriting = rewriting
    self.upstreams = upstreams
    self.template = template
    self.durability = durability
    self.isDurable = isDurable
    self.secrets = secrets
    self.recovering = recovering
  }

  mutating func open(
    _ origins: CassetteOrigins, isReplacing: Bool
  ) throws(CassetteError) -> CassetteRecorder {
    for _ in 0..<Self.maximumAttempts {
      guard let journal = try lockJournal() else { continue }
      if try journal.status().size > 0 {
        try recover(journal)
      } else {
        return try begin(journal, origins, isReplacing: isReplacing)
      }
    }
    throw .locked(directory: directory.path, pid: nil)
  }

  /// The locked journal; `nil` when another process has removed it.
  private func lockJournal() throws(CassetteError) -> OpenFile? {
    let journal = try directory.openForAppending(CassetteNames.journal)
    guard try journal.status().isPlain else { throw .notAPlainFile(path: journal.path) }
    guard try journal.tryLock() else {
      let header = try? JournalHeader(of: journal)
      throw .locked(directory: directory.path, pid: header?.pid)
    }
    return try directory.names(CassetteNames.journal, journal) ? journal : nil
  }

  private mutating func recover(_ file: OpenFile) throws(CassetteError) {
    try Sealer.removeDebris(directory)
    let header = try JournalHeader(of: file)
    let known = try CassetteReader(directory).manifest()
    let recorded = header?.redaction ?? known?.redaction
    // The user's choice also applies to the left-over journal, so that its secrets can be redacted or kept.
    let redaction =
      choice.isOff
      ? recorded ?? Redaction(upstream: known?.upstream ?? header?.origins.upstream)
      : choice.changed(recorded, upstream: known?.upstream ?? header?.origins.upstream)
    let origins: CassetteOrigins
    if let header { origins = header.origins } else { origins = try directory.origins() }
    let matcher = RequestMatcher(
      header?.rules ?? known?.rules ?? MatchRules(), redaction: redaction,
      comparesOrigin: origins == .several)
    var sealer = Sealer(
      directory: directory, journal: file, matcher: matcher, isReplacing: header?.isReplacing ?? false,
      origins: origins, rewriting: header?.rewriting, upstreams: header?.upstreams, isDurable: isDurable,
      refusesSecrets: secrets == .refuse || header?.refusesSecrets ?? false)
    warnings += try sealer.joinMessages() ?? []
    let (late, left) = try learn(sealer.journal, matcher, hidesAnew: redaction != recorded)
    if let late { recoveredHiddenCount += try sealer.hide(late).count }
    let entries = try sealer.recordings().entries
    let report = try sealer.seal(entries, hiding: late, progress: recovering)
    recoveredCount += entries.count
    recoveredFinds += report.finds
    warnings += left
    if !report.finds.isEmpty { warnings.append(SecretAdvice.warning(report.finds, path: directory.path)) }
  }

  /// Learns secrets that are known only from all of a left-over journal; `nil` when there are none.
  private func learn(
    _ journal: OpenFile, _ matcher: RequestMatcher, hidesAnew: Bool
  ) throws(CassetteError) -> (late: LateRedaction?, warnings: [String]) {
    let isHiding = secrets == .hide
    var late = LateRedaction(
      matcher.redaction, findsSecrets: hidesAnew || isHiding, hidesFinds: isHiding)
    let warnings = try late.learn(journal: journal, CassetteReader(directory, matcher: matcher))
    return (late.isEmpty ? nil : late, warnings)
  }

  /// Throws if the cassette holds interactions of the other kind: those of one origin name none, and the others do.
  private func check(_ origins: CassetteOrigins, _ manifest: CassetteManifest?) throws(CassetteError) {
    let names = try directory.names()
    let present = try directory.origins(names, manifest)
    guard (present == .several) != (origins == .several),
      try !directory.interactionNames(names, inFolders: present == .several).isEmpty
    else { return }
    let remedy = "record into another cassette, or remove this one first"
    throw .refused(
      path: directory.path,
      reason: present == .several
        ? "it is a recording of several origins, and this one would be of one; \(remedy)"
        : "it is a recording of \(present.upstream ?? "one origin"), and this one would be of several; \(remedy)"
    )
  }

  private func begin(
    _ journal: OpenFile, _ origins: CassetteOrigins, isReplacing: Bool
  ) throws(CassetteError) -> CassetteRecorder {
    do throws(CassetteError) {
      try Sealer.removeDebris(directory)
      let present = try CassetteReader(directory).manifest()
      try check(origins, present)
      let manifest = present ?? template
      let known = manifest?.rules
      let rules =
        try match.map { spec throws(CassetteError) in try (known ?? MatchRules()).changed(spec) } ?? known
      let redaction = choice.changed(
        manifest?.redaction,
        upstream: origins == .several ? nil : manifest?.upstream ?? origins.upstream)
      let matcher = RequestMatcher(
        rules ?? MatchRules(), redaction: redaction, comparesOrigin: origins == .several)
      let recorded = manifest?.rewriting ?? RewriteRules()
      let rewriting = rewriting.changed(recorded)
      let reader = CassetteReader(directory, matcher: matcher)
      let index = try CassetteIndex(reader)
      let header = JournalHeader(
        pid: OpenFile.processID, isReplacing: isReplacing, origins: origins,
        rules: rules == present?.rules ? nil : rules, redaction: redaction,
        rewriting: rewriting == present?.rewriting ?? RewriteRules() ? nil : rewriting,
        upstreams: upstreams, refusesSecrets: secrets == .refuse
      ).line
      try journal.write(header)
      if durability == .power { try directory.syncFileSystem() }
      let sealer = Sealer(
        directory: directory, journal: journal, matcher: matcher, isReplacing: isReplacing,
        origins: origins, template: template, rewriting: rewriting, upstreams: upstreams,
        isDurable: isDurable,
        refusesSecrets: secrets == .refuse)
      return CassetteRecorder(
        self, sealer: sealer, replacedRules: known == rules ? nil : known,
        replacedRewriting: manifest == nil || recorded == rewriting ? nil : recorded,
        upstreams: origins == .several ? manifest?.upstreams(after: upstreams) ?? upstreams : nil,
        replacedUpstreams: manifest?.upstreams,
        bases: isReplacing ? [:] : index.highestOrdinals, journalBytes: header.count,
        room: CassetteLimits.interactions - index.files.count)
    } catch {
      try? directory.remove(CassetteNames.journal)
      throw error
    }
  }
}

/// The failures that a recorded exchange survives once its client has the whole response.
public enum Durability: String, Sendable, CaseIterable {
  /// The death of the process; loss of power only after the cassette is sealed.
  case process
  /// Loss of power too: every exchange waits for the disk.
  case power
}

/// The treatment of secrets that are still in a recording when it is sealed.
public enum SecretPolicy: Sendable {
  /// Seal them and report them.
  case tell
  /// Seal nothing and keep the journal, also at later starts, until they are redacted or kept.
  case refuse
  /// Redact as many as possible; report the rest, or refuse them if the journal says so.
  case hide
}
