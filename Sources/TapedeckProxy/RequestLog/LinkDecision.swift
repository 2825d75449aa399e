internal import TapedeckHTTP

/// What one link of the chain made of a request, for people: who answered, who did not, and why.
public struct LinkDecision: Sendable, Equatable {
  public enum Outcome: String, Sendable {
    /// It gave the answer.
    case answered
    /// It changed the answer, or its way to the client.
    case applied
    /// It was asked, and let the request pass.
    case declined
  }

  /// Like `route maintenance`, or `cassette`.
  public let link: String
  public let outcome: Outcome
  /// What it took, or what stood in the way.
  public let why: String
}

extension RequestLogEntry {
  /// Who was asked about the request, in the order of the chain.
  public var decisions: [LinkDecision] {
    let request = OverrideRequest(request)
    var decisions: [LinkDecision] = []
    if let rules { decisions += declined(rules.routes, request) }
    decisions.append(answered)
    if let rules {
      decisions += laidOver(rules.patches, request) + laidOver(rules.faults, request)
    }
    return decisions
  }

  /// The declared routes for the request's path that did not answer.
  private func declined(_ table: RuleTable<RouteRule>?, _ request: OverrideRequest) -> [LinkDecision] {
    var decisions: [LinkDecision] = []
    for (rule, obstacle) in table?.obstacles(for: request) ?? [] {
      if source == .route, rule.id == explanation?.rule { break }
      decisions.append(
        LinkDecision(
          link: "route \(rule.id)", outcome: .declined,
          why: obstacle.map { "it wants: \($0)" } ?? Self.notItsTurn))
    }
    return decisions
  }

  private static let notItsTurn = "it was not its turn (times, after, on or probability)"

  /// Patches and faults: what acted says so in the explanation.
  private func laidOver<R: OverrideRule>(
    _ table: RuleTable<R>?, _ request: OverrideRequest
  ) -> [LinkDecision] {
    let applied = explanation?.applied ?? []
    return (table?.obstacles(for: request) ?? []).map { rule, obstacle in
      let name = "\(R.kind.word) \(rule.id)"
      if let action = applied.first(where: {
        $0 == name || $0.hasPrefix(name + " ") || $0.hasPrefix(name + ":")
      }) {
        return LinkDecision(link: name, outcome: .applied, why: action)
      }
      return LinkDecision(
        link: name, outcome: .declined, why: obstacle.map { "it wants: \($0)" } ?? Self.notItsTurn)
    }
  }

  private var answered: LinkDecision {
    let link = explanation?.rule.map { "\(source.rawValue) \($0)" } ?? source.rawValue
    return LinkDecision(link: link, outcome: .answered, why: reason)
  }

  /// Why it was answered as it was, in a few words.
  public var reason: String {
    switch source {
    case .cassette:
      guard let explanation, let file = explanation.file else { return "it is recorded" }
      let turn = explanation.turn.map { ", answer \($0) of \(explanation.turns ?? $0)" } ?? ""
      let drift = explanation.drift.isEmpty ? "" : "; differs in \(explanation.drift.joined(separator: ", "))"
      return "recorded in \(file)\(turn)\(drift)\(Self.substitution(explanation))"
    case .upstream:
      if let failure = explanation?.failure { return "asked; \(failure.words)" }
      return explanation?.isRecorded == true ? "asked, and recorded" : "asked, not recorded"
    case .unmatched:
      return explanation?.nearest.map { "no recording matches; nearest is \($0)" } ?? "nothing answers it"
    case .route: return "the most specific route for it"
    case .store: return "a resource is served at its path"
    case .server: return "refused before anyone was asked"
    }
  }
  private static func substitution(_ explanation: ResponseExplanation) -> String {
    switch explanation.substitution {
    case .otherClient: "; other-client: it was recorded for another client, and none for this one"
    case .otherVariant: "; other-variant: the range or condition was not recorded, and this is right for any"
    case nil: ""
    }
  }
}
