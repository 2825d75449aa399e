/// Entities with their related ones inside: see `Store.embedding`.
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
    try run.nested { run throws(SerializationError) in
      run.out.append(UInt8(ascii: "["))
      for (index, entity) in entities.enumerated() {
        try run.element(index) { run throws(SerializationError) in try write(entity, &run) }
      }
      run.out.append(UInt8(ascii: "]"))
    }
    return true
  }

  private func write(_ entity: any Storable, _ run: inout SerializationRun) throws(SerializationError) -> Bool
  {
    run.embedding = Embedding(snapshot: snapshot, tree: tree, open: [EntityKey(of: entity)])
    return try run.writeAny(entity)
  }
}

/// What is written in the place of relations, at one point of a serialization.
struct Embedding: Sendable {
  let snapshot: Store.Snapshot
  let tree: RelationTree
  /// The entities around this point.
  let open: [EntityKey]

  /// What holds inside the target; nil when the target is not wanted, or is around this point already.
  func step(to target: EntityKey, through name: String) -> Embedding? {
    guard let tree = tree[name], !open.contains(target) else { return nil }
    return Embedding(snapshot: snapshot, tree: tree, open: open + [target])
  }
}

extension Store {
  /// An entity with its related ones inside, as they are now: `try store.embedding(post, "author", "comments.author")`.
  /// Inside itself an entity is its id. Throws for an unknown relation.
  public func embedding<T: Storable & Serializable>(_ entity: T, _ relations: String...) throws(StoreError)
    -> Embedded
  {
    try embedding(entity, relations)
  }

  /// The same for a list of relations.
  public func embedding<T: Storable & Serializable>(_ entity: T, _ relations: [String]) throws(StoreError)
    -> Embedded
  {
    Embedded(
      entities: [entity], isList: false, snapshot: snapshot(), tree: try RelationTree(relations, of: T.self))
  }

  /// A list of entities with their related ones inside, as they are now.
  public func embedding<T: Storable & Serializable>(_ entities: [T], _ relations: String...)
    throws(StoreError)
    -> Embedded
  {
    try embedding(entities, relations)
  }

  /// The same for a list of relations.
  public func embedding<T: Storable & Serializable>(_ entities: [T], _ relations: [String]) throws(StoreError)
    -> Embedded
  {
    Embedded(
      entities: entities, isList: true, snapshot: snapshot(), tree: try RelationTree(relations, of: T.self))
  }
}
