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
