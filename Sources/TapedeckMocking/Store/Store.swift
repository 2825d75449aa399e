internal import Synchronization

/// Entities in memory, by type and id, in the order they came.
///
/// ```swift
/// let store = Store()
/// store.create(User.self, number: 20)
/// let user = store.find(User.self, id: "3")
/// ```
///
/// Safe to use from any thread, also from inside the closures and initialisers that it calls: no lock is held while
/// they run. They see the store as it is at that moment; an entity that is being made is not in it yet. What is read is a
/// copy: changing it changes nothing here until `update`.
public final class Store: Sendable {
  private let state: Mutex<State>

  struct State: ~Copyable {
    var buckets: [ObjectIdentifier: AnyBucket] = [:]
    /// The types in the order in which they first came.
    var types: [ObjectIdentifier] = []
    var ids: IDSource
    /// Counts how often all of it was replaced.
    var generation = 0

    init(ids: IDSource) { self.ids = ids }

    /// The bucket of a type. The key is the type itself, so the cast cannot miss.
    mutating func bucket<T>(_ type: T.Type) -> Bucket<T> {
      let key = ObjectIdentifier(type)
      if let bucket = buckets[key] { return unsafeDowncast(bucket, to: Bucket<T>.self) }
      let bucket = Bucket<T>()
      buckets[key] = bucket
      types.append(key)
      return bucket
    }
  }

  /// - Parameter ids: how the ids of new entities are made.
  public init(ids: IDStrategy = .shared) { state = Mutex(State(ids: IDSource(ids))) }

  init(_ snapshot: Snapshot) {
    var state = State(ids: snapshot.ids)
    state.take(snapshot)
    self.state = Mutex(state)
  }

  private func change<T: Storable, Result: Sendable>(
    _ type: T.Type, _ body: (inout Entities<T>) -> Result
  ) -> Result {
    state.withLock { body(&$0.bucket(type).entities) }
  }

  // MARK: Making

  /// Makes entities with consecutive ids; in the order of these.
  @discardableResult
  public func create<T: Storable>(_ type: T.Type, number: Int = 1) -> [T] {
    precondition(number >= 0, "create(\(type), number: \(number)): that is no number of entities")
    let ids = reserve(number, type)
    let entities = ids.map { T(id: $0, store: self) }
    for (entity, id) in zip(entities, ids) { Self.check(entity, id) }
    change(type) { bucket in
      for (entity, id) in zip(entities, ids) { bucket.append(entity, id: id) }
    }
    return entities
  }

  /// Keeps what `make` returns, given the id that it shall have. Stops the program when it has another; when `make`
  /// throws, nothing is kept.
  @discardableResult
  public func insert<T: Storable>(_ make: (String) throws -> T) rethrows -> T {
    let id = reserve(1, T.self)[0]
    do {
      let entity = try make(id)
      Self.check(entity, id)
      change(T.self) { $0.append(entity, id: id) }
      return entity
    } catch {
      change(T.self) { $0.release(id) }
      throw error
    }
  }

  /// Keeps an entity with an id of its own choice; counters go on behind a number.
  @discardableResult
  public func insert<T: Storable>(_ entity: T) throws(StoreError) -> T {
    let id = entity.id
    let isNew = state.withLock { state in
      let bucket = state.bucket(T.self)
      guard !bucket.entities.has(id) else { return false }
      state.ids.notice(id, of: ObjectIdentifier(T.self))
      bucket.entities.append(entity, id: id)
      return true
    }
    guard isNew else { throw .duplicateID(type: String(describing: T.self), id: id) }
    return entity
  }

  private static func check<T: Storable>(_ entity: T, _ id: String) {
    precondition(
      entity.id == id,
      "a \(T.self) was to have the id \(id.debugDescription) and has \(entity.id.debugDescription)")
  }

  /// Ids that nobody else will get, at one go.
  private func reserve<T: Storable>(_ count: Int, _ type: T.Type) -> [String] {
    var ids: [String] = []
    while ids.count < count {
      let wanted = count - ids.count
      let (taken, asked) = state.withLock { state in
        var taken: [String] = []
        while taken.count < wanted {
          guard let id = state.ids.take(for: ObjectIdentifier(type)) else { return (taken, state.ids.made) }
          let bucket = state.bucket(type)
          guard !bucket.entities.has(id) else { continue }
          bucket.entities.reserve(id)
          taken.append(id)
        }
        return (taken, 0)
      }
      ids += taken
      if asked > 0, case .custom(let make) = strategy.kind {
        let id = make(type, asked - 1)
        if reserve(id, type) { ids.append(id) }
      }
    }
    return ids
  }

  private var strategy: IDStrategy { state.withLock { $0.ids.strategy } }

  private func reserve<T: Storable>(_ id: String, _ type: T.Type) -> Bool {
    change(type) { bucket in
      guard !bucket.has(id) else { return false }
      bucket.reserve(id)
      return true
    }
  }

  // MARK: Reading

  public func find<T: Storable>(_ type: T.Type, id: String) -> T? { change(type) { $0.find(id) } }

  /// All entities of a type, in the order they came.
  public func findAll<T: Storable>(_ type: T.Type) -> [T] {
    let (all, _, _) = versionedAll(type)
    return all
  }

  /// The second list is what deleted entities left behind, to be let go of where no lock is held.
  private func versionedAll<T: Storable>(_ type: T.Type) -> (all: [T], version: Int, garbage: [T]) {
    change(type) { bucket in
      let garbage = bucket.close()
      return (bucket.list, bucket.version, garbage)
    }
  }

  /// The entities for which `isIncluded` holds, of those there are when this is called.
  public func filter<T: Storable>(_ type: T.Type, isIncluded: (T) throws -> Bool) rethrows -> [T] {
    try findAll(type).filter(isIncluded)
  }

  public func count<T: Storable>(_ type: T.Type) -> Int { change(type) { $0.count } }

  // MARK: Changing

  /// Puts an entity in the place of the one with its id.
  public func update<T: Storable>(_ entity: T) throws(StoreError) {
    let id = entity.id
    guard change(T.self, { $0.replace(entity, id: id) }) != nil else {
      throw .invalidEntity(type: String(describing: T.self), id: id)
    }
  }

  /// Changes the entity with this id. When it is changed by somebody else meanwhile, `body` runs again on what it is
  /// then.
  @discardableResult
  public func update<T: Storable>(_ type: T.Type, id: String, _ body: (inout T) throws -> Void) throws -> T {
    while true {
      let (found, version) = change(type) { ($0.find(id), $0.version) }
      guard var entity = found else { throw StoreError.invalidEntity(type: String(describing: type), id: id) }
      try body(&entity)
      Self.check(entity, id)
      let changed = entity
      let old = change(type) { $0.version == version ? $0.replace(changed, id: id) : nil }
      if old != nil { return entity }
    }
  }

  /// Keeps an entity, in the place of the one with its id when there is one.
  public func upsert<T: Storable>(_ entity: T) {
    let id = entity.id
    _ = state.withLock { state -> T? in
      let bucket = state.bucket(T.self)
      if let old = bucket.entities.replace(entity, id: id) { return old }
      state.ids.notice(id, of: ObjectIdentifier(T.self))
      bucket.entities.append(entity, id: id)
      return nil
    }
  }

  /// Removes the entity of this one's type and id, whatever its other properties.
  public func delete<T: Storable>(_ entity: T) throws(StoreError) { try delete(T.self, id: entity.id) }

  public func delete<T: Storable>(_ type: T.Type, id: String) throws(StoreError) {
    // All that leaves is let go of here, where no lock is held.
    guard change(type, { $0.remove(id) }) != nil else {
      throw .invalidEntity(type: String(describing: type), id: id)
    }
  }

  /// Removes the entities for which `isRemoved` holds; these.
  @discardableResult
  public func delete<T: Storable>(_ type: T.Type, where isRemoved: (T) throws -> Bool) rethrows -> [T] {
    let removed = try filter(type, isIncluded: isRemoved)
    return removed.filter { (try? delete(type, id: $0.id)) != nil }
  }

  // MARK: For queries

  /// All entities, and the state they are of.
  func versioned<T: Storable>(_ type: T.Type) -> (all: [T], version: Int) {
    let (all, version, _) = versionedAll(type)
    return (all, version)
  }

  /// `insert`, unless the entities of this type have changed since; then nil.
  func insert<T: Storable>(ifStillAt version: Int, _ make: (String) throws -> T) rethrows -> T? {
    let id = reserve(1, T.self)[0]
    do {
      let entity = try make(id)
      Self.check(entity, id)
      return change(T.self) { bucket in
        guard bucket.version == version else {
          bucket.release(id)
          return nil
        }
        bucket.append(entity, id: id)
        return entity
      }
    } catch {
      change(T.self) { $0.release(id) }
      throw error
    }
  }

  // MARK: Whole states

  /// Runs `body` on everything at once.
  func withState<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
    try state.withLock { try body(&$0) }
  }
}
