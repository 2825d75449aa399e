/// Why a store refused something, and about which entity.
public enum StoreError: Error, Equatable, Sendable {
  /// There is no entity of that type and id.
  case invalidEntity(type: String, id: String)
  /// There is one already.
  case duplicateID(type: String, id: String)

  public var type: String {
    switch self {
    case .invalidEntity(let type, _), .duplicateID(let type, _): type
    }
  }

  public var id: String {
    switch self {
    case .invalidEntity(_, let id), .duplicateID(_, let id): id
    }
  }
}

extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidEntity(let type, let id): "the store has no \(type) with the id \(id.debugDescription)"
    case .duplicateID(let type, let id): "the store already has a \(type) with the id \(id.debugDescription)"
    }
  }
}
