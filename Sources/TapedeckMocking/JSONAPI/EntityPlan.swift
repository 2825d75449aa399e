internal import Synchronization

/// Which properties of an entity type are attributes and which are relationships, found out once.
///
/// A struct's properties are read where they lie; those of other types with `Mirror`, as in all serialisation.
final class EntityPlan: Sendable {
  private enum Role {
    /// Said elsewhere in the resource object.
    case unmentioned
    case attribute
    case relationship
    /// A property like `ToOne`, that knows of what it leads to who it is.
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
    var builder = EntityContentBuilder(
      links: entity as? any JSONAPILinkedEntity, meta: entity as? any JSONAPIMetaEntity)
    if let structure {
      try withUnsafePointer(to: entity) { pointer throws(SerializationError) in
        try read(structure, UnsafeRawPointer(pointer), &builder, &run)
      }
    } else {
      for property in Properties.of(entity) { try read(property, &builder, &run) }
    }
    return builder.content
  }

  private func read(
    _ structure: StructurePlan, _ entity: UnsafeRawPointer, _ builder: inout EntityContentBuilder,
    _ run: inout SerializationRun
  ) throws(SerializationError) {
    for (index, field) in structure.fields.enumerated() {
      let place = entity + field.offset
      switch roles[index] {
      case .unmentioned: continue
      case .illegal: throw Self.illegal(field.name)
      case .relationship: try builder.add(field.name, Self.related(at: place, type: field.type), run.keys)
      case .reference:
        try builder.add(field.name, linkage: Self.linkage(at: place, type: field.type), [], run.keys)
      case .attribute:
        try builder.add(field.name, &run) { run throws(SerializationError) in
          try field.writer.write(place, &run)
        }
      }
    }
  }

  private func read(
    _ property: Property, _ builder: inout EntityContentBuilder, _ run: inout SerializationRun
  ) throws(SerializationError) {
    switch Self.role(property.name, property.type, unmentioned) {
    case .unmentioned: return
    case .illegal: throw Self.illegal(property.name)
    case .relationship:
      try builder.add(property.name, (property.value as? any JSONAPISerializable)?.related, run.keys)
    case .reference:
      let linkage = (property.value as? any RelationProperty)?.linkage
      try builder.add(property.name, linkage: linkage, [], run.keys)
    case .attribute:
      try builder.add(property.name, &run) { run throws(SerializationError) in
        try run.writeAny(property.value)
      }
    }
  }

  private static func related(at place: UnsafeRawPointer, type: any Any.Type) -> JSONAPIRelated? {
    func opened<T>(_ type: T.Type) -> JSONAPIRelated? {
      (place.assumingMemoryBound(to: T.self).pointee as? any JSONAPISerializable)?.related
    }
    return _openExistential(type, do: opened)
  }

  private static func linkage(at place: UnsafeRawPointer, type: any Any.Type) -> Linkage? {
    func opened<T>(_ type: T.Type) -> Linkage? {
      (place.assumingMemoryBound(to: T.self).pointee as? any RelationProperty)?.linkage
    }
    return _openExistential(type, do: opened)
  }

  fileprivate static func illegal(_ name: String, property: String? = nil) -> SerializationError {
    SerializationError(.illegalMemberName(name), path: [".\(property ?? name)"])
  }
}

/// The plans of all entity types that were ever written.
enum EntityPlans {
  private static let known = Mutex<[ObjectIdentifier: EntityPlan]>([:])

  static func plan<Entity: JSONAPIEntity>(of type: Entity.Type) -> EntityPlan {
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
  package static var relationshipNames: [String] { EntityPlans.plan(of: Self.self).relationshipNames }

  /// What the entity's relationships lead to.
  package func relationshipContents() throws(SerializationError) -> [RelationshipContent] {
    var run = SerializationRun()
    return try EntityPlans.plan(of: Self.self).content(of: self, &run).relationships
  }
}

/// Collects what is in an entity. Of two properties with one name the later one stays.
private struct EntityContentBuilder {
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

  private mutating func claim(_ property: String, _ keys: KeyMapping?) throws(SerializationError) -> String {
    let name = keys?.name(property) ?? property
    guard MemberName.isField(name) else { throw EntityPlan.illegal(name, property: property) }
    content.attributes.removeAll { $0.name == name }
    content.relationships.removeAll { $0.name == name }
    return name
  }

  mutating func add(
    _ property: String, _ run: inout SerializationRun,
    _ write: (inout SerializationRun) throws(SerializationError) -> Bool
  ) throws(SerializationError) {
    let json: [UInt8]?
    do throws(SerializationError) { json = try run.captured(write) } catch {
      throw error.inside("." + property)
    }
    guard let json else { return }
    content.attributes.append((try claim(property, run.keys), json))
  }

  mutating func add(
    _ property: String, _ related: JSONAPIRelated?, _ keys: KeyMapping?
  ) throws(SerializationError) {
    guard let related else { return }
    let nodes = related.entities.map { ResourceNode($0) }
    switch related {
    case .one: try add(property, linkage: .one(nodes.first?.identifier), nodes, keys)
    case .many: try add(property, linkage: .many(nodes.map(\.identifier)), nodes, keys)
    }
  }

  mutating func add(
    _ property: String, linkage: Linkage?, _ related: [ResourceNode], _ keys: KeyMapping?
  ) throws(SerializationError) {
    guard let linkage else { return }
    content.relationships.append(
      RelationshipContent(
        name: try claim(property, keys), linkage: linkage, related: related,
        links: Self.table(relationshipsLinks[property]), meta: relationshipsMeta[property]))
  }
}
