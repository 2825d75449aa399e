/// A type whose values are relationships of the entity that has them as a property, rather than attributes: entities,
/// and optionals, arrays and policies of such.
///
/// What counts is the type a property is declared with: an empty array of entities is a relationship, `[Any]` and a
/// dictionary of entities are attributes. Source: Kakapo; its two methods are one property here.
public protocol JSONAPISerializable: SendableMetatype {
  /// Whether a value stands for any number of entities.
  static var isToMany: Bool { get }

  /// The entities that are meant; nil leaves the relationship out.
  var related: JSONAPIRelated? { get }
}

/// What a relationship leads to.
public enum JSONAPIRelated {
  /// Nil is an empty relationship, `data: null`.
  case one((any JSONAPIEntity)?)
  /// Several related resources.
  case many([any JSONAPIEntity])

  /// The entities, none for an empty relationship.
  public var entities: [any JSONAPIEntity] {
    switch self {
    case .one(let entity): entity.map { [$0] } ?? []
    case .many(let entities): entities
    }
  }
}

extension Optional: JSONAPISerializable where Wrapped: JSONAPISerializable {
  public static var isToMany: Bool { Wrapped.isToMany }
  public var related: JSONAPIRelated? { flatMap(\.related) }
}

extension Array: JSONAPISerializable where Element: JSONAPISerializable {
  public static var isToMany: Bool { true }
  public var related: JSONAPIRelated? { .many(compactMap(\.related).flatMap(\.entities)) }
}

extension PropertyPolicy: JSONAPISerializable where Wrapped: JSONAPISerializable {
  public static var isToMany: Bool { Wrapped.isToMany }
  /// `null` is the empty relationship: `data: null`, or `data: []` for many.
  public var related: JSONAPIRelated? {
    switch self {
    case .none: nil
    case .null: Wrapped.isToMany ? .many([]) : .one(nil)
    case .some(let value): value.related
    }
  }
}
