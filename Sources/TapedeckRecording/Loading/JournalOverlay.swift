/// What a journal that nobody sealed yet adds to the files of a cassette: what sealing would make of it, in memory.
struct JournalOverlay {
  private(set) var header: JournalHeader?
  private(set) var warnings: [String] = []
  private var recorded: [StoredInteraction] = []
  private var recordings: [SealPlan.Recording] = []

  /// Nothing, where there is no journal.
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

  /// Replaces and adds what the journal holds, in the order of the names.
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
