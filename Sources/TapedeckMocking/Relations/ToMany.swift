/// A property that refers to any number of entities of a store, each once and in order.
///
/// ```swift
/// var comments = ToMany<Comment>()
///
/// try store.update(Post.self, id: "1") { $0.comments.append(comment) }
/// let comments = store.findAll(post.comments)
/// ```
///
/// The store keeps the other side in sync: see ``Related``. If the property was read from a store, only its
/// changes are applied, so targets added by others stay. Encoded as an array of ids.
public struct ToMany<Target: Storable>: RelationProperty {
  var storage = RelationStorage()

  /// Creates an empty relation. It changes nothing when an entity that is already stored is updated with it.
  public init() {}

  /// Refers to exactly these entities.
  public init(_ targets: [Target]) { self.init(ids: targets.map(\.id)) }

  /// Refers to exactly the entities with these ids.
  public init(ids: [String]) { storage.assign(ids.map { EntityKey(Target.self, $0) }) }

  public init(from decoder: any Decoder) throws { self.init(ids: try [String](from: decoder)) }

  public func encode(to encoder: any Encoder) throws { try ids.encode(to: encoder) }

  /// The ids of the targets.
  public var ids: [String] {
    get { storage.targets.map(\.id) }
    set { storage.edit { $0 = newValue.map { EntityKey(Target.self, $0) } } }
  }

  /// The number of targets.
  public var count: Int { storage.targets.count }
  /// Whether there are no targets.
  public var isEmpty: Bool { storage.targets.isEmpty }

  /// Whether the entity with this id is a target.
  public func contains(id: String) -> Bool { storage.targets.contains(EntityKey(Target.self, id)) }
  /// Whether this entity is a target.
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

  /// Removes all targets; they stay in the store.
  public mutating func removeAll() { storage.edit { $0 = [] } }

  static var isToMany: Bool { true }
  static var isPolymorphic: Bool { false }
  static var targets: [any Storable.Type] { [Target.self] }
}

extension ToMany: CustomStringConvertible {
  public var description: String { "ToMany<\(Target.self)>(\(ids))" }
}

/// A property that refers to any number of entities of several types:
/// `var pinned = ToManyOf<Post, Comment>()`.
///
/// Encoded as an array of `{"type": "Post", "id": "1"}`.
public struct ToManyOf<each Target: Storable>: RelationProperty {
  var storage = RelationStorage()

  /// Creates an empty relation. It changes nothing when an entity that is already stored is updated with it.
  public init() {}

  public init(from decoder: any Decoder) throws {
    storage.assign(try [TypedID](from: decoder).map { try $0.key(among: Self.targets, decoder) })
  }

  public func encode(to encoder: any Encoder) throws { try typedIDs.encode(to: encoder) }

  /// The number of targets.
  public var count: Int { storage.targets.count }
  /// Whether there are no targets.
  public var isEmpty: Bool { storage.targets.isEmpty }

  /// The ids of the targets of this type.
  public func ids<T: Storable>(of type: T.Type) -> [String] {
    let key = ObjectIdentifier(type)
    return storage.targets.compactMap { $0.type == key ? $0.id : nil }
  }

  /// Whether this entity is a target.
  public func contains<T: Storable>(_ target: T) -> Bool {
    storage.targets.contains(EntityKey(T.self, target.id))
  }

  /// Adds an entity. The store rejects an entity whose type is not among the targets.
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

  /// Removes all targets; they stay in the store.
  public mutating func removeAll() { storage.edit { $0 = [] } }

  static var isToMany: Bool { true }
  static var isPolymorphic: Bool { true }
  static var targets: [any Storable.Type] { Array(repeat (each Target).self) }
}
