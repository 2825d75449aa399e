/// A property that leads to one entity of any of these types, or to none: `var subject = ToOneOf<Post, Comment>()`.
///
/// ```swift
/// like.subject = .to(post)
/// let post = store.find(like.subject, as: Post.self)
/// ```
public struct ToOneOf<each Target: Storable>: Sendable {
  var storage = OneStorage()

  /// Says nothing: in a new entity, leads nowhere.
  public init() {}

  /// Leads to this entity. A type that is none of the property's is refused by the store.
  public static func to<T: Storable>(_ target: T) -> Self { to(T.self, id: target.id) }

  public static func to<T: Storable>(_ type: T.Type, id: String) -> Self {
    var relation = Self()
    relation.storage.say(EntityKey(type, id))
    return relation
  }

  /// Leads nowhere.
  public static var empty: Self {
    var relation = Self()
    relation.storage.say(nil)
    return relation
  }

  /// The id of the entity it leads to.
  public var id: String? { storage.target?.id }

  /// The id of the entity it leads to, if that is of this type.
  public func id<T: Storable>(of type: T.Type) -> String? {
    storage.target?.type == ObjectIdentifier(type) ? id : nil
  }

  /// The type of the entity it leads to.
  public var type: (any Storable.Type)? {
    guard let target = storage.target else { return nil }
    return Self.targets.first { ObjectIdentifier($0) == target.type }
  }

  public var isEmpty: Bool { storage.target == nil }
}

extension ToOneOf: RelationProperty {
  var keys: [EntityKey] { storage.target.map { [$0] } ?? [] }
  static var isToMany: Bool { false }
  static var isPolymorphic: Bool { true }
  static var targets: [any Storable.Type] {
    var types: [any Storable.Type] = []
    repeat types.append((each Target).self)
    return types
  }
}

extension ToOneOf: Hashable {
  public static func == (left: ToOneOf, right: ToOneOf) -> Bool {
    left.storage.target == right.storage.target
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(storage.target) }
}

/// As `{"type": "Post", "id": "1"}`, or null.
extension ToOneOf: Codable {
  public init(from decoder: any Decoder) throws {
    storage.say(try TypedID.decodeIfPresent(from: decoder)?.key(among: Self.targets, decoder))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try storage.target.map { try container.encode(TypedID($0, among: Self.targets)) } ?? container.encodeNil()
  }
}

extension KeyedDecodingContainer {
  /// Lets JSON leave a relation out.
  public func decode<each Target>(_ type: ToOneOf<repeat each Target>.Type, forKey key: Key) throws
    -> ToOneOf<repeat each Target>
  {
    try decodeIfPresent(type, forKey: key) ?? ToOneOf<repeat each Target>()
  }
}
