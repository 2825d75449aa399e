internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckMocking

/// Resources of a Swift type.
///
/// Attributes are the encoded members of an entity, without its id, the ids of its relationships, and embedded entities. A
/// change replaces encoded members, and the result is decoded, so clients can send back what they read.
struct TypedResource<T: ResourceEntity>: ResourceType {
  let name = MemberName.ofType(T.self)
  let entityName = KeyStyle.camel.transform(MemberName.legal(String(describing: T.self)))
  let typeName = "\(T.self)"
  let idMember = "id"
  let ownSerializer = (T.self as? any SerializedResource.Type)?.serializer
  let attributeNames: Set<String>
  let embeddedNames: Set<String>
  private let typed: [Relationship<T>]
  /// The members of an encoded entity that are no attributes.
  private let hidden: Set<String>

  init() {
    let declared = (T.self as? any RelatedEntity.Type).flatMap { Self.relationships(of: $0) } ?? []
    typed = declared + StoredRelation.all(of: T.self).compactMap { Relationship($0) }
    embeddedNames = Set((T.self as? any JSONAPIEntity.Type)?.relationshipNames ?? [])
      .subtracting(typed.map(\.name))
    var hidden = embeddedNames.union(typed.compactMap(\.property) + typed.map(\.name))
    hidden.insert("id")
    if T.self is any JSONAPILinkedEntity.Type { hidden.formUnion(["links", "relationshipsLinks"]) }
    if T.self is any JSONAPIMetaEntity.Type { hidden.formUnion(["meta", "relationshipsMeta"]) }
    self.hidden = hidden
    attributeNames = Set(PropertyName.stored(in: T.self)).subtracting(hidden)
  }

  private static func relationships<Owner: RelatedEntity>(of type: Owner.Type) -> [Relationship<T>]? {
    Owner.relationships as? [Relationship<T>]
  }

  var relationships: [any ResourceRelationship] { typed }

  func has(_ id: String, in store: Store) -> Bool { store.find(T.self, id: id) != nil }

  func find(_ id: String, in store: Store) throws(SerializationError) -> StoredResource? {
    try store.find(T.self, id: id).map { entity throws(SerializationError) in try resource(entity, store) }
  }

  func findAll(in store: Store) throws(SerializationError) -> [StoredResource] {
    try store.findAll(T.self).map { entity throws(SerializationError) in try resource(entity, store) }
  }

  private func resource(_ entity: T, _ store: Store) throws(SerializationError) -> StoredResource {
    let members = try encoded(entity)
    return StoredResource(
      type: self, id: entity.id, members: members,
      attributes: members.filter { !hidden.contains($0.name.text) },
      related: typed.reduce(into: [:]) { $0[$1.name] = $1.related(to: entity, in: store) }, entity: entity)
  }

  private func encoded(_ entity: T) throws(SerializationError) -> [JSONMember] {
    try JSONValue(encoding: entity).members ?? []
  }

  func create(_ change: ResourceChange, in store: Store) throws -> StoredResource {
    func made(_ id: String) throws -> T { try changed(T(id: id, store: store), change, store) }
    guard let id = change.id else { return try resource(try store.insertChecked(made), store) }
    if has(id, in: store) { throw StoreError.duplicateID(type: name, id: id) }
    return try resource(try store.insert(made(id)), store)
  }

  func update(_ id: String, _ change: ResourceChange, in store: Store) throws -> StoredResource {
    guard let entity = store.find(T.self, id: id) else { throw ResourceProblem.missing(name, id) }
    let changed = try changed(entity, change, store)
    try store.update(changed)
    return try resource(store.find(T.self, id: id) ?? changed, store)
  }

  private func changed(_ entity: T, _ change: ResourceChange, _ store: Store) throws -> T {
    let attributes = change.attributes.filter { !hidden.contains($0.name.text) }
    var changed = attributes.isEmpty ? entity : try overlaid(entity, attributes)
    for (name, targets) in change.relationships {
      try typed.first { $0.name == name }?.set(targets, in: &changed, store)
    }
    return changed
  }

  private func overlaid(_ entity: T, _ attributes: [JSONMember]) throws -> T {
    let members = try encoded(entity).overlaid(attributes)
    let changed: T
    do { changed = try JSONValue.object(members).decode(T.self) } catch {
      throw ResourceProblem.undecodable(error)
    }
    guard changed.id == entity.id else {
      throw ResourceProblem(500, "a \(T.self) must decode the id that it encodes, as a member called id")
    }
    return changed
  }

  func delete(_ id: String, in store: Store) -> Bool { (try? store.delete(T.self, id: id)) != nil }
}

private let knownTypes = Mutex<[ObjectIdentifier: any ResourceType]>([:])

/// The resource type of a stored type, made once.
func resourceType<T: ResourceEntity>(of type: T.Type) -> any ResourceType {
  let key = ObjectIdentifier(type)
  if let known = knownTypes.withLock({ $0[key] }) { return known }
  let made = TypedResource<T>()
  return knownTypes.withLock { known in
    if let earlier = known[key] { return earlier }
    known[key] = made
    return made
  }
}

extension [JSONMember] {
  /// Replaces the value of a member, or appends one; nil removes the member.
  mutating func set(_ name: String, _ value: JSONValue?) {
    let index = firstIndex { $0.name.isEqual(to: name.utf8) }
    switch (index, value) {
    case (let index?, let value?): self[index].value = value
    case (let index?, nil): remove(at: index)
    case (nil, let value?): append(JSONMember(JSONString(name), value))
    case (nil, nil): break
    }
  }

  /// Replaces or appends other members. Of several others with one name the last counts.
  func overlaid(_ others: [JSONMember]) -> [JSONMember] {
    others.reduce(into: self) { $0.set($1.name.text, $1.value) }
  }
}
