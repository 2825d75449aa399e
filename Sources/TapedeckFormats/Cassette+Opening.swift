import TapedeckHTTP
package import TapedeckRecording
import TapedeckRedaction

extension Cassette {
  /// Reads a cassette, or in its place a file of another tool, such as a HAR.
  /// - Parameters: those of `load`, and:
  ///   - asOne: whether a file of another tool is read as a recording of one origin, whatever hosts it names: a reverse
  ///     proxy stands for one.
  /// - Throws: `CassetteError.absent` when there is no cassette; anything else when there is one that is not in order.
  package static func open(
    _ path: String, match: MatchSpec? = nil, reading: InteractionReading = .atOnce, asOne: Bool = false,
    progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(CassetteError) -> Cassette {
    if ForeignFile.isThere(path) { return try load(file: path, match: match, asOne: asOne) }
    return try load(path, match: match, reading: reading, progress: progress)
  }

  /// Reads a file of another tool as if it had been imported; what could not be carried over is among the warnings.
  static func load(file path: String, match: MatchSpec?, asOne: Bool) throws(CassetteError) -> Cassette {
    var session = try ImportedSession.read(path)
    let isOfSeveral = !asOne && session.recordedOrigins == .several
    let matcher = RequestMatcher(
      try session.rules.changed(by: match), redaction: session.redaction, comparesOrigin: isOfSeveral)
    if isOfSeveral { session.nameOrigins() } else { session.settleOrigins(by: matcher) }
    let interactions = session.exchanges.map(\.interaction)
    let keys = interactions.map { matcher.key(for: $0.request) }
    let recordings = interactions.indices.map { index in
      SealPlan.Recording(
        digest: keys[index].digest, prefix: CassetteNames.prefix(of: interactions[index].request),
        arrival: index, base: 0)
    }
    let names = SealPlan(existing: [], recordings: recordings, isReplacing: true).names
    var stored: [StoredInteraction] = []
    var loaded = LoadedAmount(path: path)
    for (index, interaction) in interactions.enumerated() {
      let bytes = interaction.request.body.count + interaction.response.body.heldCount
      stored.append(StoredInteraction(names[index], interaction, key: keys[index], bytes: bytes))
      try loaded.add(stored[index])
    }
    stored.sort { $0.fileName.utf8.lexicographicallyPrecedes($1.fileName.utf8) }
    return Cassette(
      path: path, manifest: session.manifest, upstream: isOfSeveral ? nil : session.upstream,
      matcher: matcher,
      recordedRules: session.rules, interactions: stored, warnings: ImportNote.summary(session.notes))
  }
}

extension MatchRules {
  /// The rules with the changes of a spec, if there is one.
  func changed(by match: MatchSpec?) throws(CassetteError) -> MatchRules {
    guard let match else { return self }
    return try changed(match)
  }
}
