internal import TapedeckHTTP
internal import TapedeckSockets

/// The routes of an overrides file and of the admin API, as a link of the chain.
final class RouteRuleResponder: Responder {
  private let rules: RuleList<RouteRule>
  private let loop: EventLoop

  init(_ rules: RuleList<RouteRule>, loop: EventLoop) {
    self.rules = rules
    self.loop = loop
  }

  func respond(to request: HTTPRequest) -> HTTPAnswer? {
    guard let declared = Self.answer(rules, to: request) else { return nil }
    var answer = HTTPAnswer(declared.content, by: .route, explanation: declared.explanation)
    if declared.delayNanoseconds > 0 {
      answer.content = .stream(
        DelayedSource(
          declared.content, nanoseconds: declared.delayNanoseconds, to: request.method, loop: loop))
    }
    guard let (fault, generator) = declared.fault else { return answer }
    return fault.applied(to: answer, of: request, generator: generator, loop: loop)
  }

  /// What the rules of this moment have for a request, which counts as one of those it is for.
  static func answer(_ rules: RuleList<RouteRule>, to request: HTTPRequest) -> RouteRuleAnswer? {
    guard !rules.isEmpty else { return nil }
    let table = rules.table
    guard table.concerns(request.path) else { return nil }
    let request = OverrideRequest(request)
    return table.first(for: request) { rule in
      guard case .granted(let turn, let use) = rule.usage.claim() else { return nil }
      return rule.answer(to: request, turn: turn, use: use)
    }
  }
}
