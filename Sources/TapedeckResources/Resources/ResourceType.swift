internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckMocking

/// A stored type as servers of resources see it: entities as names, ids and JSON, whatever their Swift type.
protocol ResourceType: Sendable {
  /// In JSON:API, and of URLs where nobody says otherwise.
  var name: String { get }
  /// Of one entity in other styles: the Swift type's name, like `articleComment`.
  var entityName: String { get }
  /// As polymorphic relations name it: `ArticleComment`.
  var typeName: String { get }
  /// What the type says about its look; nil where it says nothing.
  var ownSerializer: (any ResourceSerializer)? { get }
  var relationships: [ResourceRelationship] { get }
  /// The names of attributes, as far as they are known without an entity.
  var attributeNames: Set<String> { get }
  /// The names of properties that hold other entities themselves, as Kakapo has relationships.
  var embeddedNames: Set<String> { get }
  /// The member that is the id.
  var idMember: String { get }

  func find(_ id: String, in store: Store) throws(SerializationError) -> StoredResource?
  func findAll(in store: Store) throws(SerializationError) -> [StoredResource]
  func has(_ id: String, in store: Store) -> Bool

  /// Makes an entity. What the change leaves out is as `init(id:store:)` has it.
  func create(_ change: ResourceChange, in store: Store) throws -> StoredResource
  /// What the change leaves out stays as it is.
  func update(_ id: String, _ change: ResourceChange, in store: Store) throws -> StoredResource
  /// False when there was none.
  func delete(_ id: String, in store: Store) -> Bool

  /// The id that a new entity is to have, as its body says; nil where it does not.
  func id(from value: JSONValue?) throws(ResourceProblem) -> String?
  /// What the request's path is about, where entities are parts of others.
  func parent(in store: Store) -> JSONValue?
}

extension ResourceType {
  var idMember: String { "id" }

  func id(from value: JSONValue?) throws(ResourceProblem) -> String? { value?.text }

  func parent(in store: Store) -> JSONValue? { nil }

  func relationship(_ name: String) -> ResourceRelationship? { relationships.first { $0.name == name } }
}

struct ResourceRelationship: Sendable {
  let name: String
  /// The property that holds the ids.
  let property: String?
  let isToMany: Bool
  let isOptional: Bool
  let isWritable: Bool
  /// Asked for when they are needed, for types relate to one another in circles.
  let findTargets: @Sendable () -> [any ResourceType]

  /// One, or of a polymorphic relationship several.
  var targets: [any ResourceType] { findTargets() }

  func target(named name: String) -> (any ResourceType)? { targets.first { $0.name == name } }

  func has(_ identifier: JSONAPIIdentifier, in store: Store) -> Bool {
    target(named: identifier.type)?.has(identifier.id, in: store) == true
  }

  func find(_ identifier: JSONAPIIdentifier, in store: Store) throws(SerializationError) -> StoredResource? {
    try target(named: identifier.type)?.find(identifier.id, in: store)
  }
}

/// An entity at a moment.
struct StoredResource {
  let type: any ResourceType
  let id: String
  /// All that is encoded.
  let members: [JSONMember]
  let attributes: [JSONMember]
  /// What each of the type's relationships leads to; only what there is.
  let related: [String: [JSONAPIIdentifier]]
  let links: [String: JSONAPILink]
  /// Entities that are properties, as Kakapo has them: they are read, and not changed.
  let embedded: [RelationshipContent]

  func attribute(_ name: String) -> JSONValue? {
    attributes.first { $0.name.isEqual(to: name.utf8) }?.value
  }
}

/// What a request wants an entity to become.
struct ResourceChange: Sendable {
  /// Of a new entity; nil where the store shall choose.
  var id: String?
  var attributes: [JSONMember] = []
  /// Checked: the relationships are there, can be changed, and lead to what exists.
  var relationships: [(name: String, targets: [JSONAPIIdentifier])] = []
  /// Whether what it leaves out goes, where the type can do without.
  var replaces = false
}

/// The stored types that were ever served, planned once.
enum ResourceTypes {
  private static let known = Mutex<[ObjectIdentifier: any ResourceType]>([:])

  static func type(ofType type: any ResourceEntity.Type) -> any ResourceType {
    func opened<T: ResourceEntity>(_ type: T.Type) -> any ResourceType { self.type(of: type) }
    return _openExistential(type, do: opened)
  }

  static func type<T: ResourceEntity>(of type: T.Type) -> any ResourceType {
    let key = ObjectIdentifier(type)
    if let known = known.withLock({ $0[key] }) { return known }
    let made = TypedResource<T>()
    return known.withLock { known in
      if let earlier = known[key] { return earlier }
      known[key] = made
      return made
    }
  }
}
