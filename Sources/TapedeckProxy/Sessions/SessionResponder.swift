internal import TapedeckHTTP
internal import TapedeckSockets

/// Finds the session of a request, and hands it to that session's chain.
final class SessionResponder: Responder {
  private let sessions: Sessions
  private let selector: SessionSelector
  private let makeChain: (Session) -> any Responder
  private let standard: any Responder
  private var chains: [String: (session: Session, chain: any Responder)] = [:]
  /// The sessions' version of which `chains` are.
  private var version = 0
  private var timer: LoopTimer?
  private let loop: EventLoop
  /// How often idle sessions are looked for, while there are any.
  private static let sweepMilliseconds: Int64 = 5_000

  init(
    _ sessions: Sessions, selector: SessionSelector, loop: EventLoop,
    makeChain: @escaping (Session) -> any Responder
  ) {
    self.sessions = sessions
    self.selector = selector
    self.makeChain = makeChain
    self.loop = loop
    standard = makeChain(sessions.standard)
  }

  func respond(to request: HTTPRequest) throws -> ServedResponse? {
    switch selector.select(request) {
    case .none(let request): return try standard.respond(to: request)
    case .refused(let problem): return Self.refusal(400, problem)
    case .named(let name, let request):
      guard let chain = chain(for: name) else {
        return Self.refusal(503, "there are too many sessions; drop some, or raise --max-sessions")
      }
      return try chain.respond(to: request)
    }
  }

  private func chain(for name: String) -> (any Responder)? {
    forgetDropped()
    if let known = chains[name], !known.session.isDropped {
      known.session.countRequest()
      return known.chain
    }
    guard let session = sessions.session(name) else { return nil }
    session.countRequest()
    let chain = makeChain(session)
    chains[name] = (session, chain)
    sweepLater()
    return chain
  }

  private func forgetDropped() {
    let current = sessions.version
    guard current != version else { return }
    version = current
    chains = chains.filter { !$0.value.session.isDropped }
  }

  private func sweepLater() {
    guard timer == nil else { return }
    let timer = loop.makeTimer { [weak self] in self?.sweep() }
    timer.set(MonotonicTime(nanoseconds: MonotonicTime.now.nanoseconds + Self.sweepMilliseconds * 1_000_000))
    self.timer = timer
  }

  private func sweep() {
    timer = nil
    sessions.dropIdle()
    forgetDropped()
    if !chains.isEmpty { sweepLater() }
  }

  private static func refusal(_ status: Int, _ detail: String) -> ServedResponse {
    ServedResponse(.response(.problem(status, detail)), by: .server)
  }
}
