/// Entities with their related ones beside them: see `Store.sideloading`.
public struct Sideloaded: Serializable, Sendable {
  private var groups: [(type: any Storable.Type, name: String, entities: [any Storable], isList: Bool)]

  fileprivate init(
    _ entities: [any Storable], of type: any Storable.Type, isList: Bool, _ paths: [String], _ store: Store
  ) throws(StoreError) {
    let tree = try RelationTree(paths, of: type)
    let name = Self.name(of: type)
    groups = [(type, isList ? store.inflector.plural(name) : name, entities, isList)]
    for entity in store.snapshot().related(to: entities, along: tree) { add(entity, store.inflector) }
  }

  private mutating func add(_ entity: any Storable, _ inflector: Inflector) {
    let type = Swift.type(of: entity)
    if let index = groups.firstIndex(where: { $0.isList && $0.type == type }) {
      groups[index].entities.append(entity)
    } else {
      groups.append((type, inflector.plural(Self.name(of: type)), [entity], true))
    }
  }

  /// `BlogPost` is `blogPost`.
  private static func name(of type: any Storable.Type) -> String {
    "\(type)".prefix(1).lowercased() + "\(type)".dropFirst()
  }
}

extension Sideloaded: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try run.nested { run throws(SerializationError) in
      run.out.append(UInt8(ascii: "{"))
      for group in groups {
        let name = SerializationRun.memberName(run.keys?.transform(group.name) ?? group.name)
        try run.member(name, step: group.name) { run throws(SerializationError) in
          guard group.isList else { return try run.writeAny(group.entities[0]) }
          try run.writeArray(group.entities)
          return true
        }
      }
      run.out.append(UInt8(ascii: "}"))
    }
    return true
  }
}

extension Store {
  /// An entity under the name of its type, and beside it what these relations lead to, each once, by type:
  /// `{"post": {…}, "users": […], "comments": […]}`. Relations are ids. Throws for an unknown relation.
  public func sideloading<T: Storable & Serializable>(_ entity: T, _ relations: String...) throws(StoreError)
    -> Sideloaded
  {
    try Sideloaded([entity], of: T.self, isList: false, relations, self)
  }

  /// Entities under the name of their type, and beside them what these relations lead to, each once, by type:
  /// `{"posts": […], "users": […]}`. Related entities of the same type follow the given ones.
  public func sideloading<T: Storable & Serializable>(_ entities: [T], _ relations: String...)
    throws(StoreError)
    -> Sideloaded
  {
    try Sideloaded(entities, of: T.self, isList: true, relations, self)
  }
}

extension Store.Snapshot {
  func find(_ key: EntityKey) -> (any Storable)? { buckets[key.type]?.entity(key.id) }

  /// What the entities lead to along a tree, each once and none of themselves, in the order in which it is met.
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
    let relation = StoredRelation.all(of: T.self).first { $0.name == name }
    return relation?.keys(of: entity) ?? []
  }
}
