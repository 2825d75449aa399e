package import TapedeckHTTP

/// A resource that a document may hold: its identifier, and a way to get its content. The content is made on demand, so
/// cyclic graphs cost nothing.
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

/// The content of a resource, under the names that are written.
package struct ResourceContent {
  var attributes: [(name: String, value: Any?)] = []
  var relationships: [RelationshipContent] = []
  var links: LinkTable?
  var meta: (any Serializable)?

  package init(
    _ attributes: [JSONMember] = [], _ relationships: [RelationshipContent] = [], _ links: LinkTable? = nil
  ) {
    self.attributes = attributes.map { ($0.name.text, $0.value) }
    self.relationships = relationships
    self.links = links
  }

  /// The resource object.
  /// - Parameter fields: the attributes and relationships to write; nil for all.
  func object(_ identifier: JSONAPIIdentifier, fields: Set<String>?) -> JSONAPIMembers {
    let attributes = attributes.filter { fields?.contains($0.name) != false }
    let relationships = relationships.filter { fields?.contains($0.name) != false }
    return JSONAPIMembers(
      ("type", identifier.type), ("id", identifier.id),
      ("attributes", attributes.isEmpty ? nil : JSONAPIMembers(attributes)),
      (
        "relationships",
        relationships.isEmpty ? nil : JSONAPIMembers(relationships.map { ($0.name, $0.object) })
      ),
      ("links", links), ("meta", meta ?? identifier.meta))
  }
}

package struct RelationshipContent {
  package let name: String
  let linkage: Linkage
  /// The resources that the linkage names, for compound documents.
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
