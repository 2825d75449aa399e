import TapedeckHTTP
import TapedeckRedaction

/// Replaces a journal by one without the secrets that were known only after its lines were written.
///
/// This happens before sealing, because after an interruption nobody knows the secrets any more: from then on
/// the journal alone says what is sealed. The new journal is locked before it gets the old one's name.
struct JournalRewriting {
  private static let temporary = "\(Sealer.temporaryPrefix)journal.tmp"
  private static let pieceBytes = 1 << 20

  let directory: CassetteDirectory
  let matcher: RequestMatcher
  let late: LateRedaction
  /// The highest ordinal of each key in the cassette's files; empty when the journal replaces them.
  let bases: [MatchKey: Int]
  /// The keys whose highest ordinal has changed since the journal was begun.
  let changedBases: Set<MatchKey>

  private var copy: (file: OpenFile, pending: [UInt8])?
  private(set) var hiddenCount = 0

  init(
    _ directory: CassetteDirectory, _ matcher: RequestMatcher, _ late: LateRedaction,
    bases: [MatchKey: Int], changedBases: Set<MatchKey>
  ) {
    self.directory = directory
    self.matcher = matcher
    self.late = late
    self.bases = bases
    self.changedBases = changedBases
  }

  /// - Returns: the new journal, locked; `nil` when nothing in the old one changes.
  mutating func rewrite(_ journal: OpenFile, isDurable: Bool) throws(CassetteError) -> OpenFile? {
    do throws(CassetteError) {
      let reader = CassetteReader(directory, matcher: matcher)
      var rewriting = self
      _ = try Journal(reading: journal) { entry throws(CassetteError) in
        try rewriting.take(entry, of: journal, reader)
      }
      self = rewriting
      guard let file = copy?.file else { return nil }
      try flush(atLeast: 0)
      if isDurable { try file.sync() }
      try directory.rename(Self.temporary, to: CassetteNames.journal)
      return file
    } catch {
      try? directory.remove(Self.temporary)
      throw error
    }
  }

  private mutating func take(
    _ entry: Journal.Entry, of journal: OpenFile, _ reader: CassetteReader
  ) throws(CassetteError) {
    let stored = try reader.interaction(entry.record.tree, name: CassetteNames.journal, in: entry.file)
    let old = try stored.read()
    let directory = directory
    let (interaction, count) = try late.hidden(old) { copy throws(CassetteError) in
      try BodyFile.store(copy, in: directory)
    }
    let key = interaction == old ? stored.key : try matcher.key(for: interaction)
    let isMoved = key != stored.key || changedBases.contains(key)
    guard interaction != old || isMoved else {
      if copy == nil { return }
      copy?.pending += try journal.bytes(at: entry.offset, count: entry.count) + [ASCII.lineFeed]
      return try flush(atLeast: Self.pieceBytes)
    }
    if copy == nil { try begin(journal, upTo: entry.offset) }
    hiddenCount += interaction == old ? 0 : max(count, 1)
    let base = isMoved ? bases[key] ?? 0 : entry.record.base
    let line = try JournalRecord.line(arrival: entry.record.arrival, base: base) {
      out throws(CassetteError) in
      try InteractionFormat.write(interaction, to: &out) { body throws(CassetteError) in
        try BodyFile.store(body, in: directory)
      }
    }
    copy?.pending += line
    try flush(atLeast: Self.pieceBytes)
  }

  /// Copies what stands before the first change.
  private mutating func begin(_ journal: OpenFile, upTo end: Int) throws(CassetteError) {
    let file = try directory.openForAppending(Self.temporary, as: CassetteNames.journal)
    guard try file.tryLock() else { throw .locked(directory: directory.path, pid: nil) }
    copy = (file, [])
    var offset = 0
    while offset < end {
      let piece = try journal.bytes(at: offset, count: min(Self.pieceBytes, end - offset))
      guard !piece.isEmpty else { return }
      copy?.pending += piece
      try flush(atLeast: 0)
      offset += piece.count
    }
  }

  private mutating func flush(atLeast count: Int) throws(CassetteError) {
    guard let (file, pending) = copy, pending.count >= count else { return }
    copy = (file, [])
    try file.write(pending)
  }
}

extension Sealer {
  /// Takes the secrets of `late` out of the journal, and plans the same for the cassette's files.
  /// - Returns: the number of hidden values, and whether the journal must be read again.
  mutating func hide(_ late: LateRedaction) throws(CassetteError) -> (count: Int, isRewritten: Bool) {
    let index = try CassetteIndex(CassetteReader(directory, matcher: matcher), hiding: late)
    var rewriting = JournalRewriting(
      directory, matcher, late, bases: isReplacing ? [:] : index.highestOrdinals,
      changedBases: isReplacing ? [] : index.movedKeys)
    guard let file = try rewriting.rewrite(journal, isDurable: isDurable) else { return (0, false) }
    journal = file
    return (rewriting.hiddenCount, true)
  }

  /// The recordings in the journal.
  func recordings() throws(CassetteError) -> (entries: [SealPlan.Recording], warnings: [String]) {
    let reader = CassetteReader(directory, matcher: matcher)
    var entries: [SealPlan.Recording] = []
    let journal = try Journal(reading: journal) { entry throws(CassetteError) in
      let stored = try reader.interaction(entry.record.tree, name: CassetteNames.journal, in: entry.file)
      entries.append(SealPlan.Recording(entry, stored.key, stored.recorded.request))
    }
    return (entries, journal.warnings)
  }
}
