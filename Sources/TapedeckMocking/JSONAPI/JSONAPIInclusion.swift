/// Which related resources a compound document includes (JSON:API 1.1 §5.3).
public enum JSONAPIInclusion: Sendable {
  case none
  /// Those that primary data relates to.
  case related
  /// Everything that primary data leads to.
  case everything
  /// Those along the paths, like `comments.author`; resources on the way there as well. `included` is then written even
  /// if there are none.
  case paths([String])
}

/// An inclusion on its way through the relationships.
enum InclusionStep {
  case none, related, everything
  case paths(RelationTree)

  init(_ inclusion: JSONAPIInclusion) {
    switch inclusion {
    case .none: self = .none
    case .related: self = .related
    case .everything: self = .everything
    case .paths(let paths): self = .paths(RelationTree(paths))
    }
  }

  /// The related resources of a resource that are included, and what holds for them; the first one last.
  func following(_ content: ResourceContent) -> [(node: ResourceNode, step: InclusionStep)] {
    content.relationships.reversed().flatMap { relationship in
      following(relationship.name).map { next in relationship.related.reversed().map { ($0, next) } } ?? []
    }
  }

  private func following(_ relationship: String) -> InclusionStep? {
    switch self {
    case .none: nil
    case .related: InclusionStep.none
    case .everything: .everything
    case .paths(let tree): tree[relationship].map { .paths($0) }
    }
  }

  /// Whether a resource that was met already leads to anything new. Paths end, graphs may not.
  var goesOnFromKnown: Bool {
    if case .paths = self { true } else { false }
  }

  var isAlwaysWritten: Bool { goesOnFromKnown }
}
