internal import TapedeckHTTP
internal import TapedeckMocking

/// JSON:API 1.1 §9.
extension JSONAPIExchange {
  /// Runs a change, whose problems concern the document's `data`.
  private func changing(_ change: (JSONValue) throws -> StoredResource) throws -> StoredResource {
    try checkContentType()
    let data = try data()
    do { return try change(data) } catch { throw ResourceProblem(error).inside("/data") }
  }

  private func check(_ action: ResourceActions, _ name: String) throws(ResourceProblem) {
    guard core.served.actions.contains(action) else {
      throw ResourceProblem(403, "\(type.name) cannot be \(name) here")
    }
  }

  private var mayReplace: Bool { core.served.actions.contains(.replace) }

  // MARK: Resources

  func create() throws -> Response {
    try check(.create, "created")
    let query = try query(["include", "fields"])
    let created = try changing { data in
      try core.create { store in
        let id = try newID(data, store)
        var change = try self.change(data, store, mayReplace: true)
        change.id = id
        return change
      }
    }
    let headers: HeaderFields = ["Location": core.url(of: created.identifier) ?? ""]
    return try JSONAPIExchange(core: core.renewed).response(
      201, created, query, from: [type], headers: headers)
  }

  private func newID(_ data: JSONValue, _ store: Store) throws(ResourceProblem) -> String? {
    guard let id = try id(of: data) else { return nil }
    guard core.served.allowsClientIDs else {
      throw ResourceProblem(403, "the server chooses ids", pointer: "/id")
    }
    if type.has(id, in: store) {
      throw ResourceProblem(409, "the \(type.name) \(id.debugDescription) exists already", pointer: "/id")
    }
    return id
  }

  func update() throws -> Response {
    try check(.update, "updated")
    let query = try query(["include", "fields"])
    let id = try core.resource().id
    let updated = try changing { data in
      try core.update(id) { store in
        guard let named = try self.id(of: data) else {
          throw ResourceProblem(400, "an update must have the resource's id", pointer: "/id")
        }
        guard named == id else {
          throw ResourceProblem(409, "the URL names \(id), the body \(named)", pointer: "/id")
        }
        return try change(data, store, mayReplace: mayReplace)
      }
    }
    return try JSONAPIExchange(core: core.renewed).response(200, updated, query, from: [type])
  }

  func delete() throws -> Response {
    try check(.delete, "deleted")
    _ = try query([])
    try core.delete(request.components["id"] ?? "")
    return noContent
  }

  private var noContent: Response { Response(statusCode: 204, headers: ["Vary": "Accept"]) }

  // MARK: Relationships

  func replaceLinkage() throws -> Response {
    try changeLinkage { relationship, _, given throws(ResourceProblem) in
      try relationship.checkReplacing(by: given, mayReplace: mayReplace)
      return given
    }
  }

  func addLinkage() throws -> Response {
    try changeLinkage { relationship, now, given throws(ResourceProblem) in
      try checkToMany(relationship)
      return now + given.filter { !now.contains($0) }
    }
  }

  func removeLinkage() throws -> Response {
    try changeLinkage(mustExist: false) { relationship, now, given throws(ResourceProblem) in
      try checkToMany(relationship)
      return now.filter { !given.contains($0) }
    }
  }

  private func checkToMany(_ relationship: any ResourceRelationship) throws(ResourceProblem) {
    if relationship.isToMany { return }
    throw ResourceProblem(403, "\(relationship.name) is to-one: it can only be replaced")
  }

  /// - Parameter targets: makes the new targets from the present and the given ones.
  private func changeLinkage(
    mustExist: Bool = true,
    _ targets: (any ResourceRelationship, _ now: [ResourceIdentifier], _ given: [ResourceIdentifier])
      throws(ResourceProblem) -> [ResourceIdentifier]
  ) throws -> Response {
    let id = try core.resource().id
    let relationship = try relationship()
    _ = try query([])
    _ = try changing { data in
      try core.update(id) { store in
        guard let resource = try type.find(id, in: store) else {
          throw ResourceProblem.missing(type.name, id)
        }
        try check(.update, "updated")
        let given = try relationship.targets(data, in: store, mustExist: mustExist)
        let now = resource.related[relationship.name] ?? []
        return ResourceChange(
          relationships: [(relationship.name, try targets(relationship, now, given))])
      }
    }
    return noContent
  }
}
