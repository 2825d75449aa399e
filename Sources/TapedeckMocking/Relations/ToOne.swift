/// A property that leads to one entity of a store, or to none.
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
/// The store keeps the other side in step: see ``Related``. A property that nobody has set since it came out of a store
/// says nothing, so a copy that has grown old undoes nothing.
public struct ToOne<Target: Storable>: Relation {
  var storage = OneStorage()

  /// Says nothing: in a new entity, leads nowhere.
  public init() {}

  public init(_ target: Target?) { self.init(id: target?.id) }

  public init(id: String?) { self.id = id }

  /// The id of the entity it leads to.
  public var id: String? {
    get { storage.target?.id }
    set { storage.say(newValue.map { EntityKey(Target.self, $0) }) }
  }

  public var isEmpty: Bool { id == nil }
}

extension ToOne: RelationProperty {
  var keys: [EntityKey] { storage.target.map { [$0] } ?? [] }
  static var isToMany: Bool { false }
  static var isPolymorphic: Bool { false }
  static var targets: [any Storable.Type] { [Target.self] }
}

extension ToOne: Hashable {
  public static func == (left: ToOne, right: ToOne) -> Bool { left.id == right.id }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension ToOne: CustomStringConvertible {
  public var description: String { "ToOne<\(Target.self)>(\(id.map(\.debugDescription) ?? ""))" }
}

/// As its id, or null.
extension ToOne: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self.init(id: container.decodeNil() ? nil : try container.decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try id.map { try container.encode($0) } ?? container.encodeNil()
  }
}

extension KeyedDecodingContainer {
  /// Lets JSON leave a relation out.
  public func decode<Target>(_ type: ToOne<Target>.Type, forKey key: Key) throws -> ToOne<Target> {
    try decodeIfPresent(type, forKey: key) ?? ToOne()
  }
}
