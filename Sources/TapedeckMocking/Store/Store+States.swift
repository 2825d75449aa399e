public import TapedeckHTTP

extension Store {
  /// Everything a store holds, at a moment.
  public struct Snapshot: Sendable {
    let buckets: [ObjectIdentifier: any BucketSnapshot]
    let types: [ObjectIdentifier]
    let ids: IDSource
    let numbers: [ObjectIdentifier: Int]
    let generation: Int
  }

  public func snapshot() -> Snapshot {
    withState { state in
      Snapshot(
        buckets: state.buckets.mapValues(\.snapshot), types: state.types, ids: state.ids,
        numbers: state.numbers, generation: state.generation)
    }
  }

  /// Goes back to a moment, ids included.
  public func restore(_ snapshot: Snapshot) {
    _ = withState { state in
      let left = state.buckets.mapValues(\.snapshot)
      state.take(snapshot)
      return left
    }
  }

  /// Forgets all entities and begins with the ids anew.
  public func reset() {
    _ = withState { state in
      let left = state.buckets.mapValues(\.snapshot)
      state.buckets = [:]
      state.types = []
      state.ids = IDSource(state.ids.strategy)
      state.generation += 1
      state.numbers = [:]
      return left
    }
  }

  /// All entities as JSON: `{"User": [{…}, …], …}`, types in the order in which they came. A type whose name is
  /// another's, too, goes by its whole name. Throws where an entity cannot be written.
  public func dump() throws(SerializationError) -> JSONValue {
    let snapshot = snapshot()
    let buckets = snapshot.types.compactMap { snapshot.buckets[$0] }
    let names = buckets.map(\.typeName)
    var run = SerializationRun()
    run.out.append(UInt8(ascii: "{"))
    for bucket in buckets {
      let isAlone = names.count { $0 == bucket.typeName } == 1
      let name = isAlone ? bucket.typeName : bucket.qualifiedTypeName
      try run.member(SerializationRun.memberName(name), step: name) { run throws(SerializationError) in
        try run.writeArray(bucket.values)
        return true
      }
    }
    run.out.append(UInt8(ascii: "}"))
    do { return try JSONValue(parsing: run.out) } catch {
      throw SerializationError(.tooDeep(limit: JSONValue.defaultMaximumDepth))
    }
  }

  /// Adds the entities of a dump, of these types; all of them or, when one cannot be read or is there already, none.
  /// Throws `DecodingError` or `StoreError`.
  public func load<each T: Storable & Decodable>(_ dump: JSONValue, _ types: repeat (each T).Type) throws {
    let loads = LoadList()
    repeat try loads.add(each types, from: dump)
    try load(loads.loads)
  }

  func load(_ loads: [any EntityLoad]) throws {
    try withState { state in
      var arriving: Set<EntityKey> = []
      for load in loads {
        for key in load.keys where !arriving.insert(key).inserted {
          throw StoreError.duplicateID(type: load.typeName, id: key.id)
        }
      }
      for load in loads { try load.check(&state, arriving) }
      for load in loads { load.insert(&state) }
      for load in loads { load.link(&state) }
    }
  }
}

/// What a dump holds, read and not yet added.
private final class LoadList {
  var loads: [any EntityLoad] = []

  func add<T: Storable & Decodable>(_ type: T.Type, from dump: JSONValue) throws {
    guard let list = dump[String(reflecting: type)] ?? dump[String(describing: type)] else { return }
    loads.append(EntitiesToLoad(try list.decode([T].self)))
  }
}
