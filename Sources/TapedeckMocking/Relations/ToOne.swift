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
/// The store keeps the other side in step: see ``Related``. Only a relation that was set since it came out of the store
/// counts, so an outdated copy undoes nothing. Encoded as the id, or null.
public struct ToOne<Target: Storable>: Relation, RelationProperty {
  var storage = RelationStorage()

  /// Leads nowhere in a new entity; changes nothing in a stored one.
  public init() {}

  /// Leads to this entity; nil for none.
  public init(_ target: Target?) { self.init(id: target?.id) }

  /// Leads to the entity with this id; nil for none.
  public init(id: String?) { self.id = id }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self.init(id: container.decodeNil() ? nil : try container.decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try id.map { try container.encode($0) } ?? container.encodeNil()
  }

  /// The id of the entity it leads to.
  public var id: String? {
    get { storage.targets.first?.id }
    set { storage.assign(newValue.map { [EntityKey(Target.self, $0)] } ?? []) }
  }

  /// Whether it leads nowhere.
  public var isEmpty: Bool { storage.targets.isEmpty }

  static var isToMany: Bool { false }
  static var isPolymorphic: Bool { false }
  static var targets: [any Storable.Type] { [Target.self] }
}

extension ToOne: CustomStringConvertible {
  public var description: String { "ToOne<\(Target.self)>(\(id.map(\.debugDescription) ?? ""))" }
}
