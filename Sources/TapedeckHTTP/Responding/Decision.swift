/// What one link of the responder chain did with a request, and why. A link appends it to the request's
/// `DecisionCollector` as it declines, responds or changes the response. Nothing is decided by it; the words for people
/// are in `Decision+Words.swift`.
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
    /// Declined: the request does not meet the rule's condition. What the rule wants, like `query page is "2"`.
    case unmet(String)
    /// Declined: `times`, `after`, `on` or `probability` leaves the request out.
    case notItsTurn
    /// A patch or fault acted, and why parts of it could not.
    case applied(remarks: [String])
    /// A route or resource responded.
    case declared
    /// An interaction is replayed.
    case replayed(Replay)
    /// The origin is asked.
    case forwarded(isRecorded: Bool)
    /// Nothing matches, as explained.
    /// - Parameter isFirst: whether it is the first miss of its sort in the run, which logs tell in full.
    indirect case missed(Miss, isFirst: Bool)
    /// Refused before any link was asked.
    case refused
  }

  /// Which interaction is replayed.
  package struct Replay: Sendable {
    /// The file of the interaction.
    package let file: String
    /// Its place among the responses to such a request, from 1, and how many of them were recorded.
    package let turn: Int
    package let turns: Int
    /// Where the request differs from the recorded one, though not by the rules.
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

  /// What is replayed in place of a response that was not recorded.
  package enum Substitution: String, Sendable {
    /// A response that was recorded for another client.
    case otherClient = "other-client"
    /// A full response, where the requested range or condition was not recorded.
    case otherVariant = "other-variant"
  }

  package let link: Link
  /// The id of the declared rule or resource.
  package let rule: String?
  package fileprivate(set) var reason: Reason

  package init(_ link: Link, rule: String? = nil, _ reason: Reason) {
    self.link = link
    self.rule = rule
    self.reason = reason
  }
}

/// What all links of the chain did with one request.
package struct Decisions: Sendable {
  /// The routes that declined before one responded, in the order they were asked.
  package fileprivate(set) var declined: [Decision] = []
  /// Of the link that responded; `nil` before one has.
  package fileprivate(set) var responded: Decision?
  package fileprivate(set) var patches: [Decision] = []
  package fileprivate(set) var faults: [Decision] = []

  package init() {}
}

/// Collects the decisions on one request while it is served: made by the front of the chain where a log, the request
/// log or `--explain` listens, else there is none. Belongs to the loop of its request. A streamed response is patched on
/// its way, so the decisions are complete with the response's last byte.
package final class DecisionCollector {
  package private(set) var decisions = Decisions()

  package init() {}

  /// A rule lets the request pass.
  package func decline(_ link: Decision.Link, rule: String, _ reason: Decision.Reason) {
    decisions.declined.append(Decision(link, rule: rule, reason))
  }

  /// A link responds.
  package func respond(_ link: Decision.Link, rule: String? = nil, _ reason: Decision.Reason) {
    decisions.responded = Decision(link, rule: rule, reason)
  }

  /// A patch acts on the response, or declines to.
  package func patch(_ rule: String, _ reason: Decision.Reason) {
    decisions.patches.append(Decision(.patch, rule: rule, reason))
  }

  /// A fault acts on the response, or declines to.
  package func fault(_ rule: String, _ reason: Decision.Reason) {
    decisions.faults.append(Decision(.fault, rule: rule, reason))
  }

  /// Adds why a part of a patch could not be applied, each reason once.
  package func remark(_ text: String, onPatch rule: String) {
    for index in decisions.patches.indices where decisions.patches[index].rule == rule {
      guard case .applied(var remarks) = decisions.patches[index].reason, !remarks.contains(text) else {
        return
      }
      remarks.append(text)
      decisions.patches[index].reason = .applied(remarks: remarks)
    }
  }
}
