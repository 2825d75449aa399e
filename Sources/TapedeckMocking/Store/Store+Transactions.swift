extension Store {
  /// All or nothing: `body` changes a copy, whose changes are all here once it has ended, and none when it throws.
  ///
  /// Nobody sees anything in between. When the store is changed by somebody else meanwhile, `body` runs again on what
  /// it is then. The store that it is given is of no use afterwards. A type whose entities change is copied once.
  public func transaction<Result>(_ body: (Store) throws -> Result) rethrows -> Result {
    while true {
      let before = snapshot()
      let copy = Store(before, inflector)
      let result = try body(copy)
      if commit(copy.snapshot(), over: before) { return result }
    }
  }

  /// What the store holds now, in a store of its own.
  public func copy() -> Store { Store(snapshot(), inflector) }

  /// False, and no change, when the store is no longer what it was before.
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

  /// Becomes what a snapshot says.
  mutating func take(_ snapshot: Store.Snapshot) {
    buckets = snapshot.buckets.mapValues(\.bucket)
    types = snapshot.types
    ids = snapshot.ids
    numbers = snapshot.numbers
    generation += 1
  }
}
