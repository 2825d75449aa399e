public import TapedeckHTTP

/// A resource by its type and id, as relationships name it (JSON:API 1.1 §5.5).
public struct JSONAPIIdentifier: Sendable, Hashable {
  /// The resource type.
  public var type: String
  /// Unique within the type.
  public var id: String
  /// Written beside type and id; does not count for equality.
  public var meta: JSONValue?

  /// Creates an identifier.
  public init(type: String, id: String, meta: JSONValue? = nil) {
    self.type = type
    self.id = id
    self.meta = meta
  }

  public static func == (left: Self, right: Self) -> Bool { left.type == right.type && left.id == right.id }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(id)
  }
}

extension JSONAPIIdentifier: Serializable, Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try JSONAPIMembers(("type", type), ("id", id), ("meta", meta)).write(to: &run)
  }
}

/// Resource linkage (JSON:API 1.1 §5.4).
package enum Linkage: Equatable, Sendable {
  case one(JSONAPIIdentifier?)
  case many([JSONAPIIdentifier])

  package var identifiers: [JSONAPIIdentifier] {
    switch self {
    case .one(let identifier): identifier.map { [$0] } ?? []
    case .many(let identifiers): identifiers
    }
  }

  /// What is written: an identifier, null or an array.
  var data: Any {
    switch self {
    case .one(let identifier): identifier ?? JSONValue.null
    case .many(let identifiers): identifiers
    }
  }
}
