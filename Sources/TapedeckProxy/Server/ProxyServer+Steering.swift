internal import Synchronization
import TapedeckHTTP
import TapedeckOverrides
public import TapedeckRecording
package import TapedeckSockets
internal import TapedeckUpstream

/// What can be changed while the proxy runs. Each change holds for the next request.
extension ProxyServer {
  /// The record mode in force.
  public var mode: RecordMode { slot.current.mode }

  /// The folder of the cassette that is in, there or to be made; `nil` where none is.
  public var cassettePath: String? { slot.current.cassettePath }

  /// Where cassettes lie that can be put in: beside the one of the start.
  public var cassetteFolder: String {
    guard let path = configuration.cassette else { return "Cassettes" }
    return path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Whether requests that nothing responds to are recorded.
  public var records: Bool { slot.current.disposition(.unknown) == .record }

  /// The folder of the session's cassette, its own or the proxy's.
  package func cassettePath(of session: Session) -> String? { inserted(for: session).cassettePath }

  /// The same as the user knows it: an object store's by its place.
  package func cassetteName(of session: Session) -> String? {
    cassettePath(of: session).map { configuration.cassettePlace ?? $0 }
  }

  /// The place of the cassette in an object store; `nil` for a local one.
  package var cassettePlace: String? { configuration.cassettePlace }

  /// Why recordings would be lost: the cassette is a copy from an object store, and nothing would put them there.
  package var recordingObstacle: String? {
    guard let place = cassettePlace, !configuration.mode.mayRecord(cassetteExists: false) else { return nil }
    return "this proxy does not record into \(place); to do so, start one with --mode new_episodes"
  }

  /// How many interactions can be replayed, and how many were recorded since the cassette was put in.
  public var interactionCounts: (recorded: Int, replayable: Int) {
    interactionCounts(of: sessions.standard)
  }

  /// The same for the session's own cassette, if it has one.
  package func interactionCounts(of session: Session) -> (recorded: Int, replayable: Int) {
    let cassette = inserted(for: session)
    return (cassette.recorder?.count ?? 0, cassette.cassette?.count ?? 0)
  }

  /// The origin, as a URL.
  public var upstream: String? { configuration.upstream }

  /// Notes another listener of this process, which no client may reach through the proxy.
  package func reserve(_ address: SocketAddress) { listener.reserve(address) }

  /// Whether the origin is a listener of this process.
  package func upstreamReaches(_ listening: SocketAddress) -> Bool {
    guard let origin = try? configuration.upstreamConfiguration()?.origin else { return false }
    return origin.reaches(listening)
  }

  /// TLS for another listener of this process, with the certificate of this one or with those that an authority signs.
  package func makeTLS(signedBy authority: AuthorityPEM?) throws -> TLSServer? {
    try configuration.tlsServer(authority)
  }

  /// Times exchanges from now on.
  package func measureLatency() { statistics.measureLatency() }

  /// How many of the exchanges that were timed took at most so long, and longer than the bound before; without a bound,
  /// any longer. With the time that all took.
  package var latencies: (buckets: [(boundNanoseconds: Int?, count: Int)], sumNanoseconds: Int) {
    let (counts, sum) = statistics.latencies
    let bounds: [Int?] = LatencyHistogram.boundsNanoseconds + [nil]
    return (Array(zip(bounds, counts)), sum)
  }

  /// What the run has come to so far.
  public var summary: ProxySummary { statistics.summary }

  /// Puts in another cassette, or none, and another mode. What was being recorded is sealed first; requests wait
  /// meanwhile, and every session begins the new cassette with its first responses.
  ///
  /// Throws `ProxyError` or `CassetteError`; what was in then stays in, unless its sealing failed, after which it is
  /// replayed but nothing more is recorded.
  /// - Returns: what sealing came to; `nil` where nothing was being recorded.
  @discardableResult
  public func change(mode: RecordMode, cassette: String?) throws -> SealReport? {
    try change(mode: mode, cassette: cassette, ignoring: [])
  }

  /// The same for a session that has a cassette of its own. Throws `ProxyError.cassetteBusy` besides.
  @discardableResult
  package func change(_ session: Session, mode: RecordMode, cassette: String?) throws -> SealReport? {
    guard let own = session.slot else { throw ProxyError.sessionWithoutCassette(session.name ?? "") }
    if let cassette, mode.needsCassette { try refuseBusy(cassette, except: session) }
    return try reopen(own, mode: mode, cassette: cassette) { session.rewind() }
  }

  /// What matching ignores besides its rules, in words of `--match`, until another cassette or mode is set.
  package var ignoredWords: [String] { ignored.withLock { $0 } }

  /// Whether recordings are replayed and none is made, so that matching can be changed for this run alone.
  package var onlyReplays: Bool { slot.current.cassette != nil && slot.current.recorder == nil }

  /// Ignores further places when requests are matched, from the next request on. Every recorded sequence begins anew.
  ///
  /// Throws `MatchSpecError` or `CassetteError`; the rules then stay as they were.
  /// - Parameter words: of `--match`, in the place of those set before.
  package func ignore(_ words: [String]) throws {
    _ = try change(mode: mode, cassette: cassettePath, ignoring: words)
    slot.current.tellRules(to: configuration.notice)
  }

  private func change(mode: RecordMode, cassette: String?, ignoring words: [String]) throws -> SealReport? {
    try reopen(slot, mode: mode, cassette: cassette, ignoring: words) { sessions.rewindCursors() }
  }

  /// Takes out the cassette of a slot, seals it, and puts one in again.
  /// - Parameters:
  ///   - meanwhile: what is done while none is in. When it throws, what was in is put in again.
  ///   - rewind: begins the sequences of the sessions that use the slot anew.
  func reopen(
    _ slot: CassetteSlot, mode: RecordMode, cassette: String?, ignoring words: [String] = [],
    meanwhile: () throws -> Void = {}, rewind: () -> Void
  ) throws -> SealReport? {
    var wanted = configuration
    if !words.isEmpty { wanted.match = try (wanted.match ?? MatchSpec([])).adding(words) }
    wanted.mode = mode
    wanted.cassette = cassette
    try wanted.validate()
    let upstream = try wanted.upstreamConfiguration()
    var report: SealReport?
    var failure: (any Error)?
    try slot.replace { old in
      old.eject()
      report = try old.recorder?.seal()
      if let report { tell(report, cassette: old.cassettePath) }
      rewind()
      do {
        try meanwhile()
        return try InsertedCassette.open(wanted, upstream: upstream?.origin, statistics)
      } catch {
        failure = error
        var before = configuration
        before.mode = old.mode
        before.cassette = old.cassettePath
        return try InsertedCassette.open(before, upstream: upstream?.origin, statistics)
      }
    }
    if slot === self.slot { ignored.withLock { $0 = failure == nil ? words : [] } }
    if let failure { throw failure }
    return report
  }

  /// Counts what was sealed while the proxy runs, and says what may be a secret in it.
  func tell(_ report: SealReport, cassette: String?) {
    statistics.countSealed(report)
    guard !report.finds.isEmpty, let cassette else { return }
    for line in "warning: \(SecretAdvice.warning(report.finds, path: cassette))".split(separator: "\n") {
      configuration.notice(String(line))
    }
  }

  /// Saves the rules of the default session in the overrides file; `nil` where there is none. Throws `OverridesSavingError`
  /// or `OverridesFileError`, and then changes nothing.
  /// - Returns: the file, and for people what it holds.
  package func saveOverrides() throws -> (file: String, content: String)? {
    guard let snapshot = overridesSnapshot, let path = configuration.overridesFile,
      let known = sessions.lastDocument?.json ?? (try? JSONValue(parsing: snapshot.bytes))
    else { return nil }
    let document = try OverridesFile(readingCassettes: path).save(sessions.standard.overrides, over: known)
    sessions.adopt(document)
    return (path, document.summary)
  }

  /// Begins anew: every recorded sequence with its first response, all counts of rules at zero, stores as at the start.
  public func reset(_ session: Session) { session.reset(slot.current.cassette) }
}
