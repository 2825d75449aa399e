/// A property that leads to any number of entities of a store, each of them once, in an order.
///
/// ```swift
/// var comments = ToMany<Comment>()
///
/// try store.update(Post.self, id: "1") { $0.comments.append(comment) }
/// let comments = store.findAll(post.comments)
/// ```
///
/// The store keeps the other side in step: see ``Related``. Of a property that came out of a store only the changes count:
/// what others have added meanwhile stays. A newly made one leads to exactly what it says. Encoded as an array of ids.
public struct ToMany<Target: Storable>: Relation, RelationProperty {
  var storage = RelationStorage()

  /// Leads nowhere in a new entity; changes nothing in a stored one.
  public init() {}

  /// Leads to exactly these entities.
  public init(_ targets: [Target]) { self.init(ids: targets.map(\.id)) }

  /// Leads to exactly the entities with these ids.
  public init(ids: [String]) { storage.assign(ids.map { EntityKey(Target.self, $0) }) }

  public init(from decoder: any Decoder) throws { self.init(ids: try [String](from: decoder)) }

  public func encode(to encoder: any Encoder) throws { try ids.encode(to: encoder) }

  /// The ids of the entities it leads to.
  public var ids: [String] {
    get { storage.targets.map(\.id) }
    set { storage.edit { $0 = newValue.map { EntityKey(Target.self, $0) } } }
  }

  /// The number of entities it leads to.
  public var count: Int { storage.targets.count }
  /// Whether it leads nowhere.
  public var isEmpty: Bool { storage.targets.isEmpty }

  /// Whether it leads to the entity with this id.
  public func contains(id: String) -> Bool { storage.targets.contains(EntityKey(Target.self, id)) }
  /// Whether it leads to this entity.
  public func contains(_ target: Target) -> Bool { contains(id: target.id) }

  /// Adds the entity with this id at the end.
  public mutating func append(id: String) { storage.edit { $0.append(EntityKey(Target.self, id)) } }
  /// Adds an entity at the end.
  public mutating func append(_ target: Target) { append(id: target.id) }

  /// Removes the entity with this id; the entity itself stays in the store.
  public mutating func remove(id: String) {
    let key = EntityKey(Target.self, id)
    storage.edit { $0.removeAll { $0 == key } }
  }
  /// Removes an entity; it stays in the store.
  public mutating func remove(_ target: Target) { remove(id: target.id) }

  /// Removes all entities; they stay in the store.
  public mutating func removeAll() { storage.edit { $0 = [] } }

  static var isToMany: Bool { true }
  static var isPolymorphic: Bool { false }
  static var targets: [any Storable.Type] { [Target.self] }
}

extension ToMany: CustomStringConvertible {
  public var description: String { "ToMany<\(Target.self)>(\(ids))" }
}
