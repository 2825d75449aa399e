/// A property that leads to entities of a store: `ToOne`, `ToMany`, `ToOneOf` or `ToManyOf`.
protocol RelationProperty: SelfWriting, Sendable {
  static var isToMany: Bool { get }
  /// Whether it leads to entities of several types.
  static var isPolymorphic: Bool { get }
  static var targets: [any Storable.Type] { get }
  /// The entities it leads to, in order.
  var keys: [EntityKey] { get }
}

extension RelationProperty {
  /// As JSON:API names what it leads to. It takes no store to know this.
  var linkage: Linkage {
    let types = Self.targets
    let identifiers = keys.compactMap { key in
      types.first { ObjectIdentifier($0) == key.type }.map { type in
        JSONAPIIdentifier(type: ResourceTypeName.name(of: type), id: key.id)
      }
    }
    return Self.isToMany ? .many(identifiers) : .one(identifiers.first)
  }
}

/// A property that leads to entities of one type.
public protocol Relation: Sendable {
  associatedtype Target: Storable
}
