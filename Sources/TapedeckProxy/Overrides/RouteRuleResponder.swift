internal import TapedeckHTTP

/// The routes of an overrides file and of the admin API, as a link of the chain.
final class RouteRuleResponder: Responder {
  private let rules: RuleList<RouteRule>

  init(_ rules: RuleList<RouteRule>) { self.rules = rules }

  func respond(to request: HTTPRequest) -> HTTPAnswer? {
    guard !rules.isEmpty else { return nil }
    let request = OverrideRequest(request)
    return rules.table.first(for: request) { rule in
      guard case .granted = rule.usage.claim() else { return nil }
      return rule.answer(to: request)
    }
  }
}
