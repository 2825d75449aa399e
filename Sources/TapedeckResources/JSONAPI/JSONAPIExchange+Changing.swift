internal import TapedeckHTTP
internal import TapedeckMocking

/// JSON:API 1.1 §9: each change happens as a whole or not at all.
extension JSONAPIExchange {
  /// Runs a change that the document asks for; its problems are about the document's `data`.
  private func changing(
    _ body: (JSONValue, Store) throws -> StoredResource?
  ) throws -> StoredResource? {
    try JSONAPIMediaType.checkContentType(of: request)
    let data = try ResourceDocument.data(of: request)
    do { return try registry.store.transaction { store in try body(data, store) } } catch {
      throw ResourceProblem(error).inside("/data")
    }
  }

  /// The exchange as it is after a change.
  private func renewed() -> JSONAPIExchange {
    var exchange = self
    exchange.view = registry.store.copy()
    return exchange
  }

  func check(_ change: JSONAPIChanges, _ name: String) throws(ResourceProblem) {
    guard served.options.changes.contains(change) else {
      throw ResourceProblem(403, "\(served.type.name) cannot be \(name) here")
    }
  }

  // MARK: Resources

  func create() throws -> Response {
    try check(.create, "created")
    let query = try query([.include, .fields])
    let created = try changing { data, store in
      try served.type.create(try newResource(data, store), in: store)
    }
    let location = created.flatMap { url(of: JSONAPIIdentifier(type: $0.type.name, id: $0.id)) } ?? ""
    return try renewed().answer(201, created, query, headers: ["Location": location])
  }

  private func newResource(_ data: JSONValue, _ store: Store) throws(ResourceProblem) -> ResourceChange {
    let document = ResourceDocument(data: data)
    try document.checkType(served.type)
    let id = try document.id()
    if let id {
      guard served.options.allowsClientIDs else {
        throw ResourceProblem(403, "ids are given by the server", pointer: "/id")
      }
      if served.type.has(id, in: store) {
        throw ResourceProblem(
          409, "there is a \(served.type.name) \(id.debugDescription) already", pointer: "/id")
      }
    }
    var change = try document.change(served.type, store, mayReplace: true)
    change.id = id
    return change
  }

  func update() throws -> Response {
    try check(.update, "updated")
    let query = try query([.include, .fields])
    let id = try resource().id
    let updated = try changing { data, store in try update(id, data, store) }
    return try renewed().answer(200, updated, query)
  }

  private func update(_ id: String, _ data: JSONValue, _ store: Store) throws -> StoredResource {
    let document = ResourceDocument(data: data)
    try document.checkType(served.type)
    guard let named = try document.id() else {
      throw ResourceProblem(400, "a resource that is updated has its id", pointer: "/id")
    }
    guard named == id else {
      throw ResourceProblem(409, "the URL is that of \(id), not of \(named)", pointer: "/id")
    }
    let mayReplace = served.options.changes.contains(.replace)
    let change = try document.change(served.type, store, mayReplace: mayReplace)
    return try served.type.update(id, change, in: store)
  }

  func delete() throws -> Response {
    try check(.delete, "deleted")
    _ = try query([])
    let id = request.components["id"] ?? ""
    let isDone = registry.store.transaction { store in served.type.delete(id, in: store) }
    guard isDone else { throw ResourceProblem.missing(served.type.name, id) }
    return noContent
  }

  private var noContent: Response { Response(statusCode: 204, headers: ["Vary": "Accept"]) }

  // MARK: Relationships

  enum LinkageChange {
    case replace, add, remove
  }

  func change(_ kind: LinkageChange) throws -> Response {
    let id = try resource().id
    let name = try relationship().name
    _ = try query([])
    _ = try changing { data, store in
      try change(kind, name, of: id, data, store)
      return nil
    }
    return noContent
  }

  /// Changes the linkage of a resource that is there.
  private func change(
    _ kind: LinkageChange, _ name: String, of id: String, _ data: JSONValue, _ store: Store
  ) throws {
    guard let resource = try served.type.find(id, in: store) else {
      throw ResourceProblem.missing(served.type.name, id)
    }
    guard let relationship = served.type.relationship(name) else {
      throw ResourceProblem(404, "\(served.type.name) has no relationship \(name.debugDescription)")
    }
    try check(.update, "updated")
    let reader = LinkageReader(
      relationship: relationship, store: store, mustExist: kind != .remove)
    let given = try reader.targets(data)
    let targets = try targets(kind, relationship, now: resource.related[name] ?? [], given)
    _ = try served.type.update(id, ResourceChange(relationships: [(name, targets)]), in: store)
  }

  private func targets(
    _ kind: LinkageChange, _ relationship: ResourceRelationship, now: [JSONAPIIdentifier],
    _ given: [JSONAPIIdentifier]
  ) throws(ResourceProblem) -> [JSONAPIIdentifier] {
    switch kind {
    case .replace:
      if relationship.isToMany, !served.options.changes.contains(.replace) {
        throw ResourceProblem(403, "the members of \(relationship.name) cannot be replaced", pointer: "")
      }
      if given.isEmpty, !relationship.isToMany, !relationship.isOptional {
        throw ResourceProblem(403, "\(relationship.name) always leads somewhere", pointer: "")
      }
      return given
    case .add, .remove:
      guard relationship.isToMany else {
        throw ResourceProblem(403, "\(relationship.name) leads to one: it can be replaced only", pointer: "")
      }
      return kind == .add
        ? now + given.filter { !now.contains($0) } : now.filter { !given.contains($0) }
    }
  }
}
