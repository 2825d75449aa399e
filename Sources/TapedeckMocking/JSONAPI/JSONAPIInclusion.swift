/// Which related resources a compound document includes (JSON:API 1.1 §5.3).
public enum JSONAPIInclusion: Sendable {
  /// No related resources.
  case none
  /// Those that primary data relates to.
  case related
  /// Everything that primary data leads to.
  case everything
  /// Those along the paths, like `comments.author`; resources on the way there as well. `included` is then written even
  /// if there are none.
  case paths([String])
}

extension JSONAPIInclusion {
  /// The related resources of a resource that are included, and the inclusion from there; the first one last.
  func following(_ content: ResourceContent) -> [(node: ResourceNode, next: JSONAPIInclusion)] {
    content.relationships.reversed().flatMap { relationship in
      following(relationship.name).map { next in relationship.related.reversed().map { ($0, next) } } ?? []
    }
  }

  private func following(_ relationship: String) -> JSONAPIInclusion? {
    switch self {
    case .none: return nil
    case .related: return JSONAPIInclusion.none
    case .everything: return .everything
    case .paths(let paths):
      let steps = paths.map { $0.split(separator: ".", maxSplits: 1) }.filter {
        $0.first == relationship[...]
      }
      return steps.isEmpty ? nil : .paths(steps.map { $0.count > 1 ? String($0[1]) : "" })
    }
  }

  /// Whether a resource that was met already leads to anything new. Paths end, graphs may not.
  var goesOnFromKnown: Bool {
    if case .paths = self { true } else { false }
  }

  var isAlwaysWritten: Bool { goesOnFromKnown }
}
