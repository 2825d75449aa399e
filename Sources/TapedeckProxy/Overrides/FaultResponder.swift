internal import TapedeckHTTP
internal import TapedeckSockets

/// Lets go wrong what the faults say, whoever answers. The answer itself is made as ever.
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

  func respond(to request: HTTPRequest) throws -> ServedResponse? {
    guard let table = rules.current, table.concerns(request) else {
      return try chain.respond(to: request)
    }
    let candidates = table.all(for: OverrideRequest(request))
    guard !candidates.isEmpty else { return try chain.respond(to: request) }
    var acting: [(rule: FaultRule, turn: Int)] = []
    for rule in candidates {
      if case .granted(let turn, _) = list.usages.usage(of: rule).claim() { acting.append((rule, turn)) }
    }
    let answer = try chain.respond(to: request)
    guard !acting.isEmpty, var answer else { return answer }
    for (rule, turn) in acting {
      answer = rule.fault.applied(
        to: answer, of: request, generator: rule.limits.generator(beyondDiceOf: turn), loop: loop)
    }
    let notes = acting.map { "fault \($0.rule.id)" }
    answer.explanation = (answer.explanation ?? ResponseExplanation()).adding(applied: { notes })
    return answer
  }
}
