internal import TapedeckHTTP
internal import TapedeckSockets

/// The chains of one loop, by the sessions they are for.
final class SessionChains {
  /// How requests name their session; `nil` where all belong to the default one.
  let selector: SessionSelector?
  let standard: SessionChain
  private let sessions: Sessions
  private let parts: ChainParts
  private var chains: [String: SessionChain] = [:]
  /// The sessions' version that `chains` reflects.
  private var version = 0
  private var timer: LoopTimer?
  /// How often idle sessions are looked for, while there are any.
  private static let sweepMilliseconds: Int64 = 5_000

  init(_ sessions: Sessions, _ parts: ChainParts) {
    self.sessions = sessions
    self.parts = parts
    selector = parts.configuration.sessionSelector
    standard = SessionChain(sessions.standard, parts)
  }

  /// The chain of a named session; `nil` when there are too many sessions.
  func chain(for name: String) -> SessionChain? {
    forgetDropped()
    if let known = known(name) { return known }
    guard let session = sessions.session(name) else { return nil }
    let chain = SessionChain(session, parts)
    chains[name] = chain
    sweepLater()
    return chain
  }

  /// The chain of a session that has been asked before on this loop.
  func known(_ name: String) -> SessionChain? { chains[name].flatMap { $0.session.isDropped ? nil : $0 } }

  private func forgetDropped() {
    let current = sessions.version
    guard current != version else { return }
    version = current
    chains = chains.filter { !$0.value.session.isDropped }
  }

  private func sweepLater() {
    guard timer == nil else { return }
    let timer = parts.loop.makeTimer { [weak self] in self?.sweep() }
    timer.set(MonotonicTime(nanoseconds: MonotonicTime.now.nanoseconds + Self.sweepMilliseconds * 1_000_000))
    self.timer = timer
  }

  private func sweep() {
    timer = nil
    sessions.dropIdle()
    forgetDropped()
    if !chains.isEmpty { sweepLater() }
  }
}
