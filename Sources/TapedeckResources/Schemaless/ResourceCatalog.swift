package import TapedeckHTTP
package import TapedeckMocking

/// The resources that are declared together, found by id or else by name.
package final class ResourceCatalog: Sendable {
  package let declarations: [ResourceDeclaration]

  private let byID: [String: Int]
  private let byName: [String: Int]
  private let jsonAPINames: [String: Int]

  package init(_ declarations: [ResourceDeclaration]) {
    self.declarations = declarations
    byID = Self.first(declarations.map(\.id))
    byName = Self.first(declarations.map(\.name))
    jsonAPINames = declarations.lazy.filter { $0.representation == .jsonAPI }.reduce(into: [:]) {
      $0[$1.name, default: 0] += 1
    }
  }

  private static func first(_ names: [String]) -> [String: Int] {
    Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
  }

  func declaration(_ name: String) -> ResourceDeclaration? {
    (byID[name] ?? byName[name]).map { declarations[$0] }
  }

  /// How many resources have a JSON:API type's name.
  package func countOfJSONAPI(named name: String) -> Int { jsonAPINames[name] ?? 0 }

  func resource(_ name: String) -> SchemalessResource? {
    declaration(name).map { SchemalessResource($0, self) }
  }

  /// The resource whose collection holds the objects of a declaration. Nil where no such resource is declared, or where
  /// each lies within the other.
  package func home(of declaration: ResourceDeclaration) -> ResourceDeclaration? {
    var home = declaration
    for _ in 0...declarations.count {
      guard let place = home.within else { return home }
      guard let next = self.declaration(place.resource) else { return nil }
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
  /// Puts the objects that a resource begins with, or these, in the place of those that it holds.
  package func fill(
    _ declaration: ResourceDeclaration, with objects: [JSONValue]? = nil
  ) throws(SeedProblem) {
    upsert(try declaration.collection(objects))
  }

  package func empty(_ declaration: ResourceDeclaration) {
    try? delete(SchemalessCollection.self, id: declaration.id)
  }
}
