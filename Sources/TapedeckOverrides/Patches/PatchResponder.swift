internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckSockets

/// Lays the patches over what the rest of the chain answers: recordings and the origin's answers, and refusals where a
/// patch asks for them. It is outside of all recording.
final class PatchResponder: Responder {
  private let list: RuleList<PatchRule>
  private let rules: LoopCache<RuleList<PatchRule>>
  private let chain: any Responder
  private let loop: EventLoop

  init(_ rules: RuleList<PatchRule>, before chain: any Responder, loop: EventLoop) {
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
    if let decisions { table.tellUnmet(asked) { decisions.patch($0, .unmet($1)) } }
    let candidates = table.all(for: asked)
    let answer = try chain.respond(to: request, decisions: decisions)
    guard !candidates.isEmpty, let answer else { return answer }
    return patched(answer, by: candidates, to: request, decisions)
  }

  private func patched(
    _ answer: ServedResponse, by candidates: [PatchRule], to request: HTTPRequest,
    _ decisions: DecisionCollector?
  ) -> ServedResponse {
    var acting: [(rule: PatchRule, usage: RuleUsage)] = []
    var delay: Int64 = 0
    for rule in candidates where answer.source != .unmatched || rule.includesMisses {
      let usage = list.usages.usage(of: rule)
      guard case .granted(let turn, _) = usage.claim() else {
        decisions?.patch(rule.id, .notItsTurn)
        continue
      }
      decisions?.patch(rule.id, .applied(remarks: []))
      acting.append((rule, usage))
      if let wait = rule.patch.delay {
        var generator = rule.limits.generator(beyondDiceOf: turn)
        delay += wait.nanoseconds(using: &generator)
      }
    }
    guard !acting.isEmpty else { return answer }
    let patching = Patching(acting, to: request.method, decisions)
    var answer = answer
    answer.content = patching.content(answer.content)
    if delay > 0 {
      answer.content = .stream(
        DelayedSource(answer.content, nanoseconds: delay, to: request.method, loop: loop))
    }
    return answer
  }
}

extension Patching {
  fileprivate func content(_ content: ServedResponse.Content) -> ServedResponse.Content {
    guard changesHead || changesBody else { return content }
    switch content {
    case .stream(let source): return .stream(PatchedSource(source, patching: self))
    case .response(let response): return .response(patched(response))
    case .prepared(let prepared):
      guard let response = prepared.response else { return content }
      return .prepared(self.prepared(response, like: prepared))
    }
  }
}
