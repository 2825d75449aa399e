import TapedeckHTTP
package import TapedeckRedaction

/// The steps to open a recorder: the directory, the lock, and recovery of a journal that a crash may have left.
package struct RecorderOpening {
  let directory: CassetteDirectory
  let made: [String]
  private(set) var recoveredCount = 0
  private(set) var warnings: [String] = []
  /// How many secrets were redacted in it that were not when it was recorded.
  private(set) var recoveredHiddenCount = 0
  /// Likely secrets in the recovered interactions.
  private(set) var recoveredFinds: [SecretFind] = []
  private let match: MatchSpec?
  private let choice: RedactionChoice
  private let rewriting: RewriteChoice
  private let template: CassetteManifest?
  let durability: Durability
  private let isDurable: Bool
  private let secrets: SecretPolicy

  /// How often another process may take the journal away between opening and locking it.
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

  /// The journal, locked; nil when it was taken away meanwhile.
  private func lockJournal() throws(CassetteError) -> OpenFile? {
    let journal = try directory.openForAppending(CassetteNames.journal)
    guard try journal.status().isPlain else { throw .notAPlainFile(path: journal.path) }
    guard try journal.tryLock() else {
      let header = try? JournalHeader(of: journal)
      throw .locked(directory: directory.path, pid: header?.pid)
    }
    return try directory.names(CassetteNames.journal, journal) ? journal : nil
  }

  /// Seals a left-over journal, which removes it.
  private mutating func recover(_ file: OpenFile) throws(CassetteError) {
    try Sealer.removeDebris(directory)
    let header = try JournalHeader(of: file)
    let known = try CassetteReader(directory).manifest()
    let recorded = header?.redaction ?? known?.redaction
    // The user's choice also applies to the left-over journal, so that a secret in it can be redacted or kept.
    let redaction =
      choice.isOff
      ? recorded ?? Redaction(upstream: known?.upstream ?? header?.upstream)
      : choice.changed(recorded, upstream: known?.upstream ?? header?.upstream)
    let matcher = RequestMatcher(header?.rules ?? known?.rules ?? MatchRules(), redaction: redaction)
    let late = try lateRedaction(redaction, isNew: redaction != recorded, of: file)
    let reader = CassetteReader(directory, matcher: matcher)
    var entries: [Sealer.Entry] = []
    let journal = try Journal(reading: file) { entry throws(CassetteError) in
      let (found, hiddenCount) = try recoverable(entry, late: late, reader: reader, matcher: matcher)
      entries.append(found)
      recoveredHiddenCount += hiddenCount
    }
    let sealer = Sealer(
      directory: directory, journal: file, matcher: matcher,
      isReplacing: journal.header?.isReplacing ?? false,
      upstream: journal.header?.upstream, rewriting: journal.header?.rewriting, isDurable: isDurable,
      refusesSecrets: secrets == .refuse || header?.refusesSecrets ?? false)
    let report = try sealer.seal(entries)
    recoveredCount += entries.count
    recoveredFinds += report.finds
    warnings += journal.warnings
    if !report.finds.isEmpty { warnings.append(SecretAdvice.warning(report.finds, path: directory.path)) }
  }

  /// Redacts a journal's interactions by rules that are new since they were recorded; nil when there are none.
  private func lateRedaction(
    _ redaction: Redaction, isNew: Bool, of file: OpenFile
  ) throws(CassetteError) -> LateRedaction? {
    guard isNew || secrets == .hide else { return nil }
    let late = LateRedaction(redaction, hidesFinds: secrets == .hide)
    let reader = CassetteReader(directory)
    _ = try Journal(reading: file) { entry throws(CassetteError) in
      let stored = try reader.interaction(entry.record.tree, name: CassetteNames.journal, in: entry.file)
      try late.learn(stored.interaction)
    }
    return late
  }

  private func recoverable(
    _ entry: Journal.Entry, late: LateRedaction?, reader: CassetteReader, matcher: RequestMatcher
  ) throws(CassetteError) -> (entry: Sealer.Entry, hiddenCount: Int) {
    let stored = try reader.interaction(entry.record.tree, name: CassetteNames.journal, in: entry.file)
    let (interaction, count) = late?.hidden(stored.interaction) ?? (stored.interaction, 0)
    let isChanged = interaction != stored.interaction
    let recording = SealPlan.Recording(
      digest: isChanged ? try matcher.key(for: interaction).digest : stored.key.digest,
      prefix: CassetteNames.prefix(of: interaction.request), arrival: entry.record.arrival,
      base: entry.record.base)
    var tree: JSONValue?
    if isChanged {
      tree = try InteractionFormat.encode(interaction) { body throws(CassetteError) in
        try BodyFile.store(body, in: directory)
      }
    }
    return (
      Sealer.Entry(recording: recording, offset: entry.offset, count: entry.count, hidden: tree),
      isChanged ? count : 0
    )
  }

  /// Starts a journal of our own.
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

/// The failures that a recording survives once its client has the whole response.
public enum Durability: String, Sendable, CaseIterable {
  /// The death of the process; the loss of power only once the cassette is sealed.
  case process
  /// The loss of power too: the disk is waited for at every exchange.
  case power
}

/// What to do about secrets that redaction has left in a recording when it is sealed.
public enum SecretPolicy: Sendable {
  /// Seal them and report them.
  case tell
  /// Seal nothing and leave the journal, at every later start too, until they are redacted or kept.
  case refuse
  /// Redact as many as possible; report the rest, or refuse them where the journal says so.
  case hide
}
