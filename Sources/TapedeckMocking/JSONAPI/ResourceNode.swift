/// A resource that a document may hold: who it is, and a way to find out what is in it. Nothing is looked at before it
/// is asked for, so cyclic graphs cost nothing.
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
      try EntityPlans.plan(of: Entity.self).content(of: entity, &run)
    }
  }
}

/// What is in a resource. Names are as they are to be written.
package struct ResourceContent {
  /// Values are written already.
  package var attributes: [(name: String, json: [UInt8])] = []
  package var relationships: [RelationshipContent] = []
  package var links: LinkTable?
  var meta: (any Serializable)?

  package init() {}
}

/// Resource linkage (JSON:API 1.1 §5.4).
package enum Linkage: Equatable, Sendable {
  case one(JSONAPIIdentifier?)
  case many([JSONAPIIdentifier])

  package var identifiers: [JSONAPIIdentifier] {
    switch self {
    case .one(let identifier): identifier.map { [$0] } ?? []
    case .many(let identifiers): identifiers
    }
  }

  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    switch self {
    case .one(let identifier?): return try identifier.write(to: &run)
    case .one(nil):
      run.write(literal: "null")
      return true
    case .many(let identifiers): return try run.write(identifiers)
    }
  }
}

package struct RelationshipContent {
  package var name: String
  var linkage: Linkage?
  /// The resources that the linkage names, for compound documents.
  var related: [ResourceNode]
  var links: LinkTable?
  var meta: (any Serializable)?

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
}

extension ResourceContent {
  /// Writes the resource object.
  /// - Parameter fields: the attributes and relationships to be written; nil for all.
  func write(
    _ identifier: JSONAPIIdentifier, fields: Set<String>?, to run: inout SerializationRun
  ) throws(SerializationError) {
    run.out.append(UInt8(ascii: "{"))
    identifier.writeMembers(to: &run)
    let attributes = attributes.filter { fields?.contains($0.name) != false }
    if !attributes.isEmpty {
      try run.member("attributes") { run throws(SerializationError) in
        try Self.write(attributes, to: &run)
        return true
      }
    }
    let relationships = relationships.filter { fields?.contains($0.name) != false }
    if !relationships.isEmpty {
      try run.member("relationships") { run throws(SerializationError) in
        try Self.write(relationships, to: &run)
        return true
      }
    }
    try run.write(links: links)
    try run.write(meta: meta ?? identifier.meta)
    run.out.append(UInt8(ascii: "}"))
  }

  private static func write(
    _ attributes: [(name: String, json: [UInt8])], to run: inout SerializationRun
  ) throws(SerializationError) {
    run.out.append(UInt8(ascii: "{"))
    for attribute in attributes {
      try run.member(attribute.name) { run throws(SerializationError) in
        run.out += attribute.json
        return true
      }
    }
    run.out.append(UInt8(ascii: "}"))
  }

  private static func write(
    _ relationships: [RelationshipContent], to run: inout SerializationRun
  ) throws(SerializationError) {
    run.out.append(UInt8(ascii: "{"))
    for relationship in relationships {
      try run.member(relationship.name) { run throws(SerializationError) in
        run.out.append(UInt8(ascii: "{"))
        if let linkage = relationship.linkage {
          try run.member("data") { run throws(SerializationError) in try linkage.write(to: &run) }
        }
        try run.write(links: relationship.links)
        try run.write(meta: relationship.meta)
        run.out.append(UInt8(ascii: "}"))
        return true
      }
    }
    run.out.append(UInt8(ascii: "}"))
  }
}

extension SerializationRun {
  /// The member `links`, when there is one.
  mutating func write(links: LinkTable?) throws(SerializationError) {
    guard let links else { return }
    try member("links") { run throws(SerializationError) in
      try links.write(to: &run)
      return true
    }
  }

  /// The member `meta`, when there is one.
  mutating func write(meta: (any Serializable)?) throws(SerializationError) {
    guard let meta else { return }
    try member("meta") { run throws(SerializationError) in try run.writeAny(meta) }
  }
}
