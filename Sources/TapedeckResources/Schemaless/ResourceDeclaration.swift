package import TapedeckHTTP
internal import TapedeckMocking

/// A schemaless resource, as it is declared.
package struct ResourceDeclaration: Sendable, Equatable {
  package enum Representation: String, CaseIterable, Sendable {
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
  /// Of the collection. A parameter in it is a member that all objects behind the path share; where the objects are
  /// elements of another one's list, the id of that one.
  package let path: String
  /// The name of one object, in messages and roots; in JSON:API the type.
  package var name: String
  package var representation = Representation.rest
  package var idMember = "id"
  package var ids = IDKind.number
  /// The ids of the first new objects.
  package var nextIDs: [String] = []
  /// The first objects; one without an id gets one.
  package var seeds: [JSONValue] = []
  package var randomSeed: UInt64 = 0
  /// Members of new objects that do not have them.
  package var defaults: [JSONMember] = []
  package var required: [String] = []
  /// Members that are never shown.
  package var hidden: Set<String> = []
  /// The list that holds the objects, if they have no collection of their own.
  package var within: Place?
  package var actions = ResourceActions.all
  /// The envelope of one object, with `{{item}}`.
  package var itemEnvelope: JSONValue?
  /// The envelope of a list, with `{{items}}`.
  package var listEnvelope: JSONValue?
  package var style = RESTStyle()
  package var beginsWithNewest = false
  /// Other paths that give the list. A parameter in them is a member as in `path`; one whose name begins with `_` is
  /// ignored.
  package var lists: [String] = []
  /// Query items that are not supported: a request with one of them is left to others.
  package var passes: Set<String> = []

  package init(id: String, path: String, name: String) {
    self.id = id
    self.path = path
    self.name = name
    style.acceptsEmptyBody = true
  }

  /// Made-up objects, the same ones for the same seed.
  package static func made(
    _ count: Int, of fields: [FakeField.Member], named name: String, randomSeed: UInt64
  ) -> [JSONValue] {
    (0..<count).map { number in
      var fake = Fake(seed: randomSeed, of: name, number: number)
      return FakeField.object(fields).value(&fake, number: number + 1)
    }
  }
}

/// What is wrong with an object that a resource shall hold.
package struct SeedProblem: Error, Equatable, Sendable {
  /// Its place in the list.
  package var index: Int
  package var text: String
}

extension ResourceDeclaration {
  /// The values that the envelope of a list may have.
  package static let listPlaces = Envelope.listNames

  /// The objects of a list, each with an id.
  package func objects(of objects: [JSONValue]) throws(SeedProblem) -> [JSONValue] {
    try checked(objects).map { .object($0.members) }
  }

  /// The names of a path's parameters, in order.
  package static func parameters(of path: String) -> [String] {
    ((try? PathPattern(path))?.segments ?? []).compactMap { segment in
      if case .parameter(let name) = segment { name } else { nil }
    }
  }

  /// The collection with these objects; by default the first ones.
  func collection(_ objects: [JSONValue]? = nil) throws(SeedProblem) -> SchemalessCollection {
    emptyCollection.with(try checked(objects ?? seeds))
  }

  private var emptyCollection: SchemalessCollection {
    SchemalessCollection(
      id: id, ids: ids.strategy(seed: randomSeed), nextIDs: nextIDs, beginsWithNewest: beginsWithNewest)
  }

  private func checked(_ objects: [JSONValue]) throws(SeedProblem) -> [SchemalessObject] {
    var taken: Set<String> = []
    var counter = emptyCollection
    for (index, object) in objects.enumerated() {
      guard object.members != nil else { throw SeedProblem(index: index, text: "must be an object") }
      guard let value = object[idMember] else { continue }
      guard let id = value.idText else {
        throw SeedProblem(index: index, text: "its \(idMember) must be a text or a whole number")
      }
      guard taken.insert(id).inserted else {
        throw SeedProblem(index: index, text: "the \(idMember) \(id.debugDescription) is there twice")
      }
      counter.notice(id)
      try check(object, at: index)
    }
    return objects.map { object in
      let members = [].overlaid(object.members ?? [])
      if let id = object[idMember]?.idText { return SchemalessObject(id: id, members: members) }
      let id = counter.takeSeedID(taken)
      taken.insert(id)
      return SchemalessObject(id: id, members: [JSONMember(JSONString(idMember), ids.json(id))] + members)
    }
  }

  private func check(_ object: JSONValue, at index: Int) throws(SeedProblem) {
    guard representation == .jsonAPI else { return }
    for member in object.members ?? [] where member.name.text != idMember {
      guard !MemberName.isField(member.name.text) else { continue }
      throw SeedProblem(
        index: index, text: "JSON:API has no attribute that is called \(member.name.text.debugDescription)")
    }
  }
}
