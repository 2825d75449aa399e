internal import TapedeckHTTP
internal import TapedeckMocking
import TapedeckOverrides
internal import TapedeckSockets
internal import TapedeckUpstream

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
  /// What a chain was made for.
  private struct Situation: Equatable {
    let overrides: Overrides.Situation
    let hasRoutes: Bool

    init(_ overrides: Overrides, _ router: Router) {
      self.overrides = overrides.situation
      hasRoutes = !router.isEmpty
    }
  }

  let session: Session
  private let overrides: Overrides
  private let router: Router
  private let loop: EventLoop
  private let recordings: any Responder
  private var situation: Situation
  private var links: any Responder
  private let keepsRequests: Bool

  init(_ session: Session, _ parts: ChainParts) {
    self.session = session
    overrides = session.overrides
    router = parts.configuration.router
    loop = parts.loop
    recordings = CassetteResponder(parts, cursors: session.cursors)
    keepsRequests = session.journal.isOn
    // The situation first: what changes in between is seen at the next request.
    situation = Situation(overrides, router)
    links = recordings
    links = makeLinks()
  }

  func respond(to request: HTTPRequest, _ decisions: DecisionCollector?) throws -> ServedResponse? {
    let now = Situation(overrides, router)
    if now != situation {
      situation = now
      links = makeLinks()
    }
    guard keepsRequests, let decisions else { return try links.respond(to: request, decisions: decisions) }
    let arrival = RequestLog.Arrival()
    let response = try links.respond(to: request, decisions: decisions)
    return response.map { session.journal.keep(request, $0, arrival, decisions) }
  }

  /// Overrides, routes, then the cassette, the origin or a refusal.
  private func makeLinks() -> any Responder {
    let patched = overrides.patching(recordings, on: loop)
    let links: [(any Responder)?] = [
      overrides.routes(on: loop),
      // Patches are laid over what a resource responds as over what it was promoted from.
      overrides.resourceLink.map { overrides.patching($0, on: loop) },
      router.isEmpty ? nil : RouteResponder(router, before: patched, loop: loop),
      patched,
    ]
    let present = links.compactMap { $0 }
    return overrides.faulting(present.count == 1 ? present[0] : ResponderChain(present), on: loop)
  }
}
