/// The reason why a store rejected an operation, with the entity.
public enum StoreError: Error, Equatable, Sendable {
  /// The entity does not exist.
  case invalidEntity(type: String, id: String)
  /// An entity of this type and id already exists.
  case duplicateID(type: String, id: String)
  /// A relation of the entity refers to one that does not exist.
  case missingRelated(type: String, id: String, relation: String, relatedType: String, relatedID: String)
  /// The entity was changed elsewhere during each attempt to update it.
  case unsettled(type: String, id: String)
  /// A relation of the type is declared wrongly, or refers to a type that it may not.
  case badRelation(type: String, id: String, relation: String, RelationProblem)

  /// The type of the entity.
  public var type: String {
    switch self {
    case .invalidEntity(let type, _), .duplicateID(let type, _), .unsettled(let type, _),
      .missingRelated(let type, _, _, _, _), .badRelation(let type, _, _, _):
      type
    }
  }

  /// The id of the entity.
  public var id: String {
    switch self {
    case .invalidEntity(_, let id), .duplicateID(_, let id), .unsettled(_, let id),
      .missingRelated(_, let id, _, _, _), .badRelation(_, let id, _, _):
      id
    }
  }
}

extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidEntity(let type, let id): "the store has no \(type) with the id \(id.debugDescription)"
    case .duplicateID(let type, let id): "the store already has a \(type) with the id \(id.debugDescription)"
    case .unsettled(let type, let id):
      "the \(type) with the id \(id.debugDescription) was changed a thousand times while it was being updated; "
        + "does the closure change it, too? It is to change only the copy that it is given"
    case .missingRelated(let type, let id, let relation, let relatedType, let relatedID):
      "\(type).\(relation) of the id \(id.debugDescription) leads to a \(relatedType) with the id "
        + "\(relatedID.debugDescription), which the store does not have"
    case .badRelation(let type, _, let relation, let problem): "\(type).\(relation) \(problem)"
    }
  }
}

/// A problem with the declaration or use of a relation.
public enum RelationProblem: Error, Equatable, Sendable {
  /// Several properties could be the inverse; `candidates` are like `User.posts`.
  case ambiguousInverse(candidates: [String])
  /// Two declarations disagree, or the inverse does not refer back.
  case contradictoryInverse(String)
  /// A rule names a property that is not a stored relation.
  case noRelation
  /// A relation is inside an optional, or in an entity that is a class.
  case unsupported(String)
  /// A polymorphic relation refers to a type that is not among its targets.
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
