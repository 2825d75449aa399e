/// Why a store refused an operation, and on which entity.
public enum StoreError: Error, Equatable, Sendable {
  /// There is no entity of this type and id.
  case invalidEntity(type: String, id: String)
  /// There is an entity of this type and id already.
  case duplicateID(type: String, id: String)
  /// A relation of the entity leads to one that does not exist.
  case missingRelated(type: String, id: String, relation: String, relatedType: String, relatedID: String)
  /// An entity was changed by others each time it was about to be updated.
  case unsettled(type: String, id: String)
  /// A relation of the type is declared wrongly, or leads where it must not.
  case badRelation(type: String, id: String, relation: String, RelationProblem)

  /// The type of the entity.
  public var type: String {
    switch self {
    case .invalidEntity(let type, _), .duplicateID(let type, _), .unsettled(let type, _),
      .missingRelated(let type, _, _, _, _),
      .badRelation(let type, _, _, _):
      type
    }
  }

  /// The id of the entity.
  public var id: String {
    switch self {
    case .invalidEntity(_, let id), .duplicateID(_, let id), .unsettled(_, let id),
      .missingRelated(_, let id, _, _, _),
      .badRelation(_, let id, _, _):
      id
    }
  }
}

extension StoreError: CustomStringConvertible {
  /// The reason with type and id.
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
