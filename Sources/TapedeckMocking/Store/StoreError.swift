/// Why a store refused something, and about which entity.
public enum StoreError: Error, Equatable, Sendable {
  /// There is no entity of that type and id.
  case invalidEntity(type: String, id: String)
  /// There is one already.
  case duplicateID(type: String, id: String)
  /// A relation of the entity leads to one that is not there.
  case missingRelated(type: String, id: String, relation: String, relatedType: String, relatedID: String)
  /// An entity was changed by others whenever it was about to be.
  case unsettled(type: String, id: String)
  /// A relation of the type is not declared as it should be, or leads where it may not.
  case badRelation(type: String, id: String, relation: String, RelationProblem)

  public var type: String {
    switch self {
    case .invalidEntity(let type, _), .duplicateID(let type, _), .unsettled(let type, _),
      .missingRelated(let type, _, _, _, _),
      .badRelation(let type, _, _, _):
      type
    }
  }

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
