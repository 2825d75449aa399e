/// Entities with those beside them that their relations lead to: see `Store.sideloading`.
public struct Sideloaded: Serializable, Sendable {
  private enum Group: Sendable {
    case one(any Storable)
    case many([any Storable])
  }

  private let groups: [(name: String, group: Group)]

  fileprivate init(
    one: (any Storable)? = nil, many: [any Storable] = [], named type: any Storable.Type,
    _ tree: RelationTree,
    _ graph: EntityGraph, _ inflector: Inflector
  ) {
    func plural(_ type: any Storable.Type) -> String { inflector.plural(EntityNames.singular(of: type)) }
    var lists: [(type: ObjectIdentifier, name: String, entities: [any Storable])] = []
    if one == nil { lists.append((ObjectIdentifier(type), plural(type), many)) }
    for (key, entity) in graph.related(to: one.map { [$0] } ?? many, along: tree) {
      if let index = lists.firstIndex(where: { $0.type == key.type }) {
        lists[index].entities.append(entity)
      } else {
        lists.append((key.type, plural(Swift.type(of: entity)), [entity]))
      }
    }
    let root = one.map { [(EntityNames.singular(of: type), Group.one($0))] } ?? []
    groups = root + lists.map { ($0.name, .many($0.entities)) }
  }
}

extension Sideloaded: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try run.nested { run throws(SerializationError) in
      run.out.append(UInt8(ascii: "{"))
      for (name, group) in groups {
        let written = SerializationRun.memberName(run.keys?.transform(name) ?? name)
        try run.member(written, step: name) { run throws(SerializationError) in
          switch group {
          case .one(let entity): return try run.writeAny(entity)
          case .many(let entities):
            try run.writeArray(entities)
            return true
          }
        }
      }
      run.out.append(UInt8(ascii: "}"))
    }
    return true
  }
}

extension Store {
  /// An entity under the name of its type, and beside it what these relations lead to, each once, by type:
  /// `{"post": {…}, "users": […], "comments": […]}`. Relations are ids. Throws for a relation that there is not.
  public func sideloading<T: Storable & Serializable>(_ entity: T, _ relations: String...) throws(StoreError)
    -> Sideloaded
  {
    Sideloaded(
      one: entity, named: T.self, try Self.tree(of: T.self, relations), EntityGraph(snapshot: snapshot()),
      inflector)
  }

  /// Entities under the name of their type, and beside them what these relations lead to, each once, by type:
  /// `{"posts": […], "users": […]}`. What is of the entities' own type comes behind them.
  public func sideloading<T: Storable & Serializable>(_ entities: [T], _ relations: String...)
    throws(StoreError)
    -> Sideloaded
  {
    Sideloaded(
      many: entities, named: T.self, try Self.tree(of: T.self, relations), EntityGraph(snapshot: snapshot()),
      inflector)
  }
}

/// What entities are called in documents that hold several types.
enum EntityNames {
  /// `BlogPost` is `blogPost`.
  static func singular(of type: any Storable.Type) -> String {
    let name = "\(type)"
    return name.prefix(1).lowercased() + name.dropFirst()
  }
}
