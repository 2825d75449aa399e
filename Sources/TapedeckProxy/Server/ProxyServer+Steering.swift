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

  /// How many interactions can be replayed, and how many were recorded since the cassette was put in.
  public var interactionCounts: (recorded: Int, replayable: Int) {
    let cassette = slot.current
    return (cassette.recorder?.count ?? 0, cassette.cassette?.count ?? 0)
  }

  /// The origin, as a URL.
  public var upstream: String? { configuration.upstream }

  /// Whether the origin is a listener of this process.
  package func upstreamReaches(_ listening: SocketAddress) -> Bool {
    guard let origin = try? configuration.upstreamConfiguration()?.origin else { return false }
    return origin.reaches(listening)
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
    var wanted = configuration
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
      sessions.rewindCursors()
      do {
        return try InsertedCassette.open(wanted, upstream: upstream?.origin, statistics)
      } catch {
        failure = error
        var before = configuration
        before.mode = old.mode
        before.cassette = old.cassettePath
        return try InsertedCassette.open(before, upstream: upstream?.origin, statistics)
      }
    }
    if let failure { throw failure }
    return report
  }

  /// Counts what was sealed while the proxy runs, and says what may be a secret in it.
  private func tell(_ report: SealReport, cassette: String?) {
    statistics.countSealed(report)
    guard !report.finds.isEmpty, let cassette else { return }
    for line in "warning: \(SecretAdvice.warning(report.finds, path: cassette))".split(separator: "\n") {
      configuration.notice(String(line))
    }
  }

  /// Begins anew: every recorded sequence with its first response, all counts of rules at zero, stores as at the start.
  public func reset(_ session: Session) { session.reset(slot.current.cassette) }
}
