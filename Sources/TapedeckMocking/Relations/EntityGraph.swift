/// The entities of a moment, to be walked along their relations.
struct EntityGraph: Sendable {
  let snapshot: Store.Snapshot

  func find(_ key: EntityKey) -> (any Storable)? { snapshot.buckets[key.type]?.entity(key.id) }

  /// What the entities lead to along a tree, each once and none of themselves, in the order in which it is met.
  func related(to entities: [any Storable], along tree: RelationTree) -> [(
    key: EntityKey, entity: any Storable
  )] {
    var found: [(key: EntityKey, entity: any Storable)] = []
    var met = Set(entities.map { EntityKey(of: $0) })
    func follow(_ entity: any Storable, _ tree: RelationTree) {
      for (name, tree) in tree.branches {
        for key in targets(of: entity, name) {
          guard let target = find(key) else { continue }
          if met.insert(key).inserted { found.append((key, target)) }
          follow(target, tree)
        }
      }
    }
    for entity in entities { follow(entity, tree) }
    return found
  }

  private func targets(of entity: any Storable, _ name: String) -> [EntityKey] {
    func opened<T: Storable>(_ entity: T) -> [EntityKey] {
      guard let field = RelationPlans.plan(of: T.self).fields.first(where: { $0.name == name }) else {
        return []
      }
      return withUnsafePointer(to: entity) { UnsafeRawPointer($0).targets(field) }
    }
    return opened(entity)
  }
}

extension EntityKey {
  init(of entity: any Storable) { self.init(ObjectIdentifier(Swift.type(of: entity)), entity.id) }
}

/// What is written in the place of relations, at one point of a serialisation.
struct Embedding: Sendable {
  let graph: EntityGraph
  let tree: RelationTree
  /// The entities around this point.
  let open: [EntityKey]

  /// What holds inside of the target; nil when that is not wanted, or around this point already.
  func step(to target: EntityKey, through name: String) -> Embedding? {
    guard let tree = tree[name], !open.contains(target) else { return nil }
    return Embedding(graph: graph, tree: tree, open: open + [target])
  }
}
