internal import Synchronization
import TapedeckOverrides
internal import TapedeckRecording
internal import TapedeckSockets

/// The sessions of a proxy: the default one, and those that requests have named, made on first use and dropped when they
/// have been idle for long.
public final class Sessions: Sendable {
  /// That of requests without a name. New sessions begin with its overrides.
  public let standard: Session
  private let named = Mutex<[String: Session]>([:])
  private let changes = Atomic<Int>(0)
  /// The overrides file as it was last read while the proxy ran, and how often it was.
  private let saved = Mutex<(count: Int, document: OverridesDocument?)>((0, nil))
  private let idleMilliseconds: Int
  private let limit: Int
  private let makeLog: @Sendable () -> RequestLog
  private let budget: RequestLogBudget

  init(_ configuration: ProxyConfiguration) {
    let budget = RequestLogBudget(bytes: configuration.requestLogBytes)
    self.budget = budget
    makeLog = { RequestLog(budget) }
    standard = Session(name: nil, overrides: configuration.overrides, requestLog: makeLog())
    idleMilliseconds = configuration.sessionIdleMilliseconds
    limit = configuration.maxSessions
  }

  /// The session of that name, made where there is none; `nil` when there are too many in use.
  /// - Parameter slot: the cassette of a session that is made.
  func session(_ name: String, _ slot: CassetteSlot? = nil) -> Session? {
    if let known = named.withLock({ $0[name] }) { return known }
    let before = saved.withLock { $0.count }
    let made = Session(
      name: name, overrides: standard.overrides.fresh(), requestLog: makeLog(), slot: slot)
    let session: Session? = named.withLock { sessions in
      if let earlier = sessions[name] { return earlier }
      if sessions.count >= limit { dropIdle(&sessions) }
      guard sessions.count < limit else { return nil }
      sessions[name] = made
      return made
    }
    // A file that was saved meanwhile is for this session too.
    let now = saved.withLock { $0 }
    if session === made, now.count != before, let document = now.document {
      made.overrides.take(document)
    }
    return session
  }

  /// The session of that name, if there is one; nil means the default one.
  public func existing(_ name: String?) -> Session? {
    guard let name else { return standard }
    return named.withLock { $0[name] }
  }

  /// The session of that name, made where there is none, as the first request of it would; nil when the name is none, or
  /// when there are too many.
  public func begin(_ name: String) -> Session? { Session.isValid(name) ? session(name) : nil }

  /// The named sessions, by name.
  public var all: [Session] {
    named.withLock { Array($0.values) }.sorted { ($0.name ?? "") < ($1.name ?? "") }
  }

  /// The id of the last request that any session logged.
  var lastRequestID: Int { budget.lastID }

  /// The overrides file as it was last read or saved while the proxy ran.
  var lastDocument: OverridesDocument? { saved.withLock { $0.document } }

  /// The same for a file that was saved from the rules of the default session.
  func adopt(_ document: OverridesDocument) {
    saved.withLock { $0 = ($0.count + 1, document) }
    standard.overrides.adopt(document)
    for session in all { session.overrides.take(document) }
  }

  /// Puts the rules of an overrides file in the place of those it had before, in every session.
  func take(_ document: OverridesDocument) {
    saved.withLock { $0 = ($0.count + 1, document) }
    standard.overrides.take(document)
    for session in all { session.overrides.take(document) }
  }

  /// False when there was none.
  @discardableResult
  public func drop(_ name: String) -> Bool {
    named.withLock { drop(name, of: &$0) }
  }

  @discardableResult
  private func drop(_ name: String, of sessions: inout [String: Session]) -> Bool {
    guard let session = sessions.removeValue(forKey: name) else { return false }
    session.drop()
    changes.add(1, ordering: .releasing)
    return true
  }

  /// Drops what has been idle for long. A session that records stays until it is ended, so that no loop has to seal.
  func dropIdle() { named.withLock { dropIdle(&$0) } }

  private func dropIdle(_ sessions: inout [String: Session]) {
    let oldest = WallClock.now - idleMilliseconds
    for (name, session) in sessions where session.lastUsedMilliseconds < oldest && !session.records {
      drop(name, of: &sessions)
    }
  }

  /// Changes whenever sessions go.
  var version: Int { changes.load(ordering: .acquiring) }

  /// Begins every recorded sequence of the proxy's cassette anew, as a new one demands.
  func rewindCursors() { for session in all where session.slot == nil { session.rewind() } }
}
