import TapedeckHTTP
package import TapedeckRecording
import TapedeckRedaction

extension Cassette {
  /// Reads a cassette, or in its place a file of another tool, such as a HAR.
  /// - Parameters: those of `load`.
  /// - Throws: `CassetteError.absent` when there is no cassette; anything else when there is one that is not in order.
  package static func open(
    _ path: String, match: MatchSpec? = nil, reading: InteractionReading = .atOnce,
    progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(CassetteError) -> Cassette {
    if ForeignFile.isThere(path) { return try load(file: path, match: match) }
    return try load(path, match: match, reading: reading, progress: progress)
  }

  /// Reads a file of another tool as if it had been imported; what could not be carried over is among the warnings.
  static func load(
    file path: String, match: MatchSpec?
  ) throws(CassetteError) -> Cassette {
    var session = try ImportedSession.read(path)
    let known = session.rules
    let matcher = RequestMatcher(
      try match.map { spec throws(CassetteError) in try known.changed(spec) } ?? known,
      redaction: session.manifest?.redaction
        ?? Redaction(upstream: session.upstream))
    session.settleOrigins(by: matcher)
    let upstream = session.upstream
    let keys = session.exchanges.map { matcher.key(for: $0.interaction.request) }
    let names = SealPlan(
      existing: [],
      recordings: zip(session.exchanges, keys).enumerated().map { arrival, pair in
        SealPlan.Recording(
          digest: pair.1.digest, prefix: CassetteNames.prefix(of: pair.0.interaction.request),
          arrival: arrival,
          base: 0)
      }, isReplacing: true
    ).names
    var stored: [StoredInteraction] = []
    var loaded = LoadedAmount(path: path)
    for (index, exchange) in session.exchanges.enumerated() {
      let interaction = exchange.interaction
      let one = StoredInteraction(
        names[index], interaction, key: keys[index],
        bytes: interaction.request.body.count + interaction.response.body.heldCount)
      try loaded.add(one)
      stored.append(one)
    }
    stored.sort { $0.fileName.utf8.lexicographicallyPrecedes($1.fileName.utf8) }
    return Cassette(
      path: path, manifest: session.manifest, upstream: upstream, matcher: matcher, recordedRules: known,
      answers: stored,
      warnings: ImportNote.summary(session.notes))
  }
}
