import TapedeckFormats
public import TapedeckHTTP
internal import TapedeckRecording
import TapedeckRedaction

/// The request log for people and programs: without secrets, by the rules of the cassette.
extension ProxyServer {
  /// The exchange as a recording would hold it.
  private func shown(_ entry: RequestLogEntry) -> Interaction {
    slot.current.matcher.redaction.redacted(entry.interaction).0
  }

  /// The request's target, without secrets.
  public func shownTarget(_ entry: RequestLogEntry) -> String {
    RequestTarget.text(slot.current.matcher.redaction.redacted(target: entry.request.target))
  }

  /// Request and response, without secrets.
  public func shownExchange(
    _ entry: RequestLogEntry
  ) -> (request: HTTPRequest, head: HTTPResponseHead, body: [UInt8]) {
    let shown = shown(entry)
    guard case .bytes(let body) = shown.response.body else { return (shown.request, shown.response.head, []) }
    return (shown.request, shown.response.head, body)
  }

  /// The whole exchanges among these as a HAR file; how many there are.
  public func har(_ entries: [RequestLogEntry], creatorVersion: String) throws -> (file: [UInt8], count: Int)
  {
    let whole = entries.filter(\.isWhole).map(shown)
    return (
      try HARWriter(creatorVersion: creatorVersion).file(whole, upstream: configuration.upstream), whole.count
    )
  }

  /// Makes a cassette of the whole exchanges among these; how many there are. Throws when there is one already.
  public func save(_ entries: [RequestLogEntry], asCassette path: String) throws -> Int {
    guard !Cassette.exists(at: path) else { throw ProxyError.cassetteThere(path) }
    let recorder = try CassetteRecorder.open(
      path, upstream: configuration.upstream ?? slot.current.cassette?.upstream, replacing: false,
      match: configuration.match, redaction: configuration.redaction, secrets: configuration.secrets)
    do {
      let whole = entries.filter(\.isWhole)
      for entry in whole { try recorder.record(entry.interaction, arrival: recorder.nextArrival()) }
      _ = try recorder.seal()
      return whole.count
    } catch {
      _ = try? recorder.seal()
      throw error
    }
  }
}
