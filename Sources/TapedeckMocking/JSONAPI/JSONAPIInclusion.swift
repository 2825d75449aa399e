/// Which related resources a compound document includes (JSON:API 1.1 §5.3).
public enum JSONAPIInclusion: Sendable {
  case none
  /// Those that primary data relates to.
  case related
  /// Those as well that these relate to, and so on.
  case everything
  /// Those along the paths, like `comments.author`; resources on the way there as well. `included` is then written even
  /// if there are none.
  case paths([String])
}

/// An inclusion on its way through the relationships.
enum InclusionStep {
  case none, related, everything
  case paths(InclusionPaths)

  init(_ inclusion: JSONAPIInclusion) {
    switch inclusion {
    case .none: self = .none
    case .related: self = .related
    case .everything: self = .everything
    case .paths(let paths): self = .paths(InclusionPaths(paths))
    }
  }

  /// What holds for the resources of a relationship; nil when they are not included.
  func following(_ relationship: String) -> InclusionStep? {
    switch self {
    case .none: nil
    case .related: InclusionStep.none
    case .everything: .everything
    case .paths(let paths): paths.branches.first { $0.name == relationship }.map { .paths($0.rest) }
    }
  }

  /// Whether a resource that was met already leads to anything new. Paths end, graphs may not.
  var goesOnFromKnown: Bool {
    if case .paths = self { true } else { false }
  }

  var isAlwaysWritten: Bool { goesOnFromKnown }
}

/// Relationship paths as a tree.
struct InclusionPaths: Sendable {
  private(set) var branches: [(name: String, rest: InclusionPaths)] = []

  init(_ paths: [String] = []) {
    for path in paths { insert(path.split(separator: ".").map(String.init)[...]) }
  }

  private mutating func insert(_ path: ArraySlice<String>) {
    guard let name = path.first else { return }
    let index = branches.firstIndex { $0.name == name } ?? branches.count
    if index == branches.count { branches.append((name, InclusionPaths())) }
    branches[index].rest.insert(path.dropFirst())
  }
}
