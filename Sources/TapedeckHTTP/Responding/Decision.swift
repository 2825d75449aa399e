/// What one link of the responder chain did with a request, and why. A link appends it to the request's
/// `DecisionCollector` when it declines, responds or changes the response. It serves as an explanation only; its text is
/// in `Decision+Words.swift`.
package struct Decision: Sendable {
  package enum Link: String, Sendable {
    case route, store, cassette, upstream, unmatched, server, patch, fault

    package init(_ source: ServedResponse.Source) {
      self =
        switch source {
        case .route: .route
        case .store: .store
        case .cassette: .cassette
        case .upstream: .upstream
        case .unmatched: .unmatched
        case .server: .server
        }
    }
  }

  package enum Outcome: String, Sendable {
    case answered, applied, declined
  }

  package enum Reason: Sendable {
    /// Declined: the request does not meet this condition of the rule, like `query page is "2"`.
    case unmet(String)
    /// Declined: `times`, `after`, `on` or `probability` excludes the request.
    case notItsTurn
    /// A patch or fault acted. The remarks say which parts could not be applied.
    case applied(remarks: [String])
    /// A route or resource responded.
    case declared
    /// An interaction is replayed.
    case replayed(Replay)
    /// The request is forwarded to the origin.
    case forwarded(isRecorded: Bool)
    /// No recording matches.
    /// - Parameter isFirst: whether it is the first miss of its kind in the run, which logs show in full.
    indirect case missed(Miss, isFirst: Bool)
    /// Refused before it reached the chain.
    case refused
  }

  /// Which interaction is replayed.
  package struct Replay: Sendable {
    /// The file of the interaction.
    package let file: String
    /// Its number among the recorded responses to the request, from 1, and their count.
    package let turn: Int
    package let turns: Int
    /// Differences from the recorded request that the matching rules ignore.
    package let drift: [String]
    package let substitution: Substitution?

    package init(file: String, turn: Int, turns: Int, drift: [String] = [], substitution: Substitution? = nil)
    {
      self.file = file
      self.turn = turn
      self.turns = turns
      self.drift = drift
      self.substitution = substitution
    }
  }

  /// What is replayed instead of a response that was not recorded.
  package enum Substitution: String, Sendable {
    /// A response that was recorded for another client.
    case otherClient = "other-client"
    /// A full response, since the requested range or condition was not recorded.
    case otherVariant = "other-variant"
  }

  package let link: Link
  /// The id of the declared rule or resource.
  package let rule: String?
  package fileprivate(set) var reason: Reason

  package init(_ link: Link, rule: consuming String? = nil, _ reason: consuming Reason) {
    self.link = link
    self.rule = rule
    self.reason = reason
  }
}

/// What all links of the chain did with one request.
package struct Decisions: Sendable {
  /// The decision of the link that responded; `nil` until one has.
  package fileprivate(set) var responded: Decision?
  /// Which request of its session this is, since the session began; `nil` for the default session, which is not counted.
  package fileprivate(set) var sessionRequest: Int?
  /// The decisions of links that declined, and of patches and faults.
  fileprivate var others: [Decision] = []

  /// Links that declined, in the order of the chain.
  private var declined: [Decision] { others.filter { $0.link != .patch && $0.link != .fault } }
  package var patches: [Decision] { others.filter { $0.link == .patch } }
  package var faults: [Decision] { others.filter { $0.link == .fault } }

  /// In the order of the chain.
  package var all: [Decision] { declined + (responded.map { [$0] } ?? []) + patches + faults }
}

/// Collects the decisions on one request while it is served. It exists only if the live log, the request log or
/// `--explain` needs it, and belongs to the loop of its request. A streamed response is patched on its way, so the
/// decisions are complete with the response's last byte.
package final class DecisionCollector {
  @exclusivity(unchecked) package private(set) var decisions = Decisions()

  package init() {}

  /// Notes which request of its session this is.
  package func number(_ sessionRequest: Int) { decisions.sessionRequest = sessionRequest }

  /// Notes that a rule lets the request pass.
  package func decline(_ link: Decision.Link, rule: String, _ reason: Decision.Reason) {
    decisions.others.append(Decision(link, rule: rule, reason))
  }

  /// Notes that a link responds.
  package func respond(
    _ link: Decision.Link, rule: consuming String? = nil, _ reason: consuming Decision.Reason
  ) {
    decisions.responded = Decision(link, rule: rule, reason)
  }

  /// Notes that a patch acts on the response, or declines.
  package func patch(_ rule: String, _ reason: Decision.Reason) { decline(.patch, rule: rule, reason) }

  /// Notes that a fault acts on the response, or declines.
  package func fault(_ rule: String, _ reason: Decision.Reason) { decline(.fault, rule: rule, reason) }

  /// Notes why a part of a patch could not be applied. Each reason is noted once.
  package func remark(_ text: String, onPatch rule: String) {
    for index in decisions.others.indices
    where decisions.others[index].link == .patch && decisions.others[index].rule == rule {
      guard case .applied(var remarks) = decisions.others[index].reason, !remarks.contains(text) else {
        return
      }
      remarks.append(text)
      decisions.others[index].reason = .applied(remarks: remarks)
    }
  }
}
