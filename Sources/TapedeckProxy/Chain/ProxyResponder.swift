internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckOverrides
internal import TapedeckRecording
internal import TapedeckRedaction
internal import TapedeckSockets
internal import TapedeckUpstream

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
    collects = isLogged || explains || configuration.requestLogBytes > 0
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
    case .respond(let response): return refused(response, decisions)
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

/// What the chains of one loop are made of.
struct ChainParts {
  let configuration: ProxyConfiguration
  let cassette: LoopCache<CassetteSlot>
  let upstream: UpstreamClient?
  let loop: EventLoop
}

/// The links of one session on one loop, in their order: the first response wins. Links without rules are left out; the
/// chain is put together anew when rules change, or when the first route or resource is registered.
final class SessionChain {
  let session: Session
  private let overrides: Overrides
  private let router: Router
  private let loop: EventLoop
  private let recordings: any Responder
  /// What the links were made for.
  private var version: Int
  private var hasRoutes: Bool
  private var links: any Responder
  private let keepsRequests: Bool

  init(_ session: Session, _ parts: ChainParts) {
    self.session = session
    overrides = session.overrides
    router = parts.configuration.router
    loop = parts.loop
    recordings = CassetteResponder(parts, cursors: session.cursors)
    keepsRequests = session.requestLog.isOn
    // The version first: what changes in between is seen at the next request.
    (version, hasRoutes) = (overrides.version, !router.isEmpty)
    links = recordings
    links = makeLinks()
  }

  func respond(to request: HTTPRequest, _ decisions: DecisionCollector?) throws -> ServedResponse? {
    let now = overrides.version
    if now != version || hasRoutes == router.isEmpty {
      (version, hasRoutes) = (now, !router.isEmpty)
      links = makeLinks()
    }
    guard keepsRequests, let decisions else { return try links.respond(to: request, decisions: decisions) }
    let arrival = RequestLog.Arrival()
    guard let response = try links.respond(to: request, decisions: decisions) else { return nil }
    return session.requestLog.keep(request, response, arrival, decisions)
  }

  /// Overrides, routes, then the cassette, the origin or a refusal.
  private func makeLinks() -> any Responder {
    let patched = overrides.patching(recordings, on: loop)
    let links: [(any Responder)?] = [
      overrides.routeLink(on: loop),
      // Patches are laid over what a resource responds as over what it was promoted from.
      overrides.resourceLink.map { overrides.patching($0, on: loop) },
      router.isEmpty ? nil : RouteResponder(router, before: patched, loop: loop),
      patched,
    ]
    let present = links.compactMap { $0 }
    return overrides.faulting(present.count == 1 ? present[0] : ResponderChain(present), on: loop)
  }
}
