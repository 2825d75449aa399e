internal import TapedeckHTTP
internal import TapedeckMocking

/// A resource by the name of its type and its id, as JSON:API has it.
typealias ResourceIdentifier = JSONAPIIdentifier

/// A type of resources as representations see it: names, ids and JSON. Behind it stands a Swift type (`TypedResource`)
/// or a declaration in JSON (`SchemalessResource`).
protocol ResourceType: Sendable {
  /// The type in JSON:API, and the default path.
  var name: String { get }
  /// The name of one resource in other representations, like `articleComment`.
  var entityName: String { get }
  /// The name in polymorphic relations, like `ArticleComment`.
  var typeName: String { get }
  var ownSerializer: (any ResourceSerializer)? { get }
  var relationships: [any ResourceRelationship] { get }
  /// The names of attributes, as far as they are known without an entity.
  var attributeNames: Set<String> { get }
  /// The names of properties that hold other entities themselves, as Kakapo has relationships.
  var embeddedNames: Set<String> { get }
  var idMember: String { get }

  func find(_ id: String, in store: Store) throws(SerializationError) -> StoredResource?
  func findAll(in store: Store) throws(SerializationError) -> [StoredResource]
  func has(_ id: String, in store: Store) -> Bool

  /// Creates an entity, whose other members have their defaults.
  func create(_ change: ResourceChange, in store: Store) throws -> StoredResource
  func update(_ id: String, _ change: ResourceChange, in store: Store) throws -> StoredResource
  /// False when there was none.
  func delete(_ id: String, in store: Store) -> Bool

  /// The id that the body of a request gives to a new entity; nil where it gives none.
  func id(from value: JSONValue?) throws(ResourceProblem) -> String?
  func json(ofID id: String) -> JSONValue
  /// The resource in the request's path whose list holds the requested ones.
  func parent(in store: Store) -> JSONValue?
  /// Narrows a resource to those that a request's path names.
  func narrowed(
    _ served: ServedResource, to request: Request, at path: String, in store: Store
  ) throws(ResourceProblem) -> ServedResource
}

extension ResourceType {
  var entityName: String { name }
  var typeName: String { name }
  var ownSerializer: (any ResourceSerializer)? { nil }
  var relationships: [any ResourceRelationship] { [] }
  var embeddedNames: Set<String> { [] }

  func relationship(_ name: String) -> (any ResourceRelationship)? { relationships.first { $0.name == name } }

  func relationship(property: String) -> (any ResourceRelationship)? {
    relationships.first { $0.property == property }
  }

  func id(from value: JSONValue?) throws(ResourceProblem) -> String? { value?.text }

  func json(ofID id: String) -> JSONValue { JSONValue(id) }

  func parent(in store: Store) -> JSONValue? { nil }

  func narrowed(
    _ served: ServedResource, to request: Request, at path: String, in store: Store
  ) throws(ResourceProblem) -> ServedResource { served }
}

extension [any ResourceType] {
  /// Like `posts or comments`.
  var named: String { map(\.name).joined(separator: " or ") }
}

protocol ResourceRelationship: Sendable {
  var name: String { get }
  var property: String? { get }
  var isToMany: Bool { get }
  var isOptional: Bool { get }
  var isWritable: Bool { get }
  /// One, or several of a polymorphic relationship. Types relate to each other in circles, so these are not stored.
  var targets: [any ResourceType] { get }
}

extension ResourceRelationship {
  private func target(_ identifier: ResourceIdentifier) -> (any ResourceType)? {
    targets.first { $0.name == identifier.type }
  }

  func has(_ identifier: ResourceIdentifier, in store: Store) -> Bool {
    target(identifier)?.has(identifier.id, in: store) == true
  }

  func find(_ identifier: ResourceIdentifier, in store: Store) throws(SerializationError) -> StoredResource? {
    try target(identifier)?.find(identifier.id, in: store)
  }
}

/// A resource as it was when it was read.
struct StoredResource {
  let type: any ResourceType
  let id: String
  let members: [JSONMember]
  let attributes: [JSONMember]
  /// The targets of the type's relationships, without those that do not exist.
  var related: [String: [ResourceIdentifier]] = [:]
  var entity: (any Storable)?

  var identifier: ResourceIdentifier { ResourceIdentifier(type: type.name, id: id) }

  func attribute(_ name: String) -> JSONValue? {
    attributes.first { $0.name.isEqual(to: name.utf8) }?.value
  }
}

/// The change of a resource that a request wants.
struct ResourceChange: Sendable {
  /// The id of a new resource; nil where the store chooses it.
  var id: String?
  var attributes: [JSONMember] = []
  /// Relationships that exist and can be changed, with targets that exist.
  var relationships: [(name: String, targets: [ResourceIdentifier])] = []
  /// Whether members that it leaves out are removed, where the type can do without them.
  var replaces = false
}
