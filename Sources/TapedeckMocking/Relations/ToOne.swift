/// A property that refers to at most one entity of a store.
///
/// ```swift
/// struct Post: Related, Serializable {
///   let id: String
///   var text = ""
///   var author = ToOne<User>()
///
///   init(id: String, store: Store) { self.id = id }
/// }
///
/// try store.update(Post.self, id: "1") { $0.author = ToOne(user) }
/// let author = store.find(post.author)
/// ```
///
/// The store keeps the other side in sync: see ``Related``. The relation is applied only if it was set since
/// it was read from a store, so an outdated copy undoes nothing. Encoded as the id, or `null`.
public struct ToOne<Target: Storable>: RelationProperty {
  var storage = RelationStorage()

  /// Creates an empty relation. It changes nothing when an entity that is already stored is updated with it.
  public init() {}

  /// Refers to this entity, or to none.
  public init(_ target: Target?) { self.init(id: target?.id) }

  /// Refers to the entity with this id, or to none.
  public init(id: String?) { self.id = id }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self.init(id: container.decodeNil() ? nil : try container.decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws { try id.encode(to: encoder) }

  /// The id of the target.
  public var id: String? {
    get { storage.targets.first?.id }
    set { storage.assign(newValue.map { [EntityKey(Target.self, $0)] } ?? []) }
  }

  /// Whether there is no target.
  public var isEmpty: Bool { storage.targets.isEmpty }

  static var isToMany: Bool { false }
  static var isPolymorphic: Bool { false }
  static var targets: [any Storable.Type] { [Target.self] }
}

extension ToOne: CustomStringConvertible {
  public var description: String { "ToOne<\(Target.self)>(\(id.map(\.debugDescription) ?? ""))" }
}

/// A property that refers to at most one entity of several types: `var subject = ToOneOf<Post, Comment>()`.
///
/// ```swift
/// like.subject = .to(post)
/// let post = store.find(like.subject, as: Post.self)
/// ```
///
/// Encoded as `{"type": "Post", "id": "1"}`, or `null`.
public struct ToOneOf<each Target: Storable>: RelationProperty {
  var storage = RelationStorage()

  /// Creates an empty relation. It changes nothing when an entity that is already stored is updated with it.
  public init() {}

  /// Refers to this entity. The store rejects an entity whose type is not among the targets.
  public static func to<T: Storable>(_ target: T) -> Self { to(T.self, id: target.id) }

  /// Refers to the entity of this type and id.
  public static func to<T: Storable>(_ type: T.Type, id: String) -> Self { Self([EntityKey(type, id)]) }

  /// A relation without a target; unlike `init()`, it removes a stored one.
  public static var empty: Self { Self([]) }

  private init(_ targets: [EntityKey]) { storage.assign(targets) }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let isNull = container.decodeNil()
    self.init(isNull ? [] : [try container.decode(TypedID.self).key(among: Self.targets, decoder)])
  }

  public func encode(to encoder: any Encoder) throws { try typedIDs.first.encode(to: encoder) }

  /// The id of the target.
  public var id: String? { storage.targets.first?.id }

  /// The id of the target, if it is of this type.
  public func id<T: Storable>(of type: T.Type) -> String? {
    storage.targets.first?.type == ObjectIdentifier(type) ? id : nil
  }

  /// The type of the target.
  public var type: (any Storable.Type)? { storage.targets.first.flatMap { Self.targets.first(for: $0) } }

  /// Whether there is no target.
  public var isEmpty: Bool { storage.targets.isEmpty }

  static var isToMany: Bool { false }
  static var isPolymorphic: Bool { true }
  static var targets: [any Storable.Type] { Array(repeat (each Target).self) }
}
