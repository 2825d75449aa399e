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
    let (oldGroups, newGroups) = (try old.grouped(by: matcher), try new.grouped(by: matcher))
    let known = Set(oldGroups.map(\.key))
    let counterparts = Dictionary(uniqueKeysWithValues: newGroups.map { ($0.key, $0.responses) })
    for group in oldGroups { compare(group.responses, counterparts[group.key] ?? []) }
    for group in newGroups where !known.contains(group.key) { compare([], group.responses) }
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

  /// Compares the responses to one request.
  private mutating func compare(_ old: [StoredInteraction], _ new: [StoredInteraction]) {
    let moves = new.difference(from: old) { left, right in
      InteractionComparison.differences(right.interaction, left.interaction).isEmpty
    }
    equalCount += new.count - moves.insertions.count
    for index in 0..<max(moves.removals.count, moves.insertions.count) {
      let (removed, added) = (
        moves.removals.dropFirst(index).first?.interaction,
        moves.insertions.dropFirst(index).first?.interaction
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

extension Cassette {
  /// The responses to each request, in the order of the names.
  func grouped(
    by matcher: RequestMatcher
  ) throws(CassetteError) -> [(key: MatchKey, responses: [StoredInteraction])] {
    var groups: [(key: MatchKey, responses: [StoredInteraction])] = []
    var places: [MatchKey: Int] = [:]
    for stored in answers {
      let key = matcher == self.matcher ? stored.key : try matcher.key(for: stored.interaction)
      if let place = places[key] {
        groups[place].responses.append(stored)
      } else {
        places[key] = groups.count
        groups.append((key, [stored]))
      }
    }
    return groups
  }
}

extension CollectionDifference<StoredInteraction>.Change {
  fileprivate var interaction: StoredInteraction {
    switch self {
    case .insert(_, let stored, _), .remove(_, let stored, _): stored
    }
  }
}
