/// A property that leads to entities of a store: `ToOne`, `ToMany`, `ToOneOf` or `ToManyOf`.
protocol RelationProperty: SelfWriting, Sendable {
  static var isToMany: Bool { get }
  /// Whether it leads to entities of several types.
  static var isPolymorphic: Bool { get }
  static var targets: [any Storable.Type] { get }
}

/// A property that leads to entities of one type.
public protocol Relation: Sendable {
  associatedtype Target: Storable
}
