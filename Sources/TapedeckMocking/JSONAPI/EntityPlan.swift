internal import Synchronization

/// Which properties of an entity type are attributes and which are relationships, found out once.
///
/// The properties of a struct are read in place; those of other types through `Mirror`, as in all serialization.
final class EntityPlan: Sendable {
  enum Role {
    /// Written elsewhere in the resource object.
    case unmentioned
    case attribute
    case relationship
    /// A property like `ToOne`, which knows the identifiers of its targets.
    case reference
    case illegal
  }

  private let structure: StructurePlan?
  private let roles: [Role]
  private let unmentioned: Set<String>
  /// The names of relationships; none of a type whose properties are not known without a value.
  let relationshipNames: [String]

  init<Entity: JSONAPIEntity>(of type: Entity.Type) {
    var unmentioned: Set = ["id"]
    if type is any JSONAPILinkedEntity.Type { unmentioned.formUnion(["links", "relationshipsLinks"]) }
    if type is any JSONAPIMetaEntity.Type { unmentioned.formUnion(["meta", "relationshipsMeta"]) }
    self.unmentioned = unmentioned
    let structure = StructurePlan(of: type)
    self.structure = structure
    let fields = structure?.fields ?? []
    roles = fields.map { Self.role($0.name, $0.type, unmentioned) }
    relationshipNames = zip(fields, roles).filter { $1 == .relationship || $1 == .reference }.map(\.0.name)
  }

  private static func role(
    _ name: String, _ type: any Any.Type, _ unmentioned: Set<String>
  ) -> Role {
    if unmentioned.contains(name) { return .unmentioned }
    if name == "type" || name == "links" { return .illegal }
    if type is any RelationProperty.Type { return .reference }
    return type is any JSONAPISerializable.Type ? .relationship : .attribute
  }

  func content<Entity: JSONAPIEntity>(
    of entity: Entity, _ run: inout SerializationRun
  ) throws(SerializationError) -> ResourceContent {
    var reader = EntityReader(
      links: entity as? any JSONAPILinkedEntity, meta: entity as? any JSONAPIMetaEntity)
    guard let structure else {
      for property in Properties.of(entity) {
        let role = Self.role(property.name, property.type, unmentioned)
        try reader.read(property.name, role, property.value, &run) { run throws(SerializationError) in
          try run.writeAny(property.value)
        }
      }
      return reader.content
    }
    try withUnsafePointer(to: entity) { pointer throws(SerializationError) in
      for (field, role) in zip(structure.fields, roles) {
        let place = UnsafeRawPointer(pointer) + field.offset
        try reader.read(field.name, role, Self.value(at: place, field.type), &run) {
          run throws(SerializationError) in try field.writer.write(place, &run)
        }
      }
    }
    return reader.content
  }

  private static func value(at place: UnsafeRawPointer, _ type: any Any.Type) -> Any {
    func opened<T>(_ type: T.Type) -> Any { place.assumingMemoryBound(to: T.self).pointee }
    return _openExistential(type, do: opened)
  }

  // MARK: Plans

  private static let known = Mutex<[ObjectIdentifier: EntityPlan]>([:])

  /// The plan of a type, made once.
  static func of<Entity: JSONAPIEntity>(_ type: Entity.Type) -> EntityPlan {
    let key = ObjectIdentifier(type)
    if let plan = known.withLock({ $0[key] }) { return plan }
    let plan = EntityPlan(of: type)
    return known.withLock { known in
      if let earlier = known[key] { return earlier }
      known[key] = plan
      return plan
    }
  }
}

extension JSONAPIEntity {
  /// The names of the properties that are relationships.
  package static var relationshipNames: [String] { EntityPlan.of(Self.self).relationshipNames }

  /// What the entity's relationships lead to.
  package func relationshipContents() throws(SerializationError) -> [RelationshipContent] {
    var run = SerializationRun()
    return try EntityPlan.of(Self.self).content(of: self, &run).relationships
  }
}

/// Collects the content of an entity. Of two properties with one name the later one stays.
private struct EntityReader {
  private(set) var content = ResourceContent()
  private let relationshipsLinks: [String: [String: JSONAPILink]]
  private let relationshipsMeta: [String: any Serializable]

  init(links: (any JSONAPILinkedEntity)?, meta: (any JSONAPIMetaEntity)?) {
    relationshipsLinks = links?.relationshipsLinks ?? [:]
    relationshipsMeta = meta?.relationshipsMeta ?? [:]
    content.links = Self.table(links?.links)
    content.meta = meta?.meta
  }

  private static func table(_ links: [String: JSONAPILink]?) -> LinkTable? {
    links.flatMap { $0.isEmpty ? nil : LinkTable($0) }
  }

  /// - Parameter write: writes the property as an attribute.
  mutating func read(
    _ name: String, _ role: EntityPlan.Role, _ value: @autoclosure () -> Any, _ run: inout SerializationRun,
    _ write: (inout SerializationRun) throws(SerializationError) -> Bool
  ) throws(SerializationError) {
    switch role {
    case .unmentioned: return
    case .illegal: throw SerializationError(.illegalMemberName(name), path: [".\(name)"])
    case .attribute:
      let json: [UInt8]?
      do throws(SerializationError) { json = try run.captured(write) } catch {
        throw error.inside("." + name)
      }
      if let json { content.attributes.append((try claim(name, run.keys), WrittenJSON(bytes: json))) }
    case .reference:
      guard let linkage = (value() as? any RelationProperty)?.linkage else { return }
      try add(name, linkage, [], run.keys)
    case .relationship:
      guard let related = (value() as? any JSONAPISerializable)?.related else { return }
      let nodes = related.entities.map { ResourceNode($0) }
      switch related {
      case .one: try add(name, .one(nodes.first?.identifier), nodes, run.keys)
      case .many: try add(name, .many(nodes.map(\.identifier)), nodes, run.keys)
      }
    }
  }

  private mutating func add(
    _ property: String, _ linkage: Linkage, _ related: [ResourceNode], _ keys: KeyMapping?
  ) throws(SerializationError) {
    content.relationships.append(
      RelationshipContent(
        name: try claim(property, keys), linkage: linkage, related: related,
        links: Self.table(relationshipsLinks[property]), meta: relationshipsMeta[property]))
  }

  private mutating func claim(_ property: String, _ keys: KeyMapping?) throws(SerializationError) -> String {
    let name = keys?.name(property) ?? property
    guard MemberName.isField(name) else {
      throw SerializationError(.illegalMemberName(name), path: [".\(property)"])
    }
    content.attributes.removeAll { $0.name == name }
    content.relationships.removeAll { $0.name == name }
    return name
  }
}

/// JSON that is written already.
private struct WrittenJSON: Writable {
  let bytes: [UInt8]

  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    run.out += bytes
    return true
  }
}
