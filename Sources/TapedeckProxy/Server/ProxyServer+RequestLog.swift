import TapedeckFormats
public import TapedeckHTTP
internal import TapedeckRecording
import TapedeckRedaction

/// The request log for people and programs: without secrets, by the rules of the cassette.
extension ProxyServer {
  /// The exchange as a recording would hold it.
  /// - Parameter said: the messages of a WebSocket.
  func shown(
    _ entry: RequestLogEntry, _ session: Session, saying said: RecordedWebSocket?
  ) -> Interaction {
    inserted(for: session).matcher.redaction.redacted(entry.interaction(saying: said)).0
  }

  /// The exchange with the request as its origin knows it, where there may be several origins.
  private func routed(_ entry: RequestLogEntry, _ session: Session) -> Interaction {
    var interaction = entry.interaction
    switch inserted(for: session).routes?.place(interaction.request) {
    case .origin(let request), .outside(let request): interaction.request = request
    default: break
    }
    return interaction
  }

  /// The id of the last request that any session logged; 0 before the first.
  package var lastRequestID: Int { sessions.lastRequestID }

  /// The logged requests of all sessions with ids after `first` and up to `last`, the oldest first, at most `limit`.
  package func requests(
    after first: Int, through last: Int, limit: Int
  ) -> [(session: Session, entry: RequestLogEntry)] {
    guard first < last else { return [] }
    let found = ([sessions.standard] + sessions.all).map { session in
      session.requestLog.entries(after: first, through: last, limit: limit).map { (session, $0) }
    }
    guard found.count > 1 else { return found.first ?? [] }
    return Array(found.joined().sorted { $0.1.id < $1.1.id }.prefix(limit))
  }

  /// The request's target, without secrets.
  public func shownTarget(_ entry: RequestLogEntry, of session: Session) -> String {
    RequestTarget.text(inserted(for: session).matcher.redaction.redacted(target: entry.request.target))
  }

  /// Request and response, without secrets.
  public func shownExchange(
    _ entry: RequestLogEntry, of session: Session
  ) -> (request: HTTPRequest, head: HTTPResponseHead, body: [UInt8]) {
    let shown = shown(entry, session, saying: nil)
    guard case .bytes(let body) = shown.response.body else { return (shown.request, shown.response.head, []) }
    return (shown.request, shown.response.head, body)
  }

  /// The whole exchanges among these as a HAR file; how many there are.
  public func har(
    _ entries: [RequestLogEntry], of session: Session, creatorVersion: String
  ) throws -> (file: [UInt8], count: Int) {
    let redaction = inserted(for: session).matcher.redaction
    let whole = entries.filter(\.isWhole).map { redaction.redacted(routed($0, session)).0 }
    let upstream = routes == nil ? configuration.upstream : nil
    return (try HARWriter(creatorVersion: creatorVersion).file(whole, upstream: upstream), whole.count)
  }

  /// Makes a cassette of the whole exchanges among these; how many there are. Throws when there is one already.
  public func save(
    _ entries: [RequestLogEntry], of session: Session, asCassette path: String
  ) throws -> Int {
    guard !Cassette.exists(at: path) else { throw ProxyError.cassetteThere(path) }
    let inserted = inserted(for: session)
    let recorder = try CassetteRecorder.open(
      path,
      origins: inserted.hasSeveralOrigins
        ? .several : .one(configuration.upstream ?? inserted.cassette?.upstream), replacing: false,
      match: configuration.match, redaction: configuration.redaction, upstreams: inserted.upstreams,
      secrets: configuration.secrets)
    do {
      let whole = entries.filter(\.isWhole)
      for entry in whole {
        var interaction = routed(entry, session)
        if entry.request.asksForWebSocket { interaction.removeHandshakeKeys() }
        try recorder.record(interaction, arrival: recorder.nextArrival())
      }
      _ = try recorder.seal()
      return whole.count
    } catch {
      _ = try? recorder.seal()
      throw error
    }
  }
}
