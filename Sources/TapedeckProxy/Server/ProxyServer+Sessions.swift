internal import TapedeckRecording
internal import TapedeckUpstream

/// Sessions that have a cassette of their own.
extension ProxyServer {
  /// Begins a session that replays from and records into a cassette of its own, while other sessions use theirs. Its
  /// overrides begin as those of any session.
  ///
  /// Throws `ProxyError` or `CassetteError`; there is no new session then.
  /// - Parameters:
  ///   - cassette: its folder.
  ///   - mode: by default that of the proxy.
  @discardableResult
  public func begin(session name: String, cassette: String, mode: RecordMode? = nil) throws -> Session {
    guard Session.isValid(name) else { throw ProxyError.badSessionName(name) }
    guard sessions.existing(name) == nil else { throw ProxyError.sessionThere(name) }
    var wanted = configuration
    wanted.mode = mode ?? self.mode
    wanted.cassette = cassette
    try wanted.validate()
    if wanted.mode.needsCassette { try refuseBusy(cassette) }
    let upstream = try wanted.upstreamConfiguration()
    let slot = CassetteSlot(try InsertedCassette.open(wanted, upstream: upstream?.origin, statistics))
    let session = sessions.session(name, slot)
    if let session, session.slot === slot { return session }
    _ = try? slot.current.recorder?.seal()
    throw session == nil ? ProxyError.tooManySessions : .sessionThere(name)
  }

  /// Drops a session with all it holds, and seals its own cassette if that records; false when there is none.
  ///
  /// Throws `CassetteError` when sealing fails; the session is gone all the same, and the journal still holds what it
  /// recorded.
  @discardableResult
  public func end(session name: String) throws -> Bool {
    guard let session = sessions.existing(name), sessions.drop(name) else { return false }
    guard let inserted = session.slot?.current else { return true }
    inserted.eject()
    guard let recorder = inserted.recorder else { return true }
    let report = try recorder.seal()
    statistics.countRedacted(recorder.hiddenCount)
    tell(report, cassette: inserted.cassettePath)
    return true
  }

  /// Ends all named sessions when the proxy has stopped.
  /// - Returns: why a cassette could not be sealed; further reasons are told.
  func endSessions() -> (any Error)? {
    var failure: (any Error)?
    for session in sessions.all {
      do { try end(session: session.name ?? "") } catch {
        if failure == nil { failure = error } else { configuration.notice("\(error)") }
      }
    }
    return failure
  }

  /// The cassette of a session, its own or the proxy's.
  func inserted(for session: Session) -> InsertedCassette { (session.slot ?? slot).current }

  /// Two recordings at once would replace each other's files.
  func refuseBusy(_ cassette: String, except one: Session? = nil) throws(ProxyError) {
    if slot.current.recorder != nil, cassettePath == cassette {
      throw .cassetteBusy(cassette, session: nil)
    }
    for session in sessions.all
    where session !== one && session.records && session.cassettePath == cassette {
      throw .cassetteBusy(cassette, session: session.name)
    }
  }
}
