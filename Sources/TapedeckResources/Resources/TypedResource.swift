internal import TapedeckHTTP
internal import TapedeckMocking

/// A stored type behind the form that servers see.
///
/// Attributes are what an entity encodes, without its id, the ids of its relationships, and entities that are
/// properties. A change is laid over what is encoded, and the whole is decoded: what one reads, one can send back.
struct TypedResource<T: ResourceEntity>: ResourceType {
  let name = ResourceTypeName.name(of: T.self)
  let entityName = KeyStyle.camel.transform(MemberName.legal(String(describing: T.self)))
  let typeName = "\(T.self)"
  let ownSerializer = (T.self as? any SerializedResource.Type)?.serializer
  let relationships: [ResourceRelationship]
  let attributeNames: Set<String>
  let embeddedNames: Set<String>
  private let typed: [Relationship<T>]
  /// The members of an encoded entity that are no attributes.
  private let hidden: Set<String>

  init() {
    let told = (T.self as? any RelatedEntity.Type).flatMap { Self.relationships(of: $0) } ?? []
    typed = told + StoredRelations.relationships(of: T.self)
    relationships = typed.map { relationship in
      ResourceRelationship(
        name: relationship.name, property: relationship.property, isToMany: relationship.isToMany,
        isOptional: relationship.isOptional,
        isWritable: relationship.assign != nil, findTargets: relationship.targets)
    }
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

  // MARK: Reading

  func has(_ id: String, in store: Store) -> Bool { store.find(T.self, id: id) != nil }

  func find(_ id: String, in store: Store) throws(SerializationError) -> StoredResource? {
    guard let entity = store.find(T.self, id: id) else { return nil }
    return try resource(entity, store)
  }

  func findAll(in store: Store) throws(SerializationError) -> [StoredResource] {
    var all: [StoredResource] = []
    for entity in store.findAll(T.self) { all.append(try resource(entity, store)) }
    return all
  }

  private func resource(_ entity: T, _ store: Store) throws(SerializationError) -> StoredResource {
    var related: [String: [JSONAPIIdentifier]] = [:]
    for (relationship, typed) in zip(relationships, typed) {
      let targets = relationship.targets
      related[typed.name] = typed.read(entity, store).compactMap { found in
        let target = targets[found.type]
        return target.has(found.id, in: store) ? JSONAPIIdentifier(type: target.name, id: found.id) : nil
      }
    }
    let members = try encoded(entity)
    return StoredResource(
      type: self, id: entity.id, members: members,
      attributes: members.filter { !hidden.contains($0.name.text) }, related: related,
      links: (entity as? any JSONAPILinkedEntity)?.links ?? [:], embedded: try embedded(in: entity))
  }

  private func encoded(_ entity: T) throws(SerializationError) -> [JSONMember] {
    try EncodedJSON.of(entity).members ?? []
  }

  private func embedded(in entity: T) throws(SerializationError) -> [RelationshipContent] {
    guard !embeddedNames.isEmpty, let entity = entity as? any JSONAPIEntity else { return [] }
    return try entity.relationshipContents().filter { embeddedNames.contains($0.name) }
  }

  // MARK: Changing

  func create(_ change: ResourceChange, in store: Store) throws -> StoredResource {
    guard let id = change.id else {
      return try resource(try store.insertChecked { id in try made(id, change, store) }, store)
    }
    if has(id, in: store) { throw StoreError.duplicateID(type: name, id: id) }
    return try resource(try store.insert(made(id, change, store)), store)
  }

  private func made(_ id: String, _ change: ResourceChange, _ store: Store) throws -> T {
    try changed(T(id: id, store: store), change, store)
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
      guard let index = typed.firstIndex(where: { $0.name == name }) else { continue }
      let types = relationships[index].targets.map(\.name)
      let places = targets.compactMap { target in
        types.firstIndex(of: target.type).map { Relationship<T>.Target(type: $0, id: target.id) }
      }
      try typed[index].assign?(&changed, places, store)
    }
    return changed
  }

  private func overlaid(_ entity: T, _ attributes: [JSONMember]) throws -> T {
    var members = try encoded(entity)
    for attribute in attributes {
      if let index = members.firstIndex(where: { $0.name.text == attribute.name.text }) {
        members[index].value = attribute.value
      } else {
        members.append(attribute)
      }
    }
    let changed: T
    do { changed = try JSONValue.object(members).decode(T.self) } catch {
      throw ResourceProblem.undecodable(error)
    }
    guard changed.id == entity.id else {
      throw ResourceProblem(500, "a \(T.self) must decode the id that it encodes, as a member called id")
    }
    return changed
  }

  func delete(_ id: String, in store: Store) -> Bool {
    do throws(StoreError) {
      try store.delete(T.self, id: id)
      return true
    } catch {
      return false
    }
  }
}
