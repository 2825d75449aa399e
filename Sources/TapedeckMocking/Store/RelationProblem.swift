/// What is wrong with how relations are declared or used.
public enum RelationProblem: Error, Equatable, Sendable {
  /// Several properties could be the inverse; `candidates`, like `User.posts`.
  case ambiguousInverse(candidates: [String])
  /// Two declarations do not agree, or the inverse does not lead back.
  case contradictoryInverse(String)
  /// A rule is about something that is no stored relation.
  case noRelation
  /// A relation inside an optional, or in an entity that is a class.
  case unsupported(String)
  /// A polymorphic relation was led to a type that is none of its own.
  case foreignTarget(allowed: String)
}

extension RelationProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .ambiguousInverse(let candidates):
      "has no clear inverse: \(candidates.joined(separator: " and ")) would do; "
        + "say which in `relations` with .inverse, or say .oneWay"
    case .contradictoryInverse(let contradiction): "has a contradictory inverse: \(contradiction)"
    case .noRelation: "is no relation: a stored property of type ToOne, ToMany, ToOneOf or ToManyOf"
    case .unsupported(let reason): "cannot be kept in step: \(reason)"
    case .foreignTarget(let allowed): "leads to a type that is none of its own: \(allowed)"
    }
  }
}
