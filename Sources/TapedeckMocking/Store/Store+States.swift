public import TapedeckHTTP

extension Store {
  /// The whole content of a store at one moment.
  public struct Snapshot: Sendable {
    let buckets: [ObjectIdentifier: any BucketSnapshot]
    let types: [ObjectIdentifier]
    let ids: IDSource
    let numbers: [ObjectIdentifier: Int]
    let generation: Int
  }

  /// The whole current content of the store.
  public func snapshot() -> Snapshot {
    withState { state in
      Snapshot(
        buckets: state.buckets.mapValues(\.snapshot), types: state.types, ids: state.ids,
        numbers: state.numbers, generation: state.generation)
    }
  }

  /// Restores a snapshot, including the id counters.
  public func restore(_ snapshot: Snapshot) {
    _ = withState { $0.take(snapshot) }
  }

  /// Removes all entities and restarts the ids.
  public func reset() {
    _ = withState { state in
      state.take(
        Snapshot(
          buckets: [:], types: [], ids: IDSource(state.ids.strategy), numbers: [:], generation: 0))
    }
  }

  /// All entities as JSON: `{"User": [{…}, …], …}`, in the order of first insertion. Types that share a
  /// name use their qualified names.
  public func dump() throws(SerializationError) -> JSONValue {
    let snapshot = snapshot()
    let buckets = snapshot.types.compactMap { snapshot.buckets[$0] }
    let names = buckets.map { "\($0.type)" }
    var run = SerializationRun()
    _ = try run.write(
      object: zip(buckets, names).map { bucket, name in
        (names.count { $0 == name } == 1 ? name : String(reflecting: bucket.type), bucket.values)
      })
    do { return try JSONValue(parsing: run.out) } catch {
      throw SerializationError(.tooDeep(limit: JSONValue.defaultMaximumDepth))
    }
  }

  /// Adds the entities of these types from a dump; none if one cannot be decoded or already exists.
  /// - Throws: `DecodingError` or `StoreError`.
  public func load<each T: Storable & Decodable>(_ dump: JSONValue, _ types: repeat (each T).Type) throws {
    var loads: [EntityLoad] = []
    repeat try Self.add(each types, from: dump, to: &loads)
    try load(loads)
  }

  private static func add<T: Storable & Decodable>(
    _ type: T.Type, from dump: JSONValue, to loads: inout [EntityLoad]
  ) throws {
    guard let list = dump[String(reflecting: type)] ?? dump[String(describing: type)] else { return }
    loads.append(EntityLoad(try list.decode([T].self)))
  }

  func load(_ loads: [EntityLoad]) throws {
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
  /// Runs `body` on a copy of the store and applies its changes together, or none if it throws. If the store
  /// changes in the meantime, `body` runs again on a new copy.
  public func transaction<Result>(_ body: (Store) throws -> Result) rethrows -> Result {
    while true {
      let before = snapshot()
      let copy = Store(before, inflector)
      let result = try body(copy)
      if commit(copy.snapshot(), over: before) { return result }
    }
  }

  /// An independent store with the same content.
  public func copy() -> Store { Store(snapshot(), inflector) }

  /// - Returns: false, without a change, if the store has changed since `before`.
  private func commit(_ after: Snapshot, over before: Snapshot) -> Bool {
    let left = withState { state in state.isUnchanged(since: before) ? state.take(after) : nil }
    return left != nil
  }
}

extension Store.State {
  func isUnchanged(since snapshot: Store.Snapshot) -> Bool {
    generation == snapshot.generation && ids.made == snapshot.ids.made && numbers == snapshot.numbers
      && buckets.allSatisfy { key, bucket in
        bucket.snapshot.version == snapshot.buckets[key]?.version ?? 0
      }
  }

  /// Replaces the content by a snapshot.
  /// - Returns: the previous content, to be released while no lock is held.
  @discardableResult
  mutating func take(_ snapshot: Store.Snapshot) -> [ObjectIdentifier: any BucketSnapshot] {
    let left = buckets.mapValues(\.snapshot)
    buckets = snapshot.buckets.mapValues(\.bucket)
    types = snapshot.types
    ids = snapshot.ids
    numbers = snapshot.numbers
    generation += 1
    return left
  }
}
