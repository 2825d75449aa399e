/// A property that leads to one entity of any of these types, or to none: `var subject = ToOneOf<Post, Comment>()`.
///
/// ```swift
/// like.subject = .to(post)
/// let post = store.find(like.subject, as: Post.self)
/// ```
///
/// Encoded as `{"type": "Post", "id": "1"}`, or null.
public struct ToOneOf<each Target: Storable>: Relation, RelationProperty {
  var storage = RelationStorage()

  /// Leads nowhere in a new entity; changes nothing in a stored one.
  public init() {}

  /// Leads to this entity. The store refuses a type that is none of the property's.
  public static func to<T: Storable>(_ target: T) -> Self { to(T.self, id: target.id) }

  /// Leads to the entity of this type and id.
  public static func to<T: Storable>(_ type: T.Type, id: String) -> Self { Self([EntityKey(type, id)]) }

  /// Leads nowhere.
  public static var empty: Self { Self([]) }

  private init(_ targets: [EntityKey]) { storage.assign(targets) }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let isNull = container.decodeNil()
    self.init(isNull ? [] : [try container.decode(TypedID.self).key(among: Self.targets, decoder)])
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    let target = storage.targets.first.map { TypedID($0, among: Self.targets) }
    try target.map { try container.encode($0) } ?? container.encodeNil()
  }

  /// The id of the entity it leads to.
  public var id: String? { storage.targets.first?.id }

  /// The id of the entity it leads to, if that is of this type.
  public func id<T: Storable>(of type: T.Type) -> String? {
    storage.targets.first?.type == ObjectIdentifier(type) ? id : nil
  }

  /// The type of the entity it leads to.
  public var type: (any Storable.Type)? {
    guard let target = storage.targets.first else { return nil }
    return Self.targets.first { ObjectIdentifier($0) == target.type }
  }

  /// Whether it leads nowhere.
  public var isEmpty: Bool { storage.targets.isEmpty }

  static var isToMany: Bool { false }
  static var isPolymorphic: Bool { true }
  static var targets: [any Storable.Type] { Array(repeat (each Target).self) }
}
