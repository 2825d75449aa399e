internal import TapedeckHTTP
internal import TapedeckSockets

/// An effect on the responses of the rest of the chain: patches or faults.
protocol ResponseEffect: RuleEffect {
  /// Whether it applies to responses of this source.
  func applies(to source: ServedResponse.Source) -> Bool
  /// Applies the rules that act on a request to its response, in order.
  static func apply(
    _ acting: [(rule: RequestRule<Self>, turn: Int)], to response: ServedResponse, of request: HTTPRequest,
    _ usages: RuleUsages<Self>, _ decisions: DecisionCollector?, loop: EventLoop
  ) -> ServedResponse
}

/// Applies patches or faults to the responses of the rest of the chain. Recordings do not contain them.
final class EffectResponder<Effect: ResponseEffect>: Responder {
  private let rules: RuleIndex<Effect>
  private let usages: RuleUsages<Effect>
  private let chain: any Responder
  private let loop: EventLoop

  init(_ rules: RuleIndex<Effect>, _ usages: RuleUsages<Effect>, before chain: any Responder, loop: EventLoop)
  {
    self.rules = rules
    self.usages = usages
    self.chain = chain
    self.loop = loop
  }

  func needsBody(of request: HTTPRequest) -> Bool {
    rules.needsBody(of: request) || chain.needsBody(of: request)
  }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) throws -> ServedResponse? {
    guard rules.concerns(request) else { return try chain.respond(to: request, decisions: decisions) }
    func note(_ rule: RequestRule<Effect>, _ reason: Decision.Reason) {
      if Effect.kind == .patches {
        decisions?.patch(rule.id, reason)
      } else {
        decisions?.fault(rule.id, reason)
      }
    }
    let candidates = rules.all(
      for: OverrideRequest(request), unmet: decisions == nil ? nil : { note($0, .unmet($1)) })
    let response = try chain.respond(to: request, decisions: decisions)
    guard let response else { return nil }
    var acting: [(rule: RequestRule<Effect>, turn: Int)] = []
    for rule in candidates where rule.effect.applies(to: response.source) {
      let claim = usages.claim(rule)
      note(rule, claim == nil ? .notItsTurn : .applied(remarks: []))
      if let claim { acting.append((rule, claim.turn)) }
    }
    guard !acting.isEmpty else { return response }
    return Effect.apply(acting, to: response, of: request, usages, decisions, loop: loop)
  }
}
