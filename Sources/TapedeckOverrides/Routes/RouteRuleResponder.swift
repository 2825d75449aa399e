internal import TapedeckHTTP
internal import TapedeckSockets

/// The routes of an overrides file and of the admin API, as a link of the chain.
final class RouteRuleResponder: Responder {
  private let list: RuleList<RouteRule>
  private let rules: LoopCache<RuleList<RouteRule>>
  private let loop: EventLoop

  init(_ rules: RuleList<RouteRule>, loop: EventLoop) {
    list = rules
    self.rules = LoopCache(rules)
    self.loop = loop
  }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    guard let declared = Self.answer(rules.current, list.usages, to: request, decisions) else { return nil }
    var answer = ServedResponse(declared.content, by: .route)
    if declared.delayNanoseconds > 0 {
      answer.content = .stream(
        DelayedSource(
          declared.content, nanoseconds: declared.delayNanoseconds, to: request.method, loop: loop))
    }
    guard let (fault, generator) = declared.fault else { return answer }
    return fault.applied(to: answer, of: request, generator: generator, loop: loop)
  }

  /// What rules have for a request, which counts as one of those they are for.
  static func answer(
    _ table: RuleTable<RouteRule>?, _ usages: RuleUsages, to request: HTTPRequest,
    _ decisions: DecisionCollector? = nil
  ) -> RouteRuleAnswer? {
    guard let table, table.concerns(request) else { return nil }
    let request = OverrideRequest(request)
    let declined = decisions.map { decisions in
      { (rule: String, reason: Decision.Reason) in decisions.decline(.route, rule: rule, reason) }
    }
    return table.first(for: request, declined: declined) { rule in
      guard case .granted(let turn, let use) = usages.usage(of: rule).claim() else { return nil }
      decisions?.respond(.route, rule: rule.id, .declared)
      return rule.answer(to: request, turn: turn, use: use)
    }
  }
}
