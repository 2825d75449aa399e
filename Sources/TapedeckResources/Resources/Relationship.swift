public import TapedeckMocking

/// A stored type that tells to which other stored entities its own relate, for the servers of resources: JSON:API,
/// REST and HAL.
///
/// ```swift
/// struct Article: Storable, Codable, RelatedEntity {
///   let id: String
///   var title: String
///   var authorID: String?
///   var commentIDs: [String]
///
///   static let relationships: [Relationship<Article>] = [
///     .toOne("author", User.self, \.authorID),
///     .toMany("comments", Comment.self, \.commentIDs),
///   ]
/// }
/// ```
///
/// A type with properties of the kind `ToOne` and `ToMany` needs none of this: they are relationships by themselves, and
/// the store keeps their other sides in step. This is for ids in plain properties, and for relationships that are
/// computed.
public protocol RelatedEntity: Storable {
  static var relationships: [Relationship<Self>] { get }
}

/// A stored type that can be read from a request: what a resource server serves.
public typealias ResourceEntity = Storable & Codable

/// One relationship of a stored type: its name, where it leads, and how its ids are read and changed.
public struct Relationship<Owner: Storable>: Sendable {
  public typealias Read = @Sendable (Owner, Store) -> [String]
  public typealias Assign = @Sendable (inout Owner, [String], Store) throws -> Void

  public let name: String
  public let isToMany: Bool
  /// Whether a to-one relationship may lead nowhere.
  public let isOptional: Bool
  /// The property that holds the ids, which is no attribute then.
  let property: String?
  let read: @Sendable (Owner, Store) -> [Target]
  /// Nil where it cannot be changed.
  let assign: (@Sendable (inout Owner, [Target], Store) throws -> Void)?
  /// One, or of a polymorphic relationship several.
  let targets: @Sendable () -> [any ResourceType]

  /// Where a relationship leads: which of its types, and an id.
  struct Target: Sendable {
    let type: Int
    let id: String
  }

  /// - Parameters:
  ///   - property: the property that holds the ids, as it is encoded; it is served as no attribute.
  ///   - read: the ids that the owner relates to, in order; ids that nobody has any more are passed over.
  ///   - assign: gives the owner other ids, of which every one exists; in a store that is kept only if all goes well.
  ///     Nil for a relationship that cannot be changed.
  public init<Entity: ResourceEntity>(
    _ name: String, _ target: Entity.Type, isToMany: Bool, isOptional: Bool = true, property: String? = nil,
    read: @escaping Read, assign: Assign? = nil
  ) {
    self.name = name
    self.isToMany = isToMany
    self.isOptional = isOptional
    self.property = property
    self.read = { owner, store in read(owner, store).map { Target(type: 0, id: $0) } }
    if let assign {
      self.assign = { owner, targets, store in try assign(&owner, targets.map { $0.id }, store) }
    } else {
      self.assign = nil
    }
    targets = { [ResourceTypes.type(of: Entity.self)] }
  }

  /// A relation that the store keeps in step.
  init(
    stored name: String, _ types: [any ResourceEntity.Type], isToMany: Bool,
    read: @escaping @Sendable (Owner) -> [Target],
    assign: @escaping @Sendable (inout Owner, [Target]) -> Void
  ) {
    self.name = name
    self.isToMany = isToMany
    isOptional = true
    property = name
    self.read = { owner, _ in read(owner) }
    self.assign = { owner, targets, _ in assign(&owner, targets) }
    targets = { types.map { ResourceTypes.type(ofType: $0) } }
  }

  /// A relationship to one entity or none, whose id is in an optional property.
  /// - Parameter property: the property's name where it is encoded under another one than its own.
  public static func toOne<Entity: ResourceEntity>(
    _ name: String, _ target: Entity.Type, _ id: any WritableKeyPath<Owner, String?> & Sendable,
    property: String? = nil
  ) -> Relationship {
    Relationship(
      name, target, isToMany: false, property: property ?? PropertyName.stored(at: id),
      read: { owner, _ in owner[keyPath: id].map { [$0] } ?? [] },
      assign: { owner, ids, _ in owner[keyPath: id] = ids.first })
  }

  /// A relationship that always leads to one entity.
  public static func toOne<Entity: ResourceEntity>(
    _ name: String, _ target: Entity.Type, _ id: any WritableKeyPath<Owner, String> & Sendable,
    property: String? = nil
  ) -> Relationship {
    Relationship(
      name, target, isToMany: false, isOptional: false, property: property ?? PropertyName.stored(at: id),
      read: { owner, _ in [owner[keyPath: id]] },
      assign: { owner, ids, _ in if let first = ids.first { owner[keyPath: id] = first } })
  }

  /// A relationship to any number of entities, in the order of their ids in a property.
  public static func toMany<Entity: ResourceEntity>(
    _ name: String, _ target: Entity.Type, _ ids: any WritableKeyPath<Owner, [String]> & Sendable,
    property: String? = nil
  ) -> Relationship {
    Relationship(
      name, target, isToMany: true, property: property ?? PropertyName.stored(at: ids),
      read: { owner, _ in owner[keyPath: ids] },
      assign: { owner, new, _ in owner[keyPath: ids] = new })
  }

  /// The entities whose own property leads back here. It is changed at their end only.
  public static func inverse<Entity: ResourceEntity>(
    _ name: String, _ target: Entity.Type, of id: any KeyPath<Entity, String?> & Sendable
  ) -> Relationship {
    Relationship(name, target, isToMany: true) { owner, store in
      store.filter(Entity.self) { $0[keyPath: id] == owner.id }.map(\.id)
    }
  }
}
