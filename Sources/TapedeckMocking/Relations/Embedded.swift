/// Entities with those in them that their relations lead to: see `Store.embedding`.
public struct Embedded: Serializable, Sendable {
  private enum Root: Sendable {
    case one(any Storable)
    case many([any Storable])
  }

  private let root: Root
  private let graph: EntityGraph
  private let tree: RelationTree

  fileprivate init(_ entity: any Storable, _ graph: EntityGraph, _ tree: RelationTree) {
    (root, self.graph, self.tree) = (.one(entity), graph, tree)
  }

  fileprivate init(_ entities: [any Storable], _ graph: EntityGraph, _ tree: RelationTree) {
    (root, self.graph, self.tree) = (.many(entities), graph, tree)
  }
}

extension Embedded: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    let outer = run.embedding
    defer { run.embedding = outer }
    switch root {
    case .one(let entity): return try write(entity, &run)
    case .many(let entities):
      try run.nested { run throws(SerializationError) in
        run.out.append(UInt8(ascii: "["))
        for (index, entity) in entities.enumerated() {
          try run.element(index) { run throws(SerializationError) in try write(entity, &run) }
        }
        run.out.append(UInt8(ascii: "]"))
      }
      return true
    }
  }

  private func write(_ entity: any Storable, _ run: inout SerializationRun) throws(SerializationError) -> Bool
  {
    run.embedding = Embedding(graph: graph, tree: tree, open: [EntityKey(of: entity)])
    return try run.writeAny(entity)
  }
}

extension Store {
  /// An entity with those in it that these relations lead to now: `try store.embedding(post, "author",
  /// "comments.author")`. One that is inside itself is its id there. Throws for a relation that there is not.
  public func embedding<T: Storable & Serializable>(_ entity: T, _ relations: String...) throws(StoreError)
    -> Embedded
  {
    try embedding(entity, relations)
  }

  public func embedding<T: Storable & Serializable>(_ entity: T, _ relations: [String]) throws(StoreError)
    -> Embedded
  {
    Embedded(entity, EntityGraph(snapshot: snapshot()), try Self.tree(of: T.self, relations))
  }

  /// Entities with those in them that these relations lead to now.
  public func embedding<T: Storable & Serializable>(_ entities: [T], _ relations: String...)
    throws(StoreError)
    -> Embedded
  {
    try embedding(entities, relations)
  }

  public func embedding<T: Storable & Serializable>(_ entities: [T], _ relations: [String]) throws(StoreError)
    -> Embedded
  {
    Embedded(entities, EntityGraph(snapshot: snapshot()), try Self.tree(of: T.self, relations))
  }

  static func tree(of type: any Storable.Type, _ paths: [String]) throws(StoreError) -> RelationTree {
    let tree = RelationTree(paths)
    try tree.check([type])
    return tree
  }
}
