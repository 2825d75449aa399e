internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckRedaction
internal import TapedeckSockets

/// The front of one loop's chain: applies the proxy's own policy to a request, finds its session and asks the links of
/// that session. Where anyone listens, what the links decide is collected for the log, the request log and `--explain`.
final class ProxyResponder: Responder {
  private let policy: RequestPolicy
  private let sessions: SessionChains
  private let cassette: LoopCache<CassetteSlot>
  private let isLogged: Bool
  private let explains: Bool
  private let collects: Bool
  private let refusals: NoticeOnce

  init(
    _ configuration: ProxyConfiguration, policy: RequestPolicy, sessions: SessionChains,
    cassette: LoopCache<CassetteSlot>, refusals: NoticeOnce
  ) {
    self.policy = policy
    self.sessions = sessions
    self.cassette = cassette
    self.refusals = refusals
    isLogged = configuration.log != nil
    explains = configuration.explains
    collects = isLogged || explains || configuration.journalBytes > 0
  }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) throws -> ServedResponse? {
    guard collects else { return try response(to: request, nil) }
    let decisions = DecisionCollector()
    guard var response = try response(to: request, decisions) else { return nil }
    response.decisions = decisions
    if isLogged {
      let redaction = cassette.current.matcher.redaction
      if redaction.mayHide(request) { response.shownTarget = redaction.comparable(request).target }
    }
    if explains { response.content = ExplainField.added(to: response, decisions) }
    return response
  }

  /// The policy first.
  private func response(to request: HTTPRequest, _ decisions: DecisionCollector?) throws -> ServedResponse? {
    guard policy.concerns(request) else { return try sessionResponse(to: request, decisions) }
    switch policy.verdict(on: request) {
    case .pass(let request): return try sessionResponse(to: request, decisions)
    case .refuse(let response):
      // The log says why; where there is none, a notice does.
      if !isLogged, let failure = response.failure {
        refusals.tell("\(response.head.status): \(failure.detail)")
      }
      return refused(response, decisions)
    case .answer(let response): return refused(response, decisions)
    }
  }

  /// Then the links of the request's session.
  private func sessionResponse(to request: HTTPRequest, _ decisions: DecisionCollector?) throws
    -> ServedResponse?
  {
    guard let selector = sessions.selector else {
      return try sessions.standard.respond(to: request, decisions)
    }
    switch selector.select(request) {
    case .none(let request): return try sessions.standard.respond(to: request, decisions)
    case .refused(let problem): return refused(.problem(400, problem), decisions)
    case .named(let name, let request):
      guard let chain = sessions.chain(for: name) else {
        let detail = "there are too many sessions; drop some, or raise --max-sessions"
        return refused(.problem(503, detail), decisions)
      }
      return try chain.respond(to: request, decisions)
    }
  }

  private func refused(_ response: HTTPResponse, _ decisions: DecisionCollector?) -> ServedResponse {
    decisions?.respond(.server, .refused)
    return ServedResponse(.response(response), by: .server)
  }
}
