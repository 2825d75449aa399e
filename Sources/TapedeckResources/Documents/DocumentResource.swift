internal import TapedeckHTTP
internal import TapedeckMocking

/// A declared resource behind the form that servers see.
struct DocumentResource: ResourceType {
  let declaration: DocumentDeclaration
  let catalog: DocumentCatalog
  /// Members that all objects behind the request's path have in common.
  var scope: [JSONMember] = []
  /// The id of the object that the request's path is about, where objects are parts of others.
  var parentID: String?

  init(_ declaration: DocumentDeclaration, _ catalog: DocumentCatalog) {
    self.declaration = declaration
    self.catalog = catalog
  }

  var name: String { declaration.name }
  var entityName: String { declaration.name }
  var typeName: String { declaration.name }
  var ownSerializer: (any ResourceSerializer)? { nil }
  var idMember: String { declaration.idMember }
  var relationships: [ResourceRelationship] { [] }
  var embeddedNames: Set<String> { [] }

  var attributeNames: Set<String> {
    let seeds = declaration.seeds.prefix(20).flatMap { $0.members ?? [] }
    return Set((seeds + declaration.defaults).map(\.name.text)).subtracting(declaration.hidden)
      .subtracting([idMember])
  }

  // MARK: Reading

  func has(_ id: String, in store: Store) -> Bool { document(id, in: store) != nil }

  func find(_ id: String, in store: Store) -> StoredResource? { document(id, in: store).map(resource) }

  func findAll(in store: Store) -> [StoredResource] { documents(in: store).map(resource) }

  func parent(in store: Store) -> JSONValue? {
    guard let parentID, let found = parent?.find(parentID, in: store) else { return nil }
    return .object(found.members)
  }

  private func resource(_ document: Document) -> StoredResource {
    let members = document.members.filter { !declaration.hidden.contains($0.name.text) }
    return StoredResource(
      type: self, id: document.id, members: members,
      attributes: members.filter { $0.name.text != idMember }, related: [:], links: [:], embedded: [])
  }

  // MARK: Changing

  func create(_ change: ResourceChange, in store: Store) throws -> StoredResource {
    let id = try change.id ?? newID(in: store)
    if has(id, in: store) { throw StoreError.duplicateID(type: name, id: id) }
    let parent = parentID.flatMap { self.parent?.document($0, in: store) }
    let defaults = DocumentTemplate.filled(.object(declaration.defaults)) { place in
      switch place {
      case "id": declaration.ids.json(id)
      case "parent.id": parent.flatMap { $0[self.parent?.idMember ?? ""] }
      default: JSONValue?.none
      }
    }
    let members = [JSONMember(JSONString(idMember), declaration.ids.json(id))]
      .overlaid(defaults.members ?? []).overlaid(attributes(of: change)).overlaid(scope)
    let document = Document(id: id, members: members)
    try check(document)
    try add(document, to: store)
    return resource(document)
  }

  func update(_ id: String, _ change: ResourceChange, in store: Store) throws -> StoredResource {
    guard var document = document(id, in: store) else { throw ResourceProblem.missing(name, id) }
    if change.replaces {
      let kept = declaration.hidden.union(scope.map(\.name.text) + [idMember])
      document.members.removeAll { !kept.contains($0.name.text) }
    }
    document.members = document.members.overlaid(attributes(of: change)).overlaid(scope)
    try check(document)
    try replace(document, in: store)
    return resource(document)
  }

  func delete(_ id: String, in store: Store) -> Bool { remove(id, from: store) }

  func id(from value: JSONValue?) throws(ResourceProblem) -> String? {
    guard let value, !value.isNull else { return nil }
    guard let id = value.idText, declaration.ids != .number || Int(id) != nil else {
      let kind = declaration.ids == .number ? "a whole number" : "a text"
      throw ResourceProblem(
        422, "the \(idMember) of a \(name) is \(kind), not \(value)", pointer: "/\(idMember)")
    }
    return id
  }

  private func attributes(of change: ResourceChange) -> [JSONMember] {
    change.attributes.filter { $0.name.text != idMember && !declaration.hidden.contains($0.name.text) }
  }

  private func check(_ document: Document) throws(ResourceProblem) {
    let isJSONAPI = declaration.look == .jsonAPI
    func pointer(_ name: String) -> String {
      (isJSONAPI ? "/attributes/" : "/") + JSONPointer.escaped(name)
    }
    for name in declaration.required where document[name] == nil || document[name]?.isNull == true {
      throw ResourceProblem(
        422, "a \(self.name) needs \(name.debugDescription)", pointer: pointer(name))
    }
    guard isJSONAPI else { return }
    for member in document.members.map(\.name.text) where member != idMember && !MemberName.isField(member) {
      throw ResourceProblem(
        422, "no attribute may be called \(member.debugDescription)", pointer: pointer(member))
    }
  }
}
