internal import TapedeckHTTP
internal import TapedeckMocking

/// Objects are in the collection of their resource, or elements of lists in another resource's objects, which may be
/// elements of lists in turn.
extension SchemalessResource {
  /// The resource whose objects hold these.
  var parent: SchemalessResource? {
    guard let within = declaration.within, catalog.home(of: declaration) != nil else { return nil }
    return catalog.resource(within)
  }

  private func collection(in store: Store) -> SchemalessCollection? {
    store.find(SchemalessCollection.self, id: declaration.id)
  }

  private func change(_ store: Store, _ body: (inout SchemalessCollection) -> Void) throws {
    try store.update(SchemalessCollection.self, id: declaration.id) { body(&$0) }
  }

  // MARK: Reading

  func objects(in store: Store) -> [SchemalessObject] {
    guard declaration.within != nil else {
      let all = collection(in: store)?.all ?? []
      return scope.isEmpty ? all : all.filter(isInScope)
    }
    return parents(in: store).flatMap(elements)
  }

  func object(_ id: String, in store: Store) -> SchemalessObject? {
    guard declaration.within != nil else {
      return collection(in: store)?.find(id).flatMap { isInScope($0) ? $0 : nil }
    }
    return parents(in: store).lazy.flatMap(elements).first { $0.id == id }
  }

  private func isInScope(_ object: SchemalessObject) -> Bool {
    scope.allSatisfy { member in
      let value = object[member.name.text]
      return value == member.value || value?.idText != nil && value?.idText == member.value.idText
    }
  }

  private func parents(in store: Store) -> [SchemalessObject] {
    guard let parent else { return [] }
    guard let parentID else { return parent.objects(in: store) }
    return parent.object(parentID, in: store).map { [$0] } ?? []
  }

  private func elements(of parent: SchemalessObject) -> [SchemalessObject] {
    (parent[declaration.listMember]?.array ?? []).compactMap { element in
      guard let members = element.members, let id = element[idMember]?.idText else { return nil }
      return SchemalessObject(id: id, members: members)
    }
  }

  // MARK: Changing

  func newID(in store: Store) throws -> String {
    // Elements of other objects come and go with these, so their ids are collected each time.
    let known =
      declaration.within == nil
      ? [] : SchemalessResource(declaration: declaration, catalog: catalog).objects(in: store).map(\.id)
    var id = ""
    try change(store) { collection in
      for id in known { collection.notice(id) }
      id = collection.takeID(besides: Set(known))
    }
    return id
  }

  func add(_ object: SchemalessObject, to store: Store) throws {
    guard declaration.within != nil else { return try change(store) { $0.append(object) } }
    guard let parentID, let owner = parent?.object(parentID, in: store) else {
      throw ResourceProblem.missing(declaration.within ?? name, parentID ?? "")
    }
    try changeElements(of: owner, in: store) { elements in
      elements.insert(.object(object.members), at: declaration.beginsWithNewest ? 0 : elements.count)
    }
  }

  func replace(_ object: SchemalessObject, in store: Store) throws {
    guard declaration.within != nil else { return try change(store) { $0.replace(object) } }
    guard let owner = owner(of: object.id, in: store) else { throw ResourceProblem.missing(name, object.id) }
    try changeElements(of: owner, in: store) { elements in
      for index in elements.indices where elements[index][idMember]?.idText == object.id {
        elements[index] = .object(object.members)
      }
    }
  }

  /// - Returns: false when there was none.
  func delete(_ id: String, in store: Store) -> Bool {
    guard object(id, in: store) != nil else { return false }
    guard declaration.within != nil else { return (try? change(store) { $0.remove(id) }) != nil }
    guard let owner = owner(of: id, in: store) else { return false }
    return (try? changeElements(of: owner, in: store) { $0.removeAll { $0[idMember]?.idText == id } }) != nil
  }

  /// The object whose list holds the one with this id.
  private func owner(of id: String, in store: Store) -> SchemalessObject? {
    parents(in: store).first { elements(of: $0).contains { $0.id == id } }
  }

  private func changeElements(
    of owner: SchemalessObject, in store: Store, _ body: (inout [JSONValue]) -> Void
  ) throws {
    guard let parent else { return }
    var owner = owner
    var elements = owner[declaration.listMember]?.array ?? []
    body(&elements)
    owner[declaration.listMember] = .array(elements)
    try parent.replace(owner, in: store)
  }
}
