internal import TapedeckHTTP
internal import TapedeckMocking

/// JSON:API 1.1 §9.
extension JSONAPIExchange {
  /// Runs a change that the document asks for; its problems are about the document's `data`.
  private func changing(_ change: (JSONValue) throws -> StoredResource) throws -> StoredResource {
    try JSONAPIMediaType.checkContentType(of: request)
    let data = try JSONAPIRequestBody.data(of: request)
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
    let query = try query([.include, .fields])
    let created = try changing { data in try core.create { try newResource(data, $0) } }
    let headers: HeaderFields = ["Location": core.url(of: created.identifier) ?? ""]
    return try JSONAPIExchange(core: core.renewed).response(
      201, created, query, from: [type], headers: headers)
  }

  private func newResource(_ data: JSONValue, _ store: Store) throws(ResourceProblem) -> ResourceChange {
    let body = JSONAPIRequestBody(data: data)
    try body.checkType(type)
    let id = try body.id()
    if let id {
      guard core.served.allowsClientIDs else {
        throw ResourceProblem(403, "the server chooses ids", pointer: "/id")
      }
      if type.has(id, in: store) {
        throw ResourceProblem(409, "the \(type.name) \(id.debugDescription) exists already", pointer: "/id")
      }
    }
    var change = try body.change(type, store, mayReplace: true)
    change.id = id
    return change
  }

  func update() throws -> Response {
    try check(.update, "updated")
    let query = try query([.include, .fields])
    let id = try core.resource().id
    let updated = try changing { data in
      try core.update(id) { store in
        let body = JSONAPIRequestBody(data: data)
        try body.checkType(type)
        guard let named = try body.id() else {
          throw ResourceProblem(400, "an update must have the resource's id", pointer: "/id")
        }
        guard named == id else {
          throw ResourceProblem(409, "the URL names \(id), the body \(named)", pointer: "/id")
        }
        return try body.change(type, store, mayReplace: mayReplace)
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

  enum LinkageChange {
    case replace, add, remove
  }

  func change(_ kind: LinkageChange) throws -> Response {
    let id = try core.resource().id
    let relationship = try relationship()
    _ = try query([])
    _ = try changing { data in
      try core.update(id) { store in
        guard let resource = try type.find(id, in: store) else {
          throw ResourceProblem.missing(type.name, id)
        }
        try check(.update, "updated")
        let given = try relationship.targets(data, in: store, mustExist: kind != .remove)
        let now = resource.related[relationship.name] ?? []
        return ResourceChange(
          relationships: [(relationship.name, try targets(kind, relationship, now: now, given))])
      }
    }
    return noContent
  }

  private func targets(
    _ kind: LinkageChange, _ relationship: any ResourceRelationship, now: [ResourceIdentifier],
    _ given: [ResourceIdentifier]
  ) throws(ResourceProblem) -> [ResourceIdentifier] {
    let name = relationship.name
    guard relationship.isToMany || kind == .replace else {
      throw ResourceProblem(403, "\(name) is to-one: it can only be replaced", pointer: "")
    }
    switch kind {
    case .replace:
      try relationship.checkReplacing(by: given, mayReplace: mayReplace)
      return given
    case .add: return now + given.filter { !now.contains($0) }
    case .remove: return now.filter { !given.contains($0) }
    }
  }
}
