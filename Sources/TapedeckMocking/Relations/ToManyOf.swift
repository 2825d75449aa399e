/// A property that leads to any number of entities of any of these types: `var pinned = ToManyOf<Post, Comment>()`.
public struct ToManyOf<each Target: Storable>: Sendable {
  var storage = ManyStorage()

  /// Says nothing: in a new entity, leads nowhere.
  public init() {}

  public var count: Int { storage.targets.count }
  public var isEmpty: Bool { storage.targets.isEmpty }

  /// The ids of those of this type.
  public func ids<T: Storable>(of type: T.Type) -> [String] {
    let key = ObjectIdentifier(type)
    return storage.targets.compactMap { $0.type == key ? $0.id : nil }
  }

  public func contains<T: Storable>(_ target: T) -> Bool {
    storage.targets.contains(EntityKey(T.self, target.id))
  }

  /// Adds an entity. A type that is none of the property's is refused by the store.
  public mutating func append<T: Storable>(_ target: T) { append(T.self, id: target.id) }

  public mutating func append<T: Storable>(_ type: T.Type, id: String) {
    storage.change { $0.append(EntityKey(type, id)) }
  }

  public mutating func remove<T: Storable>(_ target: T) {
    let key = EntityKey(T.self, target.id)
    storage.change { $0.removeAll { $0 == key } }
  }

  public mutating func removeAll() { storage.change { $0 = [] } }
}

extension ToManyOf: RelationProperty {
  var keys: [EntityKey] { storage.targets }
  static var isToMany: Bool { true }
  static var isPolymorphic: Bool { true }
  static var targets: [any Storable.Type] {
    var types: [any Storable.Type] = []
    repeat types.append((each Target).self)
    return types
  }
}

extension ToManyOf: Hashable {
  public static func == (left: ToManyOf, right: ToManyOf) -> Bool {
    left.storage.targets == right.storage.targets
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(storage.targets) }
}

/// As an array of `{"type": "Post", "id": "1"}`.
extension ToManyOf: Codable {
  public init(from decoder: any Decoder) throws {
    storage.say(try [TypedID](from: decoder).map { try $0.key(among: Self.targets, decoder) })
  }

  public func encode(to encoder: any Encoder) throws {
    try storage.targets.map { TypedID($0, among: Self.targets) }.encode(to: encoder)
  }
}

extension KeyedDecodingContainer {
  /// Lets JSON leave a relation out.
  public func decode<each Target>(_ type: ToManyOf<repeat each Target>.Type, forKey key: Key) throws
    -> ToManyOf<repeat each Target>
  {
    try decodeIfPresent(type, forKey: key) ?? ToManyOf<repeat each Target>()
  }
}
