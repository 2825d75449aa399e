internal import Synchronization
package import TapedeckHTTP

/// A resource that a document may contain. Its content is created on demand, so cyclic graphs cost nothing.
package struct ResourceNode {
  let identifier: JSONAPIIdentifier
  let content: (inout SerializationRun) throws(SerializationError) -> ResourceContent

  package init(
    _ identifier: JSONAPIIdentifier, content: @escaping () throws(SerializationError) -> ResourceContent
  ) {
    self.identifier = identifier
    self.content = { _ throws(SerializationError) in try content() }
  }

  init<Entity: JSONAPIEntity>(_ entity: Entity) {
    identifier = JSONAPIIdentifier(type: Entity.type, id: entity.id)
    content = { run throws(SerializationError) in
      try EntityPlan.of(Entity.self).content(of: entity, &run)
    }
  }
}

/// The content of a resource, by written name.
package struct ResourceContent {
  var attributes: [(name: String, value: Any?)] = []
  var relationships: [RelationshipContent] = []
  var links: LinkTable?
  var meta: (any Serializable)?
  /// By property name.
  private var relationshipsLinks: [String: [String: JSONAPILink]] = [:]
  private var relationshipsMeta: [String: any Serializable] = [:]

  package init(
    _ attributes: [JSONMember] = [], _ relationships: [RelationshipContent] = [], _ links: LinkTable? = nil
  ) {
    self.attributes = attributes.map { ($0.name.text, $0.value) }
    self.relationships = relationships
    self.links = links
  }

  /// - Parameter fields: the attributes and relationships to write; `nil` for all.
  func object(_ identifier: JSONAPIIdentifier, fields: Set<String>?) -> JSONAPIMembers {
    let attributes = attributes.filter { fields?.contains($0.name) != false }
    let relationships = relationships.filter { fields?.contains($0.name) != false }
    let related = relationships.map { ($0.name, $0.object as Any?) }
    return JSONAPIMembers(
      ("type", identifier.type), ("id", identifier.id),
      ("attributes", attributes.isEmpty ? nil : JSONAPIMembers(attributes)),
      ("relationships", related.isEmpty ? nil : JSONAPIMembers(related)),
      ("links", links), ("meta", meta ?? identifier.meta))
  }
}

package struct RelationshipContent {
  package let name: String
  let linkage: Linkage
  let related: [ResourceNode]
  let links: LinkTable?
  let meta: (any Serializable)?

  package init(
    name: String, linkage: Linkage, related: [ResourceNode], links: LinkTable?,
    meta: (any Serializable)? = nil
  ) {
    self.name = name
    self.linkage = linkage
    self.related = related
    self.links = links
    self.meta = meta
  }

  fileprivate var object: JSONAPIMembers {
    JSONAPIMembers(("data", linkage.data), ("links", links), ("meta", meta))
  }
}

/// The roles of an entity type's properties, computed once. Only structs are read without `Mirror`.
final class EntityPlan: Sendable {
  enum Role {
    /// Not an attribute or relationship: written elsewhere in the resource object.
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
  /// The names of the relationships; empty for a type whose properties are unknown without a value.
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

  private static func role(_ name: String, _ type: any Any.Type, _ unmentioned: Set<String>) -> Role {
    if unmentioned.contains(name) { return .unmentioned }
    if name == "type" || name == "links" { return .illegal }
    if type is any RelationProperty.Type { return .reference }
    return type is any JSONAPISerializable.Type ? .relationship : .attribute
  }

  func content<Entity: JSONAPIEntity>(
    of entity: Entity, _ run: inout SerializationRun
  ) throws(SerializationError) -> ResourceContent {
    var content = ResourceContent(of: entity)
    guard let structure else {
      for (name, value) in properties(of: Mirror(reflecting: entity)) {
        let role = Self.role(name, Swift.type(of: value), unmentioned)
        try content.add(name, role, value, &run) { run throws(SerializationError) in try run.writeAny(value) }
      }
      return content
    }
    try withUnsafePointer(to: entity) { pointer throws(SerializationError) in
      for (field, role) in zip(structure.fields, roles) {
        let place = UnsafeRawPointer(pointer) + field.offset
        try content.add(field.name, role, Self.value(at: place, field.type), &run) {
          run throws(SerializationError) in try field.writer.write(place, &run)
        }
      }
    }
    return content
  }

  private static func value(at place: UnsafeRawPointer, _ type: any Any.Type) -> Any {
    func opened<T>(_ type: T.Type) -> Any { place.assumingMemoryBound(to: T.self).pointee }
    return _openExistential(type, do: opened)
  }

  private static let known = Mutex<[ObjectIdentifier: EntityPlan]>([:])

  static func of<Entity: JSONAPIEntity>(_ type: Entity.Type) -> EntityPlan {
    known.once(ObjectIdentifier(type)) { EntityPlan(of: type) }
  }
}

extension JSONAPIEntity {
  package static var relationshipNames: [String] { EntityPlan.of(Self.self).relationshipNames }

  package func relationshipContents() throws(SerializationError) -> [RelationshipContent] {
    var run = SerializationRun()
    return try EntityPlan.of(Self.self).content(of: self, &run).relationships
  }
}

extension ResourceContent {
  fileprivate init(of entity: some JSONAPIEntity) {
    let (linked, described) = (entity as? any JSONAPILinkedEntity, entity as? any JSONAPIMetaEntity)
    relationshipsLinks = linked?.relationshipsLinks ?? [:]
    relationshipsMeta = described?.relationshipsMeta ?? [:]
    links = LinkTable(nonempty: linked?.links)
    meta = described?.meta
  }

  /// Adds a property; it replaces an earlier one with the same name.
  /// - Parameter write: writes the property as an attribute.
  fileprivate mutating func add(
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
      if let json { attributes.append((try claim(name, run.keys), WrittenJSON(bytes: json))) }
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
    relationships.append(
      RelationshipContent(
        name: try claim(property, keys), linkage: linkage, related: related,
        links: LinkTable(nonempty: relationshipsLinks[property]), meta: relationshipsMeta[property]))
  }

  private mutating func claim(_ property: String, _ keys: KeyMapping?) throws(SerializationError) -> String {
    let name = keys?.name(property) ?? property
    guard MemberName.isField(name) else {
      throw SerializationError(.illegalMemberName(name), path: [".\(property)"])
    }
    attributes.removeAll { $0.name == name }
    relationships.removeAll { $0.name == name }
    return name
  }
}

private struct WrittenJSON: Writable {
  let bytes: [UInt8]

  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    run.out += bytes
    return true
  }
}
