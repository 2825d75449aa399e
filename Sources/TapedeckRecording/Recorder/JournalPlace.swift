/// Where a journal holds an interaction, and what seals it.
struct JournalPlace: Sendable {
  /// The request's number in the recording.
  var arrival: Int
  /// The key's highest ordinal before this session.
  var base: Int
  /// The offset of its line, and the line's length without its line feed.
  var offset: Int
  var count: Int
}

extension Sealer {
  /// The recordings at these places of the journal. Their keys and names are made on several threads.
  func recordings(at places: [JournalPlace]) throws(CassetteError) -> [SealPlan.Recording] {
    try Workers.map(places) { [self] places throws(CassetteError) in
      let reader = CassetteReader(directory, matcher: matcher)
      return try places.map { place throws(CassetteError) in
        let tree = try record(at: place.offset, count: place.count).tree
        let stored = try reader.interaction(tree, name: CassetteNames.journal, in: journal.path)
        return SealPlan.Recording(
          digest: stored.key.digest, prefix: CassetteNames.prefix(of: stored.recorded.request),
          arrival: place.arrival, base: place.base, offset: place.offset, count: place.count)
      }
    }
  }

  func record(at offset: Int, count: Int) throws(CassetteError) -> JournalRecord {
    let line = try journal.bytes(at: offset, count: count)
    guard let record = JournalRecord(line: line[...]) else {
      throw .damagedJournal(file: journal.path, line: 0, problem: "the checksum no longer agrees")
    }
    return record
  }
}
