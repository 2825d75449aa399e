import TapedeckHTTP
package import TapedeckRecording
package import TapedeckRedaction

extension ImportedSession {
  /// Records every exchange into a cassette, as traffic is recorded: redaction, journal, lock and seal. Recordings of
  /// the same request are replaced, so that importing a file twice is importing it once.
  /// - Parameters:
  ///   - upstream: the only origin of the cassette; `nil` for the one it names already, or the one of most exchanges.
  ///     Exchanges that name their origins make a cassette of several.
  ///   - isEnded: asked before each exchange; once it is true, the rest is left out.
  ///   - progress: called after each exchange with how many are done.
  /// - Returns: the report of sealing, and how many secrets were hidden; `nil` if there was nothing to record.
  package func record(
    into path: String, upstream: String? = nil, match: MatchSpec? = nil,
    redaction: RedactionChoice = RedactionChoice(), secrets: SecretPolicy = .tell,
    until isEnded: () -> Bool = { false }, progress: (Int) -> Void = { _ in }
  ) throws(CassetteError) -> (report: SealReport, hidden: Int)? {
    guard !exchanges.isEmpty else { return nil }
    let present = try Self.manifest(of: path)
    let opening = try RecorderOpening(
      path, match: match, redaction: redaction, template: manifest, durability: .process, isDurable: true,
      secrets: secrets)
    let isNamed = exchanges[0].interaction.request.namesOrigin
    let recorder = try CassetteRecorder.open(
      opening, origins: isNamed ? .several : .one(upstream ?? present?.upstream ?? self.upstream),
      replacing: true)
    do throws(CassetteError) {
      for (index, exchange) in exchanges.enumerated() where !isEnded() {
        try recorder.record(exchange.interaction, arrival: recorder.nextArrival())
        progress(index + 1)
      }
      return (try recorder.seal(), recorder.hiddenCount)
    } catch {
      guard case .secretsFound(let directory, let finds, _) = error else {
        _ = try? recorder.seal()
        throw error
      }
      recorder.discard()
      throw .secretsFound(directory: directory, finds: finds, isKept: false)
    }
  }

  /// Makes the exchanges those of a cassette: of one origin if `upstream` is given or the cassette that is imported into
  /// is of one, else of as many as there are.
  package mutating func settle(
    for path: String, upstream: String?, match: MatchSpec?
  ) throws(CassetteError) {
    let present = try Self.manifest(of: path)?.recordedOrigins
    if upstream == nil, present ?? recordedOrigins == .several { return nameOrigins() }
    settleOrigins(by: try matcher(for: path, match: match))
  }

  /// The matcher of the cassette that is imported into.
  package func matcher(
    for path: String, match: MatchSpec? = nil
  ) throws(CassetteError) -> RequestMatcher {
    RequestMatcher(try (Self.manifest(of: path)?.rules ?? rules).changed(by: match))
  }

  /// The manifest of the cassette that is imported into; `nil` if there is none yet.
  private static func manifest(of path: String) throws(CassetteError) -> CassetteManifest? {
    if ForeignFile.isMeant(by: path) { throw .notOurs(path: path) }
    do throws(CassetteError) {
      return try CassetteReader(CassetteDirectory(opening: path)).manifest()
    } catch {
      guard case .absent = error else { throw error }
      return nil
    }
  }
}
