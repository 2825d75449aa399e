internal import TapedeckHTTP
internal import TapedeckSockets

/// Lays the faults over the response, whoever gives it. The response itself is made as ever.
final class FaultResponder: Responder {
  private let list: RuleList<FaultRule>
  private let rules: LoopCache<RuleList<FaultRule>>
  private let chain: any Responder
  private let loop: EventLoop

  init(_ rules: RuleList<FaultRule>, before chain: any Responder, loop: EventLoop) {
    list = rules
    self.rules = LoopCache(rules)
    self.chain = chain
    self.loop = loop
  }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) throws -> ServedResponse? {
    guard let table = rules.current, table.concerns(request) else {
      return try chain.respond(to: request, decisions: decisions)
    }
    let asked = OverrideRequest(request)
    if let decisions { table.tellUnmet(asked) { decisions.fault($0, .unmet($1)) } }
    var acting: [(rule: FaultRule, turn: Int)] = []
    for rule in table.all(for: asked) {
      if case .granted(let turn, _) = list.usages.usage(of: rule).claim() {
        acting.append((rule, turn))
        decisions?.fault(rule.id, .applied(remarks: []))
      } else {
        decisions?.fault(rule.id, .notItsTurn)
      }
    }
    let response = try chain.respond(to: request, decisions: decisions)
    guard !acting.isEmpty, var response else { return response }
    for (rule, turn) in acting {
      response = rule.fault.applied(
        to: response, of: request, generator: rule.limits.generator(beyondDiceOf: turn), loop: loop)
    }
    return response
  }
}
