package import TapedeckHTTP
package import TapedeckRecording

/// What differs between two cassettes, interaction by interaction. Interactions are paired by the match key, made for both
/// by the rules of the first cassette; of several responses to one request, equal ones are paired.
package struct CassetteComparison: Sendable {
  /// An interaction that differs.
  package struct Change: Sendable {
    /// Nil when it was added.
    package let old: StoredInteraction?
    /// Nil when it was removed.
    package let new: StoredInteraction?
    /// At least one where the interaction is in both.
    package let differences: [RequestDifference]

    package var request: HTTPRequest? { (old ?? new)?.interaction.request }
  }

  /// In the order of the first cassette's names, then of the second's.
  package private(set) var changes: [Change] = []
  /// How many interactions are the same.
  package private(set) var equalCount = 0
  /// What differs between the cassettes as a whole.
  package private(set) var rules: [RequestDifference] = []

  package var isEmpty: Bool { changes.isEmpty && rules.isEmpty }

  package init(_ old: Cassette, _ new: Cassette) throws(CassetteError) {
    rules = Self.rules(old, new)
    let matcher = old.matcher
    let newGroups = try Self.groups(new, by: matcher)
    let oldGroups = try Self.groups(old, by: matcher)
    for key in oldGroups.order { compare(oldGroups.answers[key] ?? [], newGroups.answers[key] ?? []) }
    for key in newGroups.order where oldGroups.answers[key] == nil {
      compare([], newGroups.answers[key] ?? [])
    }
  }

  private static func rules(_ old: Cassette, _ new: Cassette) -> [RequestDifference] {
    var rules: [RequestDifference] = []
    if old.upstream != new.upstream {
      rules.append(RequestDifference(field: "upstream", recorded: old.upstream, received: new.upstream))
    }
    if old.matcher != new.matcher {
      rules.append(
        RequestDifference(field: "match", recorded: text(old.matcher), received: text(new.matcher)))
    }
    return rules
  }

  private static func text(_ matcher: RequestMatcher) -> String {
    matcher.rules.items.joined(separator: ", ")
  }

  private static func groups(
    _ cassette: Cassette, by matcher: RequestMatcher
  ) throws(CassetteError) -> (order: [MatchKey], answers: [MatchKey: [StoredInteraction]]) {
    var order: [MatchKey] = []
    var answers: [MatchKey: [StoredInteraction]] = [:]
    for answer in cassette.answers {
      let key = matcher == cassette.matcher ? answer.key : try matcher.key(for: answer.interaction)
      if answers[key] == nil { order.append(key) }
      answers[key, default: []].append(answer)
    }
    return (order, answers)
  }

  /// Compares the responses to one request.
  private mutating func compare(_ old: [StoredInteraction], _ new: [StoredInteraction]) {
    let moves = new.difference(from: old) { left, right in
      InteractionComparison.differences(right.interaction, left.interaction).isEmpty
    }
    equalCount += new.count - moves.insertions.count
    for index in 0..<max(moves.removals.count, moves.insertions.count) {
      let (removed, added) = (
        moves.removals.dropFirst(index).first?.answer, moves.insertions.dropFirst(index).first?.answer
      )
      var differences: [RequestDifference] = []
      if let removed, let added {
        differences = InteractionComparison.differences(removed.interaction, added.interaction)
        if differences.isEmpty {
          differences = [
            RequestDifference(
              field: "place among the answers to this request", recorded: removed.fileName,
              received: added.fileName)
          ]
        }
      }
      changes.append(Change(old: removed, new: added, differences: differences))
    }
  }
}

extension CollectionDifference<StoredInteraction>.Change {
  fileprivate var answer: StoredInteraction {
    switch self {
    case .insert(_, let answer, _), .remove(_, let answer, _): answer
    }
  }
}
