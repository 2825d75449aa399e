package import TapedeckHTTP
internal import TapedeckMocking

/// A resource whose objects have no Swift type, as it is declared.
package struct DocumentDeclaration: Sendable, Equatable {
  package enum Look: String, CaseIterable, Sendable {
    case rest
    case snakeCase = "snake_case"
    case hal
    case jsonAPI = "json:api"
  }

  /// A list in the objects of another resource.
  package struct Place: Sendable, Equatable {
    package var resource: String
    package var member: String

    package init(resource: String, member: String) {
      self.resource = resource
      self.member = member
    }
  }

  package let id: String
  /// Of the collection; a hole in it is a member that all objects behind the path have in common, or where the objects
  /// are parts of others the id of that other one.
  package let path: String
  /// Of one object, in messages and under roots; in JSON:API the type.
  package var name: String
  package var look = Look.rest
  package var idMember = "id"
  package var ids = DocumentIDKind.number
  /// The ids of the first new objects.
  package var nextIDs: [String] = []
  /// The objects it begins with; one without an id gets one.
  package var seeds: [JSONValue] = []
  package var randomSeed: UInt64 = 0
  /// What new objects have that do not say otherwise.
  package var defaults: [JSONMember] = []
  package var required: [String] = []
  /// Members that are never shown.
  package var hidden: Set<String> = []
  /// Where the objects are, if not in a collection of their own.
  package var within: Place?
  package var actions = RESTActions.all
  /// What one object stands in, with the place `{{item}}`.
  package var itemEnvelope: JSONValue?
  /// What a list stands in, with the place `{{items}}`.
  package var listEnvelope: JSONValue?
  package var style = RESTStyle()
  package var beginsWithNewest = false
  /// Other paths that give the list. A hole in them is a member as in `path`, or where its name begins with `_` nothing.
  package var lists: [String] = []
  /// The query's items that are not understood here: a request with one of them goes on.
  package var passes: Set<String> = []

  package init(id: String, path: String, name: String) {
    self.id = id
    self.path = path
    self.name = name
    style.acceptsEmptyBody = true
  }

  /// So many made-up objects, the same ones for the same seed.
  package static func made(
    _ count: Int, of fields: [FakeField.Member], named name: String, randomSeed: UInt64
  ) -> [JSONValue] {
    (0..<count).map { number in
      var fake = Fake(seed: randomSeed, of: name, number: number)
      return FakeField.object(fields).value(&fake, number: number + 1)
    }
  }
}

/// What is wrong with an object that a resource is to hold.
package struct DocumentProblem: Error, Equatable, Sendable {
  /// Its place in the list.
  package var index: Int
  package var text: String
}

extension DocumentDeclaration {
  /// What may stand in the envelope of a list.
  package static let listPlaces = EnvelopeSerializer.listPlaces

  /// The objects of a list, each with an id.
  package func documents(of objects: [JSONValue]) throws(DocumentProblem) -> [JSONValue] {
    try checked(objects).map { .object($0.members) }
  }

  /// The names of the holes of a path, in order.
  package static func holes(of path: String) -> [String] {
    ((try? PathPattern(path))?.segments ?? []).compactMap { segment in
      if case .parameter(let name) = segment { name } else { nil }
    }
  }

  /// The collection with these objects; by default those it begins with.
  func collection(_ objects: [JSONValue]? = nil) throws(DocumentProblem) -> DocumentCollection {
    emptyCollection.with(try checked(objects ?? seeds))
  }

  private var emptyCollection: DocumentCollection {
    DocumentCollection(
      id: id, ids: ids.strategy(seed: randomSeed), nextIDs: nextIDs, beginsWithNewest: beginsWithNewest)
  }

  private func checked(_ objects: [JSONValue]) throws(DocumentProblem) -> [Document] {
    var taken: Set<String> = []
    var counter = emptyCollection
    for (index, object) in objects.enumerated() {
      guard object.members != nil else { throw DocumentProblem(index: index, text: "must be an object") }
      guard let value = object[idMember] else { continue }
      guard let id = value.idText else {
        throw DocumentProblem(index: index, text: "its \(idMember) must be a text or a whole number")
      }
      guard taken.insert(id).inserted else {
        throw DocumentProblem(index: index, text: "the \(idMember) \(id.debugDescription) is there twice")
      }
      counter.notice(id)
      try check(object, at: index)
    }
    return objects.map { object in
      let members = (object.members ?? []).unique
      if let id = object[idMember]?.idText { return Document(id: id, members: members) }
      let id = counter.takeSeedID(taken)
      taken.insert(id)
      return Document(id: id, members: [JSONMember(JSONString(idMember), ids.json(id))] + members)
    }
  }

  private func check(_ object: JSONValue, at index: Int) throws(DocumentProblem) {
    guard look == .jsonAPI else { return }
    for member in object.members ?? [] where member.name.text != idMember {
      guard !MemberName.isField(member.name.text) else { continue }
      throw DocumentProblem(
        index: index, text: "JSON:API has no attribute that is called \(member.name.text.debugDescription)")
    }
  }
}
