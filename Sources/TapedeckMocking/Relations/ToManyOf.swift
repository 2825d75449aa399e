/// A property that leads to any number of entities of any of these types: `var pinned = ToManyOf<Post, Comment>()`.
///
/// Encoded as an array of `{"type": "Post", "id": "1"}`.
public struct ToManyOf<each Target: Storable>: Relation, RelationProperty {
  var storage = RelationStorage()

  /// Leads nowhere in a new entity; changes nothing in a stored one.
  public init() {}

  public init(from decoder: any Decoder) throws {
    storage.assign(try [TypedID](from: decoder).map { try $0.key(among: Self.targets, decoder) })
  }

  public func encode(to encoder: any Encoder) throws {
    try storage.targets.map { TypedID($0, among: Self.targets) }.encode(to: encoder)
  }

  /// The number of entities it leads to.
  public var count: Int { storage.targets.count }
  /// Whether it leads nowhere.
  public var isEmpty: Bool { storage.targets.isEmpty }

  /// The ids of the entities of this type.
  public func ids<T: Storable>(of type: T.Type) -> [String] {
    let key = ObjectIdentifier(type)
    return storage.targets.compactMap { $0.type == key ? $0.id : nil }
  }

  /// Whether it leads to this entity.
  public func contains<T: Storable>(_ target: T) -> Bool {
    storage.targets.contains(EntityKey(T.self, target.id))
  }

  /// Adds an entity. The store refuses a type that is none of the property's.
  public mutating func append<T: Storable>(_ target: T) { append(T.self, id: target.id) }

  /// Adds the entity of this type and id.
  public mutating func append<T: Storable>(_ type: T.Type, id: String) {
    storage.edit { $0.append(EntityKey(type, id)) }
  }

  /// Removes an entity; it stays in the store.
  public mutating func remove<T: Storable>(_ target: T) {
    let key = EntityKey(T.self, target.id)
    storage.edit { $0.removeAll { $0 == key } }
  }

  /// Removes all entities; they stay in the store.
  public mutating func removeAll() { storage.edit { $0 = [] } }

  static var isToMany: Bool { true }
  static var isPolymorphic: Bool { true }
  static var targets: [any Storable.Type] { Array(repeat (each Target).self) }
}
