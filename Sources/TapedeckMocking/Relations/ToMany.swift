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
/// what others have added meanwhile stays. One that was made anew leads to exactly what it says.
public struct ToMany<Target: Storable>: Relation {
  var storage = ManyStorage()

  /// Says nothing: in a new entity, leads nowhere.
  public init() {}

  public init(_ targets: [Target]) { self.init(ids: targets.map(\.id)) }

  public init(ids: [String]) { storage.say(ids.map { EntityKey(Target.self, $0) }) }

  /// The ids of the entities it leads to.
  public var ids: [String] {
    get { storage.targets.map(\.id) }
    set { storage.change { $0 = newValue.map { EntityKey(Target.self, $0) } } }
  }

  public var count: Int { storage.targets.count }
  public var isEmpty: Bool { storage.targets.isEmpty }

  public func contains(id: String) -> Bool { storage.targets.contains(EntityKey(Target.self, id)) }
  public func contains(_ target: Target) -> Bool { contains(id: target.id) }

  public mutating func append(id: String) { storage.change { $0.append(EntityKey(Target.self, id)) } }
  public mutating func append(_ target: Target) { append(id: target.id) }

  public mutating func remove(id: String) {
    let key = EntityKey(Target.self, id)
    storage.change { $0.removeAll { $0 == key } }
  }
  public mutating func remove(_ target: Target) { remove(id: target.id) }

  public mutating func removeAll() { storage.change { $0 = [] } }
}

extension ToMany: RelationProperty {
  var keys: [EntityKey] { storage.targets }
  static var isToMany: Bool { true }
  static var isPolymorphic: Bool { false }
  static var targets: [any Storable.Type] { [Target.self] }
}

extension ToMany: Hashable {
  public static func == (left: ToMany, right: ToMany) -> Bool {
    left.storage.targets == right.storage.targets
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(storage.targets) }
}

extension ToMany: CustomStringConvertible {
  public var description: String { "ToMany<\(Target.self)>(\(ids))" }
}

/// As an array of ids.
extension ToMany: Codable {
  public init(from decoder: any Decoder) throws { self.init(ids: try [String](from: decoder)) }

  public func encode(to encoder: any Encoder) throws { try ids.encode(to: encoder) }
}

extension KeyedDecodingContainer {
  /// Lets JSON leave a relation out.
  public func decode<Target>(_ type: ToMany<Target>.Type, forKey key: Key) throws -> ToMany<Target> {
    try decodeIfPresent(type, forKey: key) ?? ToMany()
  }
}
