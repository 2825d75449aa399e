internal import TapedeckHTTP
internal import TapedeckMocking

/// Where objects are: in the collection of their resource, or in lists that are members of another resource's objects,
/// which again may be parts of others.
extension DocumentResource {
  /// The resource whose objects hold these.
  var parent: DocumentResource? {
    guard let place = declaration.within, catalog.home(of: declaration) != nil else { return nil }
    return catalog.resource(place.resource)
  }

  private func collection(in store: Store) -> DocumentCollection? {
    store.find(DocumentCollection.self, id: declaration.id)
  }

  private func change(_ store: Store, _ body: (inout DocumentCollection) -> Void) throws {
    try store.update(DocumentCollection.self, id: declaration.id) { body(&$0) }
  }

  // MARK: Reading

  func documents(in store: Store) -> [Document] {
    guard declaration.within != nil else {
      let all = collection(in: store)?.all ?? []
      return scope.isEmpty ? all : all.filter(isInScope)
    }
    return parents(in: store).flatMap(elements)
  }

  func document(_ id: String, in store: Store) -> Document? {
    guard declaration.within != nil else {
      return collection(in: store)?.find(id).flatMap { isInScope($0) ? $0 : nil }
    }
    for parent in parents(in: store) {
      if let found = elements(of: parent).first(where: { $0.id == id }) { return found }
    }
    return nil
  }

  private func isInScope(_ document: Document) -> Bool {
    scope.allSatisfy { member in
      let value = document[member.name.text]
      return value == member.value || value?.idText != nil && value?.idText == member.value.idText
    }
  }

  private func parents(in store: Store) -> [Document] {
    guard let parent else { return [] }
    guard let parentID else { return parent.documents(in: store) }
    return parent.document(parentID, in: store).map { [$0] } ?? []
  }

  private func elements(of parent: Document) -> [Document] {
    (parent[declaration.within?.member ?? ""]?.array ?? []).compactMap { element in
      guard let members = element.members, let id = element[idMember]?.idText else { return nil }
      return Document(id: id, members: members)
    }
  }

  // MARK: Changing

  func newID(in store: Store) throws -> String {
    // What lies within others may come and go with them: it is looked for each time.
    let known =
      declaration.within == nil ? [] : DocumentResource(declaration, catalog).documents(in: store).map(\.id)
    var id = ""
    try change(store) { collection in
      for id in known { collection.notice(id) }
      id = collection.takeID(besides: Set(known))
    }
    return id
  }

  func add(_ document: Document, to store: Store) throws {
    guard declaration.within != nil else { return try change(store) { $0.append(document) } }
    guard let parentID, let owner = parent?.document(parentID, in: store) else {
      throw ResourceProblem.missing(declaration.within?.resource ?? name, parentID ?? "")
    }
    try changeElements(of: owner, in: store) { elements in
      elements.insert(.object(document.members), at: declaration.beginsWithNewest ? 0 : elements.count)
    }
  }

  func replace(_ document: Document, in store: Store) throws {
    guard declaration.within != nil else { return try change(store) { $0.replace(document) } }
    try changeElements(around: document.id, in: store) { elements in
      for index in elements.indices where elements[index][idMember]?.idText == document.id {
        elements[index] = .object(document.members)
      }
    }
  }

  /// False when there was none.
  func remove(_ id: String, from store: Store) -> Bool {
    guard document(id, in: store) != nil else { return false }
    if declaration.within != nil {
      return (try? changeElements(around: id, in: store) { $0.removeAll { $0[idMember]?.idText == id } })
        != nil
    }
    return (try? change(store) { _ = $0.remove(id) }) != nil
  }

  private func changeElements(
    around id: String, in store: Store, _ body: (inout [JSONValue]) -> Void
  ) throws {
    guard let owner = parents(in: store).first(where: { elements(of: $0).contains { $0.id == id } }) else {
      throw ResourceProblem.missing(name, id)
    }
    try changeElements(of: owner, in: store, body)
  }

  private func changeElements(
    of owner: Document, in store: Store, _ body: (inout [JSONValue]) -> Void
  ) throws {
    guard let parent, let member = declaration.within?.member else { return }
    var owner = owner
    var elements = owner[member]?.array ?? []
    body(&elements)
    owner[member] = .array(elements)
    try parent.replace(owner, in: store)
  }
}
