public import TapedeckHTTP

extension Store {
  /// Everything a store holds at one moment.
  public struct Snapshot: Sendable {
    let buckets: [ObjectIdentifier: any BucketSnapshot]
    let types: [ObjectIdentifier]
    let ids: IDSource
    let numbers: [ObjectIdentifier: Int]
    let generation: Int
  }

  /// Everything the store holds now.
  public func snapshot() -> Snapshot {
    withState { state in
      Snapshot(
        buckets: state.buckets.mapValues(\.snapshot), types: state.types, ids: state.ids,
        numbers: state.numbers, generation: state.generation)
    }
  }

  /// Goes back to a snapshot, ids included.
  public func restore(_ snapshot: Snapshot) {
    _ = withState { state in
      let left = state.buckets.mapValues(\.snapshot)
      state.take(snapshot)
      return left
    }
  }

  /// Removes all entities and restarts the ids.
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

  /// All entities as JSON: `{"User": [{…}, …], …}`, types in the order of first insertion. Types with equal names have
  /// their qualified names.
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

  /// Adds the entities of these types from a dump; none of them when one cannot be decoded or exists already.
  /// - Throws: `DecodingError` or `StoreError`.
  public func load<each T: Storable & Decodable>(_ dump: JSONValue, _ types: repeat (each T).Type) throws {
    var loads: [any EntityLoad] = []
    repeat try Self.add(each types, from: dump, to: &loads)
    try load(loads)
  }

  private static func add<T: Storable & Decodable>(
    _ type: T.Type, from dump: JSONValue, to loads: inout [any EntityLoad]
  ) throws {
    guard let list = dump[String(reflecting: type)] ?? dump[String(describing: type)] else { return }
    loads.append(EntitiesToLoad(try list.decode([T].self)))
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

// MARK: - Transactions

extension Store {
  /// Runs `body` on a copy of the store and applies its changes together, or none of them when it throws.
  ///
  /// When the store is changed by others meanwhile, `body` runs again on a new copy. The copy is useless afterwards. A
  /// type whose entities change is copied once.
  public func transaction<Result>(_ body: (Store) throws -> Result) rethrows -> Result {
    while true {
      let before = snapshot()
      let copy = Store(before, inflector)
      let result = try body(copy)
      if commit(copy.snapshot(), over: before) { return result }
    }
  }

  /// A store of its own with the same content.
  public func copy() -> Store { Store(snapshot(), inflector) }

  /// - Returns: false, without a change, when the store has changed since `before`.
  private func commit(_ after: Snapshot, over before: Snapshot) -> Bool {
    let (isDone, _) = withState { state -> (Bool, [ObjectIdentifier: any BucketSnapshot]) in
      guard state.isUnchanged(since: before) else { return (false, [:]) }
      let left = state.buckets.mapValues(\.snapshot)
      state.take(after)
      return (true, left)
    }
    return isDone
  }
}

extension Store.State {
  func isUnchanged(since snapshot: Store.Snapshot) -> Bool {
    generation == snapshot.generation && ids.made == snapshot.ids.made && numbers == snapshot.numbers
      && buckets.allSatisfy { key, bucket in
        bucket.snapshot.version == snapshot.buckets[key]?.version ?? 0
      }
  }

  /// Takes over a snapshot.
  mutating func take(_ snapshot: Store.Snapshot) {
    buckets = snapshot.buckets.mapValues(\.bucket)
    types = snapshot.types
    ids = snapshot.ids
    numbers = snapshot.numbers
    generation += 1
  }
}
