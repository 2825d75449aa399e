/// A type whose values are JSON:API resources: objects with `type`, `id`, `attributes` and `relationships`.
///
/// Conforming is enough. Properties that are entities, or optionals, arrays or policies of entities, are
/// relationships; all others but `id` are attributes. A property called `type` or `links` cannot be written.
/// A handler that returns an entity sends a bare resource object; `JSONAPISerializer` makes a document of it.
/// Source: Kakapo.
public protocol JSONAPIEntity: CustomSerializable, JSONAPISerializable {
  /// The resource type, by default the type's name in lower case. Key transformers do not change it.
  static var type: String { get }

  /// The id of the resource.
  var id: String { get }
}

extension JSONAPIEntity {
  public static var type: String { MemberName.standard(of: Self.self) }

  public static var isToMany: Bool { false }

  public var related: JSONAPIRelated? { .one(self) }

  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    BareResource(node: ResourceNode(self), keys: keyTransformer.map { KeyMapping($0) })
  }
}

/// A resource object outside of a document.
private struct BareResource: Writable {
  let node: ResourceNode
  let keys: KeyMapping?

  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    let outer = run.keys
    run.keys = keys
    defer { run.keys = outer }
    return try node.content(&run).object(node.identifier, fields: nil).write(to: &run)
  }
}

/// An entity with links for itself and its relationships (JSON:API 1.1 §5.6). Source: Kakapo.
public protocol JSONAPILinkedEntity {
  /// The resource's links; the member is left out when this is `nil` or empty.
  var links: [String: JSONAPILink]? { get }

  /// The links of relationships, by property name. A relationship that is left out has none.
  var relationshipsLinks: [String: [String: JSONAPILink]]? { get }
}

extension JSONAPILinkedEntity {
  public var links: [String: JSONAPILink]? { nil }
  public var relationshipsLinks: [String: [String: JSONAPILink]]? { nil }
}

/// An entity with meta information for itself and its relationships (JSON:API 1.1 §5.2, §5.2.2).
public protocol JSONAPIMetaEntity {
  /// The meta information of the resource.
  var meta: (any Serializable)? { get }

  /// The meta information of relationships, by property name.
  var relationshipsMeta: [String: any Serializable]? { get }
}

extension JSONAPIMetaEntity {
  /// No meta information.
  public var meta: (any Serializable)? { nil }
  public var relationshipsMeta: [String: any Serializable]? { nil }
}

/// A type whose values are relationships, not attributes: entities, and optionals, arrays and policies of
/// them. The declared type of a property counts, even for an empty array. Source: Kakapo.
public protocol JSONAPISerializable: SendableMetatype {
  /// Whether a value holds any number of entities.
  static var isToMany: Bool { get }

  /// The related entities; `nil` leaves the relationship out.
  var related: JSONAPIRelated? { get }
}

/// The entities of a relationship.
public enum JSONAPIRelated {
  /// One entity; `nil` is an empty relationship, `data: null`.
  case one((any JSONAPIEntity)?)
  /// Any number of entities.
  case many([any JSONAPIEntity])

  /// The entities; empty for an empty relationship.
  public var entities: [any JSONAPIEntity] {
    switch self {
    case .one(let entity): entity.map { [$0] } ?? []
    case .many(let entities): entities
    }
  }
}

extension Optional: JSONAPISerializable where Wrapped: JSONAPISerializable {
  public static var isToMany: Bool { Wrapped.isToMany }
  public var related: JSONAPIRelated? { flatMap(\.related) }
}

extension Array: JSONAPISerializable where Element: JSONAPISerializable {
  public static var isToMany: Bool { true }
  public var related: JSONAPIRelated? { .many(compactMap(\.related).flatMap(\.entities)) }
}

extension PropertyPolicy: JSONAPISerializable where Wrapped: JSONAPISerializable {
  public static var isToMany: Bool { Wrapped.isToMany }
  /// `null` is the empty relationship: `data: null`, or `data: []` for a to-many one.
  public var related: JSONAPIRelated? {
    switch self {
    case .none: nil
    case .null: Wrapped.isToMany ? .many([]) : .one(nil)
    case .some(let value): value.related
    }
  }
}
