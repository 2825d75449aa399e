package import TapedeckHTTP
package import TapedeckMocking

/// A schemaless resource, as it is declared.
package struct ResourceDeclaration: Sendable, Equatable {
  package enum Representation: String, CaseIterable, Sendable {
    case rest
    case snakeCase = "snake_case"
    case hal
    case jsonAPI = "json:api"
  }

  package let id: String
  /// The path of the collection. A parameter in it is a member that all objects behind the path share; where the objects
  /// are elements of another object's list, it is the id of that object.
  package let path: String
  /// The hosts that it is served at; every host if there are none.
  package var hosts: [HostPattern] = []
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
  /// The members of new objects that bring none of these names.
  package var defaults: [JSONMember] = []
  package var required: [String] = []
  /// Members that are never shown.
  package var hidden: Set<String> = []
  /// The resource whose objects hold these, if they have no collection of their own.
  package var within: String?
  /// The member of such an object that is the list of these.
  package var listMember = ""
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
  /// A request with one of these query items is left to other overrides.
  package var passes: Set<String> = []

  package init(id: String, path: String, name: String) {
    self.id = id
    self.path = path
    self.name = name
    style.acceptsEmptyBody = true
  }
}

/// Why a resource cannot hold an object.
package struct SeedProblem: Error, Equatable, Sendable {
  /// The object's place in the list.
  package var index: Int
  package var text: String
}

/// The resources that are declared together, found by id or else by name.
package struct ResourceCatalog: Sendable {
  package let declarations: [ResourceDeclaration]

  package init(_ declarations: [ResourceDeclaration]) { self.declarations = declarations }

  private func declaration(_ name: String) -> ResourceDeclaration? {
    declarations.first { $0.id == name } ?? declarations.first { $0.name == name }
  }

  func resource(_ name: String) -> SchemalessResource? {
    declaration(name).map { SchemalessResource(declaration: $0, catalog: self) }
  }

  /// The resource whose collection holds the objects of a declaration. Nil where no such resource is declared, or where
  /// each lies within the other.
  package func home(of declaration: ResourceDeclaration) -> ResourceDeclaration? {
    var home = declaration
    for _ in 0...declarations.count {
      guard let within = home.within else { return home }
      guard let next = self.declaration(within) else { return nil }
      home = next
    }
    return nil
  }

  /// All objects of a resource, hidden members included.
  package func objects(of id: String, in store: Store) -> [JSONValue]? {
    resource(id)?.objects(in: store).map { .object($0.members) }
  }
}

extension Store {
  /// Replaces the objects of a resource by these, or by its first ones.
  package func fill(
    _ declaration: ResourceDeclaration, with objects: [JSONValue]? = nil
  ) throws(SeedProblem) {
    upsert(try declaration.collection(objects))
  }

  package func empty(_ declaration: ResourceDeclaration) {
    try? delete(SchemalessCollection.self, id: declaration.id)
  }
}

extension ResourceDeclaration {
  /// The values that the envelope of a list may have.
  package static let listPlaces = EnvelopeSerializer.listNames

  package func checkSeeds() throws(SeedProblem) { _ = try checked(seeds) }

  /// The names of a path's parameters, in order.
  package static func parameters(of path: String) -> [String] { (try? PathPattern(path))?.parameters ?? [] }

  /// The collection with these objects; by default the first ones.
  func collection(_ objects: [JSONValue]? = nil) throws(SeedProblem) -> SchemalessCollection {
    var collection = emptyCollection
    collection.append(try checked(objects ?? seeds))
    return collection
  }

  private var emptyCollection: SchemalessCollection {
    SchemalessCollection(
      id: id, ids: ids.strategy(seed: randomSeed), nextIDs: nextIDs, beginsWithNewest: beginsWithNewest)
  }

  private func checked(_ objects: [JSONValue]) throws(SeedProblem) -> [SchemalessObject] {
    var taken: Set<String> = []
    var counter = emptyCollection
    for (index, object) in objects.enumerated() {
      guard let members = object.members else { throw SeedProblem(index: index, text: "must be an object") }
      guard let value = object[idMember] else { continue }
      guard let id = value.idText else {
        throw SeedProblem(index: index, text: "its \(idMember) must be a text or a whole number")
      }
      guard taken.insert(id).inserted else {
        throw SeedProblem(index: index, text: "the \(idMember) \(id.debugDescription) is there twice")
      }
      counter.notice(id)
      for name in members.map(\.name.text)
      where representation == .jsonAPI && name != idMember && !MemberName.isField(name) {
        throw SeedProblem(
          index: index, text: "JSON:API has no attribute that is called \(name.debugDescription)")
      }
    }
    return objects.map { object in
      let members = [].overlaid(object.members ?? [])
      if let id = object[idMember]?.idText { return SchemalessObject(id: id, members: members) }
      let id = counter.takeSeedID(taken)
      taken.insert(id)
      return SchemalessObject(id: id, members: [JSONMember(JSONString(idMember), ids.json(id))] + members)
    }
  }
}

extension PathPattern {
  /// The names of the parameters, in order.
  package var parameters: [String] {
    segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
  }
}

/// The kind of a resource's ids.
package enum IDKind: String, CaseIterable, Sendable {
  /// Counted, and written as JSON numbers.
  case number
  /// Counted, and written as texts.
  case text
  case uuid

  /// The kind of given ids.
  package init(of ids: [JSONValue]) {
    let texts = ids.compactMap(\.text)
    if texts.isEmpty {
      self = .number
    } else {
      self = texts.count == ids.count && texts.allSatisfy(Self.isUUID) ? .uuid : .text
    }
  }

  private static func isUUID(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.map(\.count) == [8, 4, 4, 4, 12]
      && parts.joined().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }

  /// The form of an id in JSON.
  func json(_ id: String) -> JSONValue {
    guard self == .number, let number = Int(id), String(number) == id else { return JSONValue(id) }
    return JSONValue(number)
  }

  func strategy(seed: UInt64) -> IDStrategy { self == .uuid ? .uuid(seed: seed) : .counter(from: 1) }
}

extension JSONValue {
  /// The id that this value stands for: a text that is not empty, or a whole number.
  package var idText: String? {
    switch self {
    case .string(let string): string.text.isEmpty ? nil : string.text
    case .number(let number): number.int.map { String($0) }
    default: nil
    }
  }
}
