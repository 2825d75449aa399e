package import TapedeckRedaction

/// Assigns recordings to files, as a pure function of the files that exist and the recordings.
///
/// Keys are taken in the order of their digests and recordings of a key in the order their requests came, so neither
/// concurrency nor the order of lines makes a difference. A file that is there keeps its name. Planning again when a
/// part of a plan has been carried out gives the same plan.
package struct SealPlan {
  /// A file that is there.
  package struct Existing {
    var name: String
    var digest: SHA256Digest
  }

  /// A recording that has no file yet.
  package struct Recording {
    var digest: SHA256Digest
    /// The beginning of its name.
    var prefix: String
    var arrival: Int
    /// See `JournalRecord`.
    var base: Int

    package init(digest: SHA256Digest, prefix: String, arrival: Int, base: Int) {
      self.digest = digest
      self.prefix = prefix
      self.arrival = arrival
      self.base = base
    }
  }

  /// The name for each recording, in the order they were given.
  package private(set) var names: [String]
  /// Files of replaced keys that got no new content.
  private(set) var removals: [String] = []

  private var existing: [SHA256Digest: [Existing]]
  private var stemOwners: [String: SHA256Digest] = [:]
  /// The key of each existing name. Two keys may share a stem where cassettes were recorded by rules that told them
  /// apart no further.
  private var nameOwners: [String: SHA256Digest]

  package init(existing: [Existing], recordings: [Recording], isReplacing: Bool) {
    self.existing = Dictionary(grouping: existing, by: \.digest)
    names = [String](repeating: "", count: recordings.count)
    nameOwners = Dictionary(existing.map { ($0.name, $0.digest) }) { first, _ in first }
    for file in existing { stemOwners[CassetteNames.parse(file.name).stem] = file.digest }
    let groups = Dictionary(grouping: recordings.indices) { recordings[$0].digest }
    for (digest, indices) in groups.sorted(by: { $0.key < $1.key }) {
      let ordered = indices.sorted { (recordings[$0].arrival, $0) < (recordings[$1].arrival, $1) }
      place(ordered, of: recordings, digest: digest, isReplacing: isReplacing)
    }
    removals.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private mutating func place(
    _ ordered: [Int], of recordings: [Recording], digest: SHA256Digest, isReplacing: Bool
  ) {
    let files = existing[digest] ?? []
    let present = Dictionary(files.map { (CassetteNames.parse($0.name).ordinal, $0.name) }) { first, _ in
      first
    }
    let ordinals = ordered.indices.map { recordings[ordered[$0]].base + $0 + 1 }
    // The least, so that the order in which requests came makes no difference.
    let stem = stem(
      prefix: ordered.map { recordings[$0].prefix }.min() ?? "", digest: digest,
      for: ordinals.filter { present[$0] == nil })
    stemOwners[stem] = digest
    var isUsed: Set<String> = []
    for (ordinal, index) in zip(ordinals, ordered) {
      names[index] = present[ordinal] ?? CassetteNames.name(stem: stem, ordinal: ordinal)
      nameOwners[names[index]] = digest
      isUsed.insert(names[index])
    }
    if isReplacing { removals += files.map(\.name).filter { !isUsed.contains($0) } }
  }

  /// The stem that the key's files share, whatever they would be called today; else the shortest that no other key has.
  /// These ordinals are free under it.
  private func stem(prefix: String, digest: SHA256Digest, for ordinals: [Int]) -> String {
    let own = Set((existing[digest] ?? []).map { CassetteNames.parse($0.name).stem })
    if own.count == 1, let stem = own.first, areFree(ordinals, under: stem, for: digest) { return stem }
    return CassetteNames.stem(of: digest, prefix: prefix, owners: stemOwners) {
      areFree(ordinals, under: $0, for: digest)
    }
  }

  private func areFree(_ ordinals: [Int], under stem: String, for digest: SHA256Digest) -> Bool {
    ordinals.allSatisfy { ordinal in
      let owner = nameOwners[CassetteNames.name(stem: stem, ordinal: ordinal)]
      return owner == nil || owner == digest
    }
  }
}

/// Which files a cassette has, which key each is for and which bodies it needs.
struct CassetteIndex {
  private(set) var files: [SealPlan.Existing] = []
  /// The highest ordinal of each key.
  private(set) var highestOrdinals: [MatchKey: Int] = [:]
  private var bodies: [String: [String]] = [:]

  init(_ reader: CassetteReader) throws(CassetteError) {
    for name in try reader.directory.names() where CassetteNames.isInteraction(name) {
      guard let stored = try reader.interaction(name) else { continue }
      files.append(SealPlan.Existing(name: name, digest: stored.key.digest))
      highestOrdinals[stored.key] = max(highestOrdinals[stored.key] ?? 0, stored.ordinal)
      setBodies(stored.bodyNames, of: name)
    }
  }

  mutating func setBodies(_ names: [String], of file: String) {
    if names.isEmpty { bodies[file] = nil } else { bodies[file] = names }
  }

  mutating func remove(_ file: String) { bodies[file] = nil }

  /// All files in `bodies/` that are needed.
  var bodyNames: Set<String> { Set(bodies.values.joined()) }
}
