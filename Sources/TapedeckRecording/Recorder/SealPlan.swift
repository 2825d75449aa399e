import TapedeckHTTP
package import TapedeckRedaction

/// Assigns new interactions to files, as a pure function of the interactions and the existing files.
///
/// Keys are ordered by digest, and a key's interactions by request, so that concurrency and line order do not
/// matter. Existing files keep their names, and planning again after part of a plan gives the same plan.
package struct SealPlan {
  package typealias Existing = (name: String, digest: SHA256Digest)

  package struct Recording: Sendable {
    var digest: SHA256Digest
    var prefix: String
    var arrival: Int
    var base: Int
    /// The offset of its line in the journal.
    var offset: Int
    var count: Int

    package init(
      digest: SHA256Digest, prefix: String, arrival: Int, base: Int, offset: Int = 0, count: Int = 0
    ) {
      (self.digest, self.prefix, self.arrival, self.base) = (digest, prefix, arrival, base)
      (self.offset, self.count) = (offset, count)
    }

    init(_ entry: Journal.Entry, _ key: MatchKey, _ request: HTTPRequest) {
      self.init(
        digest: key.digest, prefix: CassetteNames.prefix(of: request), arrival: entry.record.arrival,
        base: entry.record.base, offset: entry.offset, count: entry.count)
    }
  }

  package private(set) var names: [String]
  /// Files of replaced keys that got no new content.
  private(set) var removals: [String] = []

  private var existing: [SHA256Digest: [Existing]]
  private var stemOwners: [String: SHA256Digest] = [:]
  /// The key of each existing name; two keys may share a stem if earlier rules did not distinguish them.
  private var nameOwners: [String: SHA256Digest]

  package init(existing: [Existing], recordings: [Recording], isReplacing: Bool) {
    self.existing = Dictionary(grouping: existing) { $0.digest }
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
    let present = Dictionary(files.map { (CassetteNames.ordinal($0.name), $0.name) }) { first, _ in first }
    let ordinals = ordered.indices.map { recordings[ordered[$0]].base + $0 + 1 }
    // The smallest, so that the order of arrival makes no difference.
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
    if isReplacing { removals += files.map { $0.name }.filter { !isUsed.contains($0) } }
  }

  /// The stem that the key's files share, else the shortest free one; the ordinals are free under it.
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
