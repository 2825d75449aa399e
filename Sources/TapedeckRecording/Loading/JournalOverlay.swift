/// The interactions that an unsealed journal adds to the files of a cassette, in memory, as sealing would write them.
struct JournalOverlay {
  private(set) var header: JournalHeader?
  private(set) var warnings: [String] = []
  private var recorded: [StoredInteraction] = []
  private var recordings: [SealPlan.Recording] = []

  /// Empty when there is no journal.
  init(
    _ file: OpenFile?, reader: CassetteReader, loaded: inout LoadedAmount
  ) throws(CassetteError) {
    guard let file else { return }
    var recorded: [StoredInteraction] = []
    var recordings: [SealPlan.Recording] = []
    let journal = try Journal(reading: file) { entry throws(CassetteError) in
      let stored = try reader.interaction(
        entry.record.tree, name: CassetteNames.journal, in: entry.file, bytes: entry.count)
      try loaded.add(stored)
      recorded.append(stored)
      recordings.append(
        SealPlan.Recording(
          digest: stored.key.digest, prefix: CassetteNames.prefix(of: stored.recorded.request),
          arrival: entry.record.arrival, base: entry.record.base))
    }
    header = journal.header
    warnings = journal.warnings
    self.recorded = recorded
    self.recordings = recordings
  }

  var isEmpty: Bool { recorded.isEmpty }

  /// Adds the journal's interactions and replaces files as sealing would, in the order of the names.
  func apply(to interactions: inout [StoredInteraction]) throws(CassetteError) {
    guard !isEmpty else { return }
    let plan = SealPlan(
      existing: interactions.map { SealPlan.Existing(name: $0.fileName, digest: $0.key.digest) },
      recordings: recordings, isReplacing: header?.isReplacing ?? false)
    let hidden = Set(plan.names).union(plan.removals)
    interactions.removeAll { hidden.contains($0.fileName) }
    for (name, stored) in zip(plan.names, recorded) { interactions.append(try stored.renamed(name)) }
    interactions.sort { $0.fileName.utf8.lexicographicallyPrecedes($1.fileName.utf8) }
  }
}
