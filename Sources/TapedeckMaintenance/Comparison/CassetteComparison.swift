import TapedeckFormats
package import TapedeckHTTP
package import TapedeckRecording

/// Compares two cassettes interaction by interaction. Interactions are paired by their match keys under the rules of the
/// first cassette; of several responses to one request, equal ones are paired.
package struct CassetteComparison: Sendable {
  package struct Change: Sendable {
    /// `nil` if it was added.
    package let old: StoredInteraction?
    /// `nil` if it was removed.
    package let new: StoredInteraction?
    /// At least one if both are there.
    package let differences: [RequestDifference]

    package var request: HTTPRequest? { (old ?? new)?.interaction.request }
  }

  /// In the order of the first cassette's names, then of the second's.
  package private(set) var changes: [Change] = []
  package private(set) var equalCount = 0
  /// Differences of the cassettes as a whole.
  package private(set) var rules: [RequestDifference] = []

  package var isEmpty: Bool { changes.isEmpty && rules.isEmpty }

  package init(_ old: Cassette, _ new: Cassette) throws(CassetteError) {
    if old.recordedOrigins != new.recordedOrigins {
      let texts = [old, new].map { $0.hasSeveralOrigins ? $0.origins.joined(separator: ", ") : $0.upstream }
      rules = [RequestDifference(field: "upstream", recorded: texts[0], received: texts[1])]
    }
    // The interactions of a cassette of one origin name none.
    let matcher = RequestMatcher(
      old.matcher.rules, redaction: old.matcher.redaction,
      comparesOrigin: old.hasSeveralOrigins && new.hasSeveralOrigins)
    if matcher.rules != new.matcher.rules || matcher.redaction != new.matcher.redaction {
      let texts = [matcher, new.matcher].map { $0.rules.items.joined(separator: ", ") }
      rules.append(RequestDifference(field: "match", recorded: texts[0], received: texts[1]))
    }
    let (oldGroups, newGroups) = (try old.grouped(by: matcher), try new.grouped(by: matcher))
    let known = Set(oldGroups.map(\.key))
    let counterparts = Dictionary(uniqueKeysWithValues: newGroups.map { ($0.key, $0.elements) })
    for (key, responses) in oldGroups { compare(responses, counterparts[key] ?? []) }
    for (key, responses) in newGroups where !known.contains(key) { compare([], responses) }
  }

  private mutating func compare(_ old: [StoredInteraction], _ new: [StoredInteraction]) {
    let moves = new.difference(from: old) { left, right in
      InteractionComparison.differences(right.interaction, left.interaction).isEmpty
    }
    let (removals, insertions) = (moves.removals.map(\.interaction), moves.insertions.map(\.interaction))
    equalCount += new.count - insertions.count
    for index in 0..<max(removals.count, insertions.count) {
      let (removed, added) = (removals.dropFirst(index).first, insertions.dropFirst(index).first)
      var differences: [RequestDifference] = []
      if let removed, let added {
        differences = InteractionComparison.differences(removed.interaction, added.interaction)
        if differences.isEmpty {
          differences = [
            RequestDifference(
              field: "place among the responses to this request", recorded: removed.fileName,
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
  ) throws(CassetteError) -> [(key: MatchKey, elements: [StoredInteraction])] {
    let keys = try interactions.map { stored throws(CassetteError) in
      matcher == self.matcher ? stored.key : try matcher.key(for: stored.interaction)
    }
    return zip(keys, interactions).groupedInOrder(by: \.0).map { ($0, $1.map(\.1)) }
  }
}

extension CollectionDifference<StoredInteraction>.Change {
  fileprivate var interaction: StoredInteraction {
    switch self {
    case .insert(_, let stored, _), .remove(_, let stored, _): stored
    }
  }
}
