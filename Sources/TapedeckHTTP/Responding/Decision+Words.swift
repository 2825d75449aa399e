/// Decisions as text, for the request log, the live log and `--explain`.
extension Decision {
  /// The link, with the rule if it has one: `route maintenance`, `cassette`.
  package var name: String { rule.map { "\(link.rawValue) \($0)" } ?? link.rawValue }

  package var outcome: Outcome {
    switch reason {
    case .unmet, .notItsTurn: .declined
    case .applied: .applied
    case .declared, .replayed, .forwarded, .missed, .refused: .answered
    }
  }

  /// The reason in a few words.
  package var words: String {
    switch reason {
    case .unmet(let wish): "it wants: \(wish)"
    case .notItsTurn: "it was not its turn (times, after, on or probability)"
    case .applied: appliedWords ?? name
    case .declared: link == .store ? "a resource is served at its path" : "the most specific route for it"
    case .replayed(let replay): replay.words
    case .forwarded(let isRecorded): isRecorded ? "forwarded and recorded" : "forwarded, not recorded"
    case .missed(let miss, _):
      miss.nearest.first.map { "no recording matches; nearest is \($0.file)" } ?? "nothing responds to it"
    case .refused: "refused before it reached the chain"
    }
  }

  /// Like `patch second-time`, with remarks on parts that could not be applied; `nil` unless it was applied.
  fileprivate var appliedWords: String? {
    guard case .applied(let remarks) = reason else { return nil }
    return remarks.isEmpty ? name : "\(name) (\(remarks.joined(separator: "; ")))"
  }
}

extension Decision.Replay {
  fileprivate var words: String {
    let drift = drift.isEmpty ? "" : "; differs in \(drift.joined(separator: ", "))"
    let substituted =
      switch substitution {
      case .otherClient: "; other-client: it was recorded for another client, and none for this one"
      case .otherVariant:
        "; other-variant: the range or condition was not recorded, and this is right for any"
      case nil: ""
      }
    return "recorded in \(file), response \(turn) of \(turns)\(drift)\(substituted)"
  }
}

extension Decisions {
  /// The patches and faults that acted.
  package var applied: [String] { (patches + faults).compactMap(\.appliedWords) }

  package var replay: Decision.Replay? {
    guard case .replayed(let replay)? = responded?.reason else { return nil }
    return replay
  }

  /// A miss that the log shows in full: the first of its kind.
  package var toldMiss: Miss? {
    guard case .missed(let miss, isFirst: true)? = responded?.reason else { return nil }
    return miss
  }

  package var miss: Miss? {
    guard case .missed(let miss, _)? = responded?.reason else { return nil }
    return miss
  }
}
