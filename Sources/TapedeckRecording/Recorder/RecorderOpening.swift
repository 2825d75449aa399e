import TapedeckHTTP

/// What stands between asking for a recorder and having one: the directory, the lock, and a journal that a crash may
/// have left.
struct RecorderOpening {
  let directory: CassetteDirectory
  let made: [String]
  private(set) var recoveredCount = 0
  private(set) var warnings: [String] = []
  private let match: MatchSpec?
  private let choice: RedactionChoice
  private let template: CassetteManifest?
  let durability: Durability
  private let isDurable: Bool

  /// How often another process may take the journal away between opening and locking it.
  private static let maximumAttempts = 100

  init(
    _ path: String, match: MatchSpec?, redaction choice: RedactionChoice, template: CassetteManifest? = nil,
    durability: Durability, isDurable: Bool
  ) throws(CassetteError) {
    if ImportFile.isMeant(by: path) { throw .notOurs(path: path) }
    (directory, made) = try CassetteDirectory.create(path)
    self.match = match
    self.choice = choice
    self.template = template
    self.durability = durability
    self.isDurable = isDurable
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
    let matcher = RequestMatcher(
      header?.rules ?? known?.rules ?? MatchRules(),
      redaction: header?.redaction ?? known?.redaction
        ?? Redaction(upstream: known?.upstream ?? header?.upstream))
    let reader = CassetteReader(directory, matcher: matcher)
    var entries: [Sealer.Entry] = []
    let journal = try Journal(reading: file) { entry throws(CassetteError) in
      let stored = try reader.interaction(entry.record.tree, name: CassetteNames.journal, at: entry.place)
      let recording = SealPlan.Recording(
        digest: stored.key.digest, prefix: CassetteNames.prefix(of: stored.interaction.request),
        arrival: entry.record.arrival, base: entry.record.base)
      entries.append(Sealer.Entry(recording: recording, offset: entry.offset, count: entry.count))
    }
    let sealer = Sealer(
      directory: directory, journal: file, matcher: matcher,
      isReplacing: journal.header?.isReplacing ?? false,
      upstream: journal.header?.upstream, isDurable: isDurable)
    _ = try sealer.seal(entries)
    recoveredCount += entries.count
    warnings += journal.warnings
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
      let reader = CassetteReader(directory, matcher: matcher)
      let index = try CassetteIndex(reader)
      let header = JournalHeader(
        pid: OpenFile.processID, isReplacing: isReplacing, upstream: upstream,
        rules: rules == present?.rules ? nil : rules, redaction: redaction
      ).line
      try journal.write(header)
      if durability == .power { try directory.syncFileSystem() }
      let sealer = Sealer(
        directory: directory, journal: journal, matcher: matcher, isReplacing: isReplacing,
        upstream: upstream, template: template, isDurable: isDurable)
      return CassetteRecorder(
        self, sealer: sealer, replacedRules: known == rules ? nil : known,
        bases: isReplacing ? [:] : index.highestOrdinals, journalBytes: header.count,
        room: CassetteLimits.interactions - index.files.count)
    } catch {
      try? directory.remove(CassetteNames.journal)
      throw error
    }
  }
}
