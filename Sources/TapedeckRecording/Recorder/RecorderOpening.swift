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
  private let template: CassetteManifest?
  let durability: Durability
  private let isDurable: Bool
  private let secrets: SecretPolicy

  /// How often another process may remove the journal between opening and locking it.
  private static let maximumAttempts = 100

  package init(
    _ path: String, match: MatchSpec?, redaction choice: RedactionChoice,
    rewriting: RewriteChoice = RewriteChoice(), template: CassetteManifest? = nil,
    durability: Durability, isDurable: Bool, secrets: SecretPolicy = .tell
  ) throws(CassetteError) {
    if ForeignFile.isMeant(by: path) { throw .notOurs(path: path) }
    (directory, made) = try CassetteDirectory.create(path)
    self.match = match
    self.choice = choice
    self.rewriting = rewriting
    self.template = template
    self.durability = durability
    self.isDurable = isDurable
    self.secrets = secrets
  }

  mutating func open(upstream: String?, isReplacing: Bool) throws(CassetteError) -> CassetteRecorder {
    for _ in 0..<Self.maximumAttempts {
      guard let journal = try lockJournal() else { continue }
      if try journal.status().size > 0 {
        try recover(journal)
      } else {
        return try begin(journal, upstream: upstream, isReplacing: isReplacing)
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
      ? recorded ?? Redaction(upstream: known?.upstream ?? header?.upstream)
      : choice.changed(recorded, upstream: known?.upstream ?? header?.upstream)
    let matcher = RequestMatcher(header?.rules ?? known?.rules ?? MatchRules(), redaction: redaction)
    var sealer = Sealer(
      directory: directory, journal: file, matcher: matcher, isReplacing: header?.isReplacing ?? false,
      upstream: header?.upstream, rewriting: header?.rewriting, isDurable: isDurable,
      refusesSecrets: secrets == .refuse || header?.refusesSecrets ?? false)
    let (late, left) = try learn(file, redaction, hidesAnew: redaction != recorded)
    if let late { recoveredHiddenCount += try sealer.hide(late).count }
    let entries = try sealer.recordings().entries
    let report = try sealer.seal(entries, hiding: late)
    recoveredCount += entries.count
    recoveredFinds += report.finds
    warnings += left
    if !report.finds.isEmpty { warnings.append(SecretAdvice.warning(report.finds, path: directory.path)) }
  }

  /// Learns secrets that are known only from all of a left-over journal; `nil` when there are none.
  private func learn(
    _ journal: OpenFile, _ redaction: Redaction, hidesAnew: Bool
  ) throws(CassetteError) -> (late: LateRedaction?, warnings: [String]) {
    let isHiding = secrets == .hide
    var late = LateRedaction(redaction, findsSecrets: hidesAnew || isHiding, hidesFinds: isHiding)
    let warnings = try late.learn(journal: journal, in: directory)
    return (late.isEmpty ? nil : late, warnings)
  }

  private func begin(
    _ journal: OpenFile, upstream: String?, isReplacing: Bool
  ) throws(CassetteError) -> CassetteRecorder {
    do throws(CassetteError) {
      try Sealer.removeDebris(directory)
      let present = try CassetteReader(directory).manifest()
      let manifest = present ?? template
      let known = manifest?.rules
      let rules =
        try match.map { spec throws(CassetteError) in try (known ?? MatchRules()).changed(spec) } ?? known
      let redaction = choice.changed(manifest?.redaction, upstream: manifest?.upstream ?? upstream)
      let matcher = RequestMatcher(rules ?? MatchRules(), redaction: redaction)
      let recorded = manifest?.rewriting ?? RewriteRules()
      let rewriting = rewriting.changed(recorded)
      let reader = CassetteReader(directory, matcher: matcher)
      let index = try CassetteIndex(reader)
      let header = JournalHeader(
        pid: OpenFile.processID, isReplacing: isReplacing, upstream: upstream,
        rules: rules == present?.rules ? nil : rules, redaction: redaction,
        rewriting: rewriting == present?.rewriting ?? RewriteRules() ? nil : rewriting,
        refusesSecrets: secrets == .refuse
      ).line
      try journal.write(header)
      if durability == .power { try directory.syncFileSystem() }
      let sealer = Sealer(
        directory: directory, journal: journal, matcher: matcher, isReplacing: isReplacing,
        upstream: upstream, template: template, rewriting: rewriting, isDurable: isDurable,
        refusesSecrets: secrets == .refuse)
      return CassetteRecorder(
        self, sealer: sealer, replacedRules: known == rules ? nil : known,
        replacedRewriting: manifest == nil || recorded == rewriting ? nil : recorded,
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
