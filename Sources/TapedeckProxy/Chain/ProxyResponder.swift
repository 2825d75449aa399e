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
  private let origins: OriginClients?
  private let isLogged: Bool
  private let explains: Bool
  private let collects: Bool
  private let refusals: NoticeOnce
  private let healthPath: [UInt8]?

  init(
    _ configuration: ProxyConfiguration, policy: RequestPolicy, sessions: SessionChains,
    cassette: LoopCache<CassetteSlot>, origins: OriginClients?, refusals: NoticeOnce
  ) {
    self.policy = policy
    self.sessions = sessions
    self.cassette = cassette
    self.origins = origins
    self.refusals = refusals
    healthPath = configuration.healthPath.map { Array($0.utf8) }
    isLogged = configuration.log != nil
    explains = configuration.explains
    collects = isLogged || explains || configuration.requestLogBytes > 0
  }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) throws -> ServedResponse? {
    if let healthPath, !request.namesOrigin, request.path.elementsEqual(healthPath) {
      return Self.probed(request)
    }
    guard collects else { return try response(to: request, nil) }
    let decisions = DecisionCollector()
    guard var response = try response(to: request, decisions) else { return nil }
    response.decisions = decisions
    if isLogged, response.shownTarget == nil { response.shownTarget = shownTarget(request, cassette.current) }
    if explains { response.content = ExplainField.added(to: response, decisions) }
    return response
  }

  /// An upload goes on to its links; whatever else may respond gets it whole.
  func needsBody(of request: HTTPRequest) -> Bool {
    if let healthPath, !request.namesOrigin, request.path.elementsEqual(healthPath) { return true }
    var request = request
    if policy.concerns(request) {
      guard case .pass(let passed) = policy.verdict(on: request) else { return true }
      request = passed
    }
    guard let selector = sessions.selector else { return sessions.standard.needsBody(of: request) }
    return switch selector.select(request) {
    case .none(let rest): sessions.standard.needsBody(of: rest)
    case .refused: true
    case .named(let name, let rest): sessions.known(name)?.needsBody(of: rest) ?? true
    }
  }

  private static func probed(_ request: HTTPRequest) -> ServedResponse {
    guard request.method == .get || request.method == .head else {
      var refusal = HTTPResponse.problem(405, "this is the path of health probes (--health-path)")
      refusal.head.fields.append(literal: "Allow", "GET, HEAD")
      return ServedResponse(.response(refusal), by: .server)
    }
    let healthy = HTTPResponse(
      status: 200, contentType: "application/json", body: Array("{\"status\": \"ok\"}\n".utf8))
    return ServedResponse(.response(healthy), by: .server)
  }

  /// The target as the log shows it, if it differs from the original: without secrets, and with the origin that it
  /// names.
  private func shownTarget(_ request: HTTPRequest, _ cassette: InsertedCassette) -> [UInt8]? {
    let redaction = cassette.matcher.redaction
    let redacted = redaction.mayHide(request) ? redaction.comparable(request).target : nil
    guard request.namesOrigin, request.method != .connect, let origin = request.origin else {
      return redacted
    }
    return Array(origin.description.utf8) + (redacted ?? request.target)
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
    case .intercept:
      var response = ServedResponse(.response(HTTPResponse(head: HTTPResponseHead(status: 200))), by: .server)
      response.opensInterception = true
      return response
    case .tunnel: return tunnel(to: request, decisions)
    }
  }

  private func tunnel(to request: HTTPRequest, _ decisions: DecisionCollector?) -> ServedResponse {
    do {
      guard let origins else { return refused(.problem(501, "there is no way to origins"), decisions) }
      let tunnel = try origins.tunnel(for: request)
      cassette.current.statistics.countTunnel(to: String(decoding: request.authority, as: UTF8.self))
      decisions?.respond(.upstream, .forwarded(isRecorded: false))
      return ServedResponse(.stream(tunnel), by: .upstream)
    } catch {
      return refused(.problem(502, "\(error)"), decisions)
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
    case .named(let name, let rest):
      guard let chain = sessions.chain(for: name) else {
        let detail = "there are too many sessions; drop some, or raise --max-sessions"
        return refused(.problem(503, detail), decisions)
      }
      let number = chain.session.countRequest()
      decisions?.number(number)
      var response = try chain.respond(to: rest, decisions)
      if isLogged, let own = chain.ownCassette { response?.shownTarget = shownTarget(request, own) }
      return response
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
  /// The way to origins; `nil` where none is ever asked.
  let origins: OriginClients?
  let loop: EventLoop
  /// Shared by the sessions.
  let sequences = SequenceCache()
}

/// The links of one session on one loop, in their order: the first response wins. Links without rules are left out; the
/// chain is put together anew when rules change, or when the first route or resource is registered.
final class SessionChain {
  let session: Session
  private let overrides: Overrides
  private let router: Router
  private let loop: EventLoop
  private let recordings: any Responder
  private let cassette: LoopCache<CassetteSlot>?
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
    cassette = session.slot.map { LoopCache($0) }
    recordings = CassetteResponder(parts, cassette ?? parts.cassette, cursors: session.cursors)
    keepsRequests = session.requestLog.isOn
    // The version first: what changes in between is seen at the next request.
    (version, hasRoutes) = (overrides.version, !router.isEmpty)
    links = recordings
    links = makeLinks()
  }

  /// The session's own cassette; `nil` where it uses the proxy's.
  var ownCassette: InsertedCassette? { cassette?.current }

  func needsBody(of request: HTTPRequest) -> Bool {
    update()
    return links.needsBody(of: request)
  }

  private func update() {
    let now = overrides.version
    guard now != version || hasRoutes == router.isEmpty else { return }
    (version, hasRoutes) = (now, !router.isEmpty)
    links = makeLinks()
  }

  func respond(to request: HTTPRequest, _ decisions: DecisionCollector?) throws -> ServedResponse? {
    update()
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
