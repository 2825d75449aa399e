/// Entities with their related entities inside: see `Store.embedding`.
public struct Embedded: Serializable, Sendable {
  fileprivate let entities: [any Storable]
  fileprivate let isList: Bool
  fileprivate let snapshot: Store.Snapshot
  fileprivate let tree: RelationTree
}

extension Embedded: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    let outer = run.embedding
    defer { run.embedding = outer }
    guard isList else { return try write(entities[0], &run) }
    return try run.array(entities.count) { index, run throws(SerializationError) in
      try write(entities[index], &run)
    }
  }

  private func write(_ entity: any Storable, _ run: inout SerializationRun) throws(SerializationError) -> Bool
  {
    run.embedding = (snapshot, tree, [EntityKey(of: entity)])
    return try run.writeAny(entity)
  }
}

/// Entities with their related entities beside them: see `Store.sideloading`.
public struct Sideloaded: Serializable, Sendable {
  private var groups: [(type: any Storable.Type, name: String, entities: [any Storable], isList: Bool)]

  fileprivate init(
    _ entities: [any Storable], of type: any Storable.Type, isList: Bool, _ paths: [String], _ store: Store
  ) throws(StoreError) {
    let tree = try RelationTree(paths, of: type)
    let name = Self.name(of: type)
    groups = [(type, isList ? store.inflector.plural(name) : name, entities, isList)]
    for entity in store.snapshot().related(to: entities, along: tree) {
      let type = Swift.type(of: entity)
      if let index = groups.firstIndex(where: { $0.isList && $0.type == type }) {
        groups[index].entities.append(entity)
      } else {
        groups.append((type, store.inflector.plural(Self.name(of: type)), [entity], true))
      }
    }
  }

  /// `BlogPost` becomes `blogPost`.
  private static func name(of type: any Storable.Type) -> String {
    "\(type)".prefix(1).lowercased() + "\(type)".dropFirst()
  }
}

extension Sideloaded: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try run.write(object: groups.map { ($0.name, $0.isList ? $0.entities as Any : $0.entities[0]) })
  }
}

extension Store {
  /// An entity with its current related entities inside:
  /// `try store.embedding(post, "author", "comments.author")`. An entity inside itself is written as its id.
  /// Throws for an unknown relation.
  public func embedding<T: Storable & Serializable>(
    _ entity: T, _ relations: String...
  ) throws(StoreError) -> Embedded {
    try embedding(entity, relations)
  }

  /// The same for an array of relations.
  public func embedding<T: Storable & Serializable>(
    _ entity: T, _ relations: [String]
  ) throws(StoreError) -> Embedded {
    Embedded(
      entities: [entity], isList: false, snapshot: snapshot(), tree: try RelationTree(relations, of: T.self))
  }

  /// A list of entities with their current related entities inside.
  public func embedding<T: Storable & Serializable>(
    _ entities: [T], _ relations: String...
  ) throws(StoreError) -> Embedded {
    try embedding(entities, relations)
  }

  /// The same for an array of relations.
  public func embedding<T: Storable & Serializable>(
    _ entities: [T], _ relations: [String]
  ) throws(StoreError) -> Embedded {
    Embedded(
      entities: entities, isList: true, snapshot: snapshot(), tree: try RelationTree(relations, of: T.self))
  }

  /// An entity, and beside it its related entities, each once, by type:
  /// `{"post": {…}, "users": […], "comments": […]}`. Relations are written as ids. Throws for an unknown
  /// relation.
  public func sideloading<T: Storable & Serializable>(
    _ entity: T, _ relations: String...
  ) throws(StoreError) -> Sideloaded {
    try Sideloaded([entity], of: T.self, isList: false, relations, self)
  }

  /// Entities, and beside them their related entities, each once, by type: `{"posts": […], "users": […]}`.
  /// Related entities of the same type follow the given ones.
  public func sideloading<T: Storable & Serializable>(
    _ entities: [T], _ relations: String...
  ) throws(StoreError) -> Sideloaded {
    try Sideloaded(entities, of: T.self, isList: true, relations, self)
  }
}

extension Store.Snapshot {
  func find(_ key: EntityKey) -> (any Storable)? { buckets[key.type]?.entity(key.id) }

  /// The related entities along a tree, each once and without the given ones, in the order of discovery.
  fileprivate func related(to entities: [any Storable], along tree: RelationTree) -> [any Storable] {
    var found: [any Storable] = []
    var met = Set(entities.map { EntityKey(of: $0) })
    func follow(_ entity: any Storable, _ tree: RelationTree) {
      for (name, tree) in tree.branches {
        for key in targets(of: entity, name) {
          guard let target = find(key) else { continue }
          if met.insert(key).inserted { found.append(target) }
          follow(target, tree)
        }
      }
    }
    for entity in entities { follow(entity, tree) }
    return found
  }

  private func targets<T: Storable>(of entity: T, _ name: String) -> [EntityKey] {
    StoredRelation.all(of: T.self).first { $0.name == name }?.keys(of: entity) ?? []
  }
}

/// Paths of relations as a tree: `author`, `comments.author`.
package struct RelationTree: Sendable {
  package private(set) var branches: [(name: String, tree: RelationTree)] = []

  package subscript(name: String) -> RelationTree? { branches.first { $0.name == name }?.tree }

  /// - Parameter paths: names of relations, separated by dots.
  package init(_ paths: [String]) {
    for path in paths { add(path.split(separator: ".")[...]) }
  }

  /// Throws for a name that is no relation of its type.
  fileprivate init(_ paths: [String], of type: any Storable.Type) throws(StoreError) {
    self.init(paths)
    try check([type])
  }

  private mutating func add(_ path: ArraySlice<Substring>) {
    guard let first = path.first.map(String.init) else { return }
    let index = branches.firstIndex { $0.name == first } ?? branches.count
    if index == branches.count { branches.append((first, RelationTree([]))) }
    branches[index].tree.add(path.dropFirst())
  }

  private func check(_ types: [any Storable.Type]) throws(StoreError) {
    let fields = types.flatMap { RelationPlan.of($0).fields }
    for (name, tree) in branches {
      let named = fields.filter { $0.name == name }
      if named.isEmpty { throw .badRelation(type: types.listed, id: "", relation: name, .noRelation) }
      try tree.check(named.flatMap(\.targets))
    }
  }
}
