internal import TapedeckHTTP
public import TapedeckMocking

/// A stored type that declares which other stored entities its own relate to, for JSON:API, REST and HAL.
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
/// Properties like `ToOne` and `ToMany` are relationships by themselves, and the store keeps their other sides in step.
/// This protocol is for ids in plain properties, and for relationships that are computed.
public protocol RelatedEntity: Storable {
  /// The relationships that this type declares.
  static var relationships: [Relationship<Self>] { get }
}

/// A stored type that can be read from a request.
public typealias ResourceEntity = Storable & Codable

/// One relationship of a stored type: its name, where it leads, and how its ids are read and changed.
public struct Relationship<Owner: Storable>: Sendable {
  /// Reads the ids that an owner relates to.
  public typealias Read = @Sendable (Owner, Store) -> [String]
  /// Gives an owner other ids.
  public typealias Assign = @Sendable (inout Owner, [String], Store) throws -> Void

  /// The name in URLs and documents.
  public let name: String
  /// Whether it leads to any number of entities.
  public let isToMany: Bool
  /// Whether a to-one relationship may lead nowhere.
  public let isOptional: Bool
  /// The property that holds the ids, which is no attribute then.
  let property: String?
  let types: [any ResourceEntity.Type]
  let read: @Sendable (Owner, Store) -> [EntityKey]
  /// Nil for a relationship that cannot be changed.
  let assign: (@Sendable (inout Owner, [EntityKey], Store) throws -> Void)?

  /// - Parameters:
  ///   - property: the property that holds the ids, as it is encoded; it is served as no attribute.
  ///   - read: the ids that the owner relates to, in order; those of entities that do not exist are skipped.
  ///   - assign: gives the owner other ids, all of which exist; kept only if the whole change succeeds. Nil for a
  ///     relationship that cannot be changed.
  public init<Entity: ResourceEntity>(
    _ name: String, _ target: Entity.Type, isToMany: Bool, isOptional: Bool = true, property: String? = nil,
    read: @escaping Read, assign: Assign? = nil
  ) {
    self.name = name
    self.isToMany = isToMany
    self.isOptional = isOptional
    self.property = property
    types = [target]
    let type = ObjectIdentifier(target)
    self.read = { owner, store in read(owner, store).map { EntityKey(type, $0) } }
    if let assign {
      self.assign = { owner, targets, store in try assign(&owner, targets.map(\.id), store) }
    } else {
      self.assign = nil
    }
  }

  /// A relation that the store keeps in step. Nil for one that leads to a type that is not `Codable`.
  init?(_ relation: StoredRelation) {
    let types = relation.targets.compactMap { $0 as? any ResourceEntity.Type }
    guard types.count == relation.targets.count else { return nil }
    name = relation.name
    isToMany = relation.isToMany
    isOptional = true
    property = relation.name
    self.types = types
    read = { owner, _ in relation.keys(of: owner) }
    assign = { owner, targets, _ in relation.set(targets, in: &owner) }
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

extension Relationship: ResourceRelationship {
  var isWritable: Bool { assign != nil }

  var targets: [any ResourceType] { types.map { resourceType(of: $0) } }

  /// The existing targets of an owner.
  func related(to owner: Owner, in store: Store) -> [ResourceIdentifier] {
    let targets = targets
    return read(owner, store).compactMap { key in
      guard let index = types.firstIndex(where: { ObjectIdentifier($0) == key.type }),
        targets[index].has(key.id, in: store)
      else { return nil }
      return ResourceIdentifier(type: targets[index].name, id: key.id)
    }
  }

  func set(_ related: [ResourceIdentifier], in owner: inout Owner, _ store: Store) throws {
    let names = targets.map(\.name)
    let keys = related.compactMap { target in
      names.firstIndex(of: target.type).map { EntityKey(ObjectIdentifier(types[$0]), target.id) }
    }
    try assign?(&owner, keys, store)
  }
}
