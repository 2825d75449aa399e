public import TapedeckHTTP

/// Fixed entities, including their ids, in named groups.
///
/// ```swift
/// var fixtures = Fixtures()
/// try fixtures.add("users", User.self, json: [["id": "1", "name": "Ada"]])
/// fixtures.add("tags", [Tag(id: "swift")])
/// try fixtures.load(into: store)            // all
/// try fixtures.load("users", into: store)   // some
/// ```
public struct Fixtures: Sendable {
  private var groups: [(name: String, load: EntityLoad)] = []

  /// Creates fixtures without groups.
  public init() {}

  /// The names of the groups, in order.
  public var names: [String] { groups.map(\.name) }

  /// Adds entities to a group.
  public mutating func add<T: Storable>(_ name: String, _ entities: [T]) {
    groups.append((name, EntityLoad(entities)))
  }

  /// Adds entities from a JSON array of objects to a group.
  /// - Throws: `DecodingError`.
  public mutating func add<T: Storable & Decodable>(_ name: String, _ type: T.Type, json: JSONValue) throws {
    add(name, try json.decode([T].self))
  }

  /// Inserts the entities of groups, or of all groups, into a store; id counters continue after theirs.
  /// - Throws: `SeedingError` or `StoreError`; nothing is inserted then.
  public func load(_ names: String..., into store: Store) throws {
    for name in names where !groups.contains(where: { $0.name == name }) {
      throw SeedingError.unknownFixtures(name, known: self.names.uniqued())
    }
    try store.load(groups.filter { names.isEmpty || names.contains($0.name) }.map(\.load))
  }
}
