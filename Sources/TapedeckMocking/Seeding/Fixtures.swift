public import TapedeckHTTP

/// Entities that are written down, ids included, in named groups.
///
/// ```swift
/// var fixtures = Fixtures()
/// try fixtures.add("users", User.self, json: [["id": "1", "name": "Ada"]])
/// fixtures.add("tags", [Tag(id: "swift")])
/// try fixtures.load(into: store)            // all
/// try fixtures.load("users", into: store)   // some
/// ```
public struct Fixtures: Sendable {
  private var groups: [(name: String, load: any EntityLoad)] = []

  public init() {}

  public var names: [String] { groups.map(\.name) }

  /// Adds entities to the group of this name.
  public mutating func add<T: Storable>(_ name: String, _ entities: [T]) {
    groups.append((name, EntitiesToLoad(entities)))
  }

  /// Adds entities as JSON has them: an array of objects. Throws `DecodingError`.
  public mutating func add<T: Storable & Decodable>(_ name: String, _ type: T.Type, json: JSONValue) throws {
    add(name, try json.decode([T].self))
  }

  /// Puts groups into a store, all of them when none is named; counters go on behind their ids. Nothing is added when
  /// an id is taken, or a relation leads to something that is neither there nor among them.
  public func load(_ names: String..., into store: Store) throws {
    for name in names where !groups.contains(where: { $0.name == name }) {
      throw SeedingError.unknownFixtures(name, known: self.names.uniqued())
    }
    try store.load(groups.filter { names.isEmpty || names.contains($0.name) }.map(\.load))
  }
}
