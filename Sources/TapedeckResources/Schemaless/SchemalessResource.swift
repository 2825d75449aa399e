internal import TapedeckHTTP
internal import TapedeckMocking

/// A resource type that is declared in JSON.
struct SchemalessResource: ResourceType {
  let declaration: ResourceDeclaration
  let catalog: ResourceCatalog
  /// The members that all objects behind the request's path share.
  var scope: [JSONMember] = []
  /// The id in the request's path of the object whose list holds these.
  var parentID: String?

  var name: String { declaration.name }
  var idMember: String { declaration.idMember }

  var attributeNames: Set<String> {
    let seeds = declaration.seeds.prefix(20).flatMap { $0.members ?? [] }
    return Set((seeds + declaration.defaults).map(\.name.text)).subtracting(declaration.hidden)
      .subtracting([idMember])
  }

  func has(_ id: String, in store: Store) -> Bool { object(id, in: store) != nil }

  func find(_ id: String, in store: Store) -> StoredResource? { object(id, in: store).map(resource) }

  func findAll(in store: Store) -> [StoredResource] { objects(in: store).map(resource) }

  func parent(in store: Store) -> JSONValue? {
    guard let parentID, let found = parent?.find(parentID, in: store) else { return nil }
    return .object(found.members)
  }

  private func resource(_ object: SchemalessObject) -> StoredResource {
    let members = object.members.filter { !declaration.hidden.contains($0.name.text) }
    return StoredResource(
      type: self, id: object.id, members: members, attributes: members.filter { $0.name.text != idMember })
  }

  func create(_ change: ResourceChange, in store: Store) throws -> StoredResource {
    let id = try change.id ?? newID(in: store)
    if has(id, in: store) { throw StoreError.duplicateID(type: name, id: id) }
    let parent = parentID.flatMap { self.parent?.object($0, in: store) }
    var values = ["id": json(ofID: id)]
    values["parent.id"] = parent.flatMap { $0[self.parent?.idMember ?? ""] }
    let defaults = JSONValue.object(declaration.defaults).filled(values)
    let members = [JSONMember(JSONString(idMember), json(ofID: id))]
      .overlaid(defaults.members ?? []).overlaid(attributes(of: change)).overlaid(scope)
    let object = SchemalessObject(id: id, members: members)
    try check(object)
    try add(object, to: store)
    return resource(object)
  }

  func update(_ id: String, _ change: ResourceChange, in store: Store) throws -> StoredResource {
    guard var object = object(id, in: store) else { throw ResourceProblem.missing(name, id) }
    if change.replaces {
      let kept = declaration.hidden.union(scope.map(\.name.text) + [idMember])
      object.members.removeAll { !kept.contains($0.name.text) }
    }
    object.members = object.members.overlaid(attributes(of: change)).overlaid(scope)
    try check(object)
    try replace(object, in: store)
    return resource(object)
  }

  func id(from value: JSONValue?) throws(ResourceProblem) -> String? {
    guard let value, !value.isNull else { return nil }
    guard let id = value.idText, declaration.ids != .number || Int(id) != nil else {
      let kind = declaration.ids == .number ? "a whole number" : "a text"
      throw ResourceProblem(
        422, "the \(idMember) of a \(name) is \(kind), not \(value)", pointer: "/\(idMember)")
    }
    return id
  }

  func json(ofID id: String) -> JSONValue { declaration.ids.json(id) }

  private func attributes(of change: ResourceChange) -> [JSONMember] {
    change.attributes.filter { $0.name.text != idMember && !declaration.hidden.contains($0.name.text) }
  }

  private func check(_ object: SchemalessObject) throws(ResourceProblem) {
    let isJSONAPI = declaration.representation == .jsonAPI
    func refused(_ name: String, _ detail: String) -> ResourceProblem {
      ResourceProblem(422, detail, pointer: (isJSONAPI ? "/attributes" : "") + ResourceProblem.step(name))
    }
    for name in declaration.required where object[name]?.isNull != false {
      throw refused(name, "a \(self.name) needs \(name.debugDescription)")
    }
    for member in object.members.map(\.name.text)
    where isJSONAPI && member != idMember && !MemberName.isField(member) {
      throw refused(member, "no attribute may be called \(member.debugDescription)")
    }
  }

  func narrowed(
    _ served: ServedResource, to request: Request, at path: String, in store: Store
  ) throws(ResourceProblem) -> ServedResource {
    var (served, resource) = (served, self)
    served.path = served.path.split(separator: "/").map { segment in
      let name = ResourceDeclaration.parameters(of: String(segment)).first
      return "/" + (name.map { request.rawComponents[$0] ?? "" } ?? String(segment))
    }.joined()
    let names = ResourceDeclaration.parameters(of: path).filter { $0 != "id" && !$0.hasPrefix("_") }
    if let parent {
      let id = names.last.flatMap { request.components[$0] }
      guard let id, parent.has(id, in: store) else { throw .missing(parent.name, id ?? "") }
      resource.parentID = id
    } else {
      resource.scope = names.map { name in
        // A number where the seeds have numbers.
        let known = declaration.seeds.prefix(20).compactMap { $0[name] }
        return JSONMember(JSONString(name), IDKind(of: known).json(request.components[name] ?? ""))
      }
    }
    served.type = resource
    return served
  }
}
