internal import Synchronization

/// Entities in memory, by type and id, in the order of insertion.
///
/// ```swift
/// let store = Store()
/// store.create(User.self, number: 20)
/// let user = store.find(User.self, id: "3")
/// ```
///
/// Safe to use from any thread, even from the closures and initializers that it calls: no lock is held while
/// they run. An entity that is being created is not in the store yet. Entities are copies; changing them
/// needs `update`.
public final class Store: Sendable {
  /// Maps the names of types to those of collections.
  public let inflector: Inflector
  private let state: Mutex<State>

  struct State: ~Copyable {
    var buckets: [ObjectIdentifier: any AnyBucket] = [:]
    /// The types in the order of first insertion.
    var types: [ObjectIdentifier] = []
    var ids: IDSource
    /// Counts how often the whole content was replaced.
    var generation = 0
    /// The number of entities that factories have created, by type.
    var numbers: [ObjectIdentifier: Int] = [:]

    init(ids: IDSource) { self.ids = ids }

    /// - Parameter plan: made by `RelationPlan.of` where no lock is held.
    mutating func bucket<T: Storable>(_ type: T.Type, _ plan: RelationPlan) -> Bucket<T> {
      if let bucket = existingBucket(type) { return bucket }
      let bucket = Bucket<T>(plan)
      buckets[plan.key] = bucket
      types.append(plan.key)
      return bucket
    }

    /// The key is the type itself, so the cast cannot fail.
    func existingBucket<T: Storable>(_ type: T.Type) -> Bucket<T>? {
      buckets[ObjectIdentifier(type)].map { unsafeDowncast($0, to: Bucket<T>.self) }
    }
  }

  /// Creates an empty store.
  public init(ids: IDStrategy = .shared, inflector: Inflector = .english) {
    self.inflector = inflector
    state = Mutex(State(ids: IDSource(ids)))
  }

  init(_ snapshot: Snapshot, _ inflector: Inflector) {
    self.inflector = inflector
    var state = State(ids: snapshot.ids)
    state.take(snapshot)
    self.state = Mutex(state)
  }

  /// Runs `body` on the entities of a type under the lock; `nil` if there never were any.
  private func access<T: Storable, Result: Sendable>(
    _ type: T.Type, _ body: (inout Entities<T>) -> Result
  ) -> Result? {
    state.withLock { state in
      guard let bucket = state.existingBucket(type) else { return nil }
      return body(&bucket.entities)
    }
  }

  // MARK: Creating

  /// Creates entities with consecutive ids, and returns them in the order of their ids.
  @discardableResult
  public func create<T: Storable>(_ type: T.Type, number: Int = 1) -> [T] {
    precondition(number >= 0, "create(\(type), number: \(number)): that is no number of entities")
    return Self.orStop { () throws(StoreError) in try createChecked(type, number: number) }
  }

  func createChecked<T: Storable>(_ type: T.Type, number: Int) throws(StoreError) -> [T] {
    let ids = reserve(number, type)
    let entities = ids.map { T(id: $0, store: self) }
    return try keep(entities, reserved: ids)
  }

  /// Inserts the entity that `make` returns for a new id; nothing if it throws. An entity with another id is
  /// a programming error.
  @discardableResult
  public func insert<T: Storable>(_ make: (String) throws -> T) rethrows -> T {
    let (entity, id) = try made(make)
    return Self.orStop { () throws(StoreError) in try keep([entity], reserved: [id])[0] }
  }

  /// Creates an entity with a reserved id, without inserting it.
  func made<T: Storable>(_ make: (String) throws -> T) rethrows -> (entity: T, id: String) {
    let id = reserve(1, T.self)[0]
    do { return (try make(id), id) } catch {
      release([id], T.self)
      throw error
    }
  }

  /// Inserts an entity with a given id; id counters continue after it.
  /// - Throws: `duplicateID`, or an error about its relations.
  @discardableResult
  public func insert<T: Storable>(_ entity: T) throws(StoreError) -> T {
    let (plan, id) = (RelationPlan.of(T.self), entity.id)
    let relations = RelationChanges(of: entity, id: id, plan)
    return try state.withLock { state throws(StoreError) in
      let bucket = state.bucket(T.self, plan)
      guard !bucket.entities.has(id) else { throw .duplicateID(type: "\(T.self)", id: id) }
      try state.check(relations, arriving: [relations.key])
      state.ids.notice(id, of: plan.key)
      bucket.append(entity, id: id)
      return state.linked(entity, relations, bucket)
    }
  }

  /// Inserts entities with reserved ids, or none if a relation refers to a missing entity.
  func keep<T: Storable>(_ entities: [T], reserved ids: [String]) throws(StoreError) -> [T] {
    try keep(entities, reserved: ids, ifStillAt: nil) ?? []
  }

  /// - Parameter version: the expected version; if it differs, the result is `nil` and the ids stay reserved.
  func keep<T: Storable>(_ entities: [T], reserved ids: [String], ifStillAt version: Int?)
    throws(StoreError) -> [T]?
  {
    for (entity, id) in zip(entities, ids) { Self.check(entity, id) }
    let plan = RelationPlan.of(T.self)
    let relations = zip(entities, ids).map { RelationChanges(of: $0, id: $1, plan) }
    do throws(StoreError) {
      return try state.withLock { state throws(StoreError) -> [T]? in
        let bucket = state.bucket(T.self, plan)
        if let version, version != bucket.entities.version { return nil }
        let arriving = plan.fields.isEmpty ? [] : Set(relations.map(\.key))
        for relations in relations { try state.check(relations, arriving: arriving) }
        for (entity, id) in zip(entities, ids) { bucket.append(entity, id: id) }
        return zip(entities, relations).map { state.linked($0, $1, bucket) }
      }
    } catch {
      release(ids, T.self)
      throw error
    }
  }

  static func check<T: Storable>(_ entity: T, _ id: String) {
    precondition(
      entity.id == id,
      "a \(T.self) was to have the id \(id.debugDescription) and has \(entity.id.debugDescription)")
  }

  /// For Kakapo's functions, which do not throw.
  static func orStop<Result>(_ body: () throws(StoreError) -> Result) -> Result {
    do throws(StoreError) { return try body() } catch {
      preconditionFailure("\(error); types that conform to Related get this as an error")
    }
  }

  /// Reserves new ids under one lock.
  private func reserve<T: Storable>(_ count: Int, _ type: T.Type) -> [String] {
    let plan = RelationPlan.of(type)
    var ids: [String] = []
    while ids.count < count {
      let wanted = count - ids.count
      let (taken, asked) = state.withLock { state in
        var taken: [String] = []
        while taken.count < wanted {
          guard let id = state.ids.take(for: plan.key) else { return (taken, state.ids.made) }
          let bucket = state.bucket(type, plan)
          guard !bucket.entities.has(id) else { continue }
          bucket.entities.reserve(id)
          taken.append(id)
        }
        return (taken, 0)
      }
      ids += taken
      if asked > 0, case .custom(let make) = strategy {
        let id = make(type, asked - 1)
        if reserve(id, type, plan) { ids.append(id) }
      }
    }
    return ids
  }

  private var strategy: IDStrategy { state.withLock { $0.ids.strategy } }

  private func reserve<T: Storable>(_ id: String, _ type: T.Type, _ plan: RelationPlan) -> Bool {
    state.withLock { state in
      let bucket = state.bucket(type, plan)
      guard !bucket.entities.has(id) else { return false }
      bucket.entities.reserve(id)
      return true
    }
  }

  func release<T: Storable>(_ ids: [String], _ type: T.Type) {
    _ = access(type) { bucket in for id in ids { bucket.release(id) } }
  }

  // MARK: Reading

  /// The entity of this type and id.
  public func find<T: Storable>(_ type: T.Type, id: String) -> T? { access(type) { $0.find(id) } ?? nil }

  /// All entities of a type in the order of insertion.
  public func findAll<T: Storable>(_ type: T.Type) -> [T] { versioned(type).all }

  func versioned<T: Storable>(_ type: T.Type) -> (all: [T], version: Int) {
    // Deleted entities are released here, where no lock is held.
    let found = access(type) { bucket -> (all: [T], version: Int, garbage: [T]) in
      let garbage = bucket.close()
      return (bucket.list, bucket.version, garbage)
    }
    return (found?.all ?? [], found?.version ?? 0)
  }

  /// The entities that satisfy `isIncluded`.
  public func filter<T: Storable>(_ type: T.Type, isIncluded: (T) throws -> Bool) rethrows -> [T] {
    try findAll(type).filter(isIncluded)
  }

  /// The number of entities of a type.
  public func count<T: Storable>(_ type: T.Type) -> Int { access(type) { $0.count } ?? 0 }

  // MARK: Changing

  /// Replaces the entity with the same id.
  public func update<T: Storable>(_ entity: T) throws(StoreError) { _ = try replace(entity, ifStillAt: nil) }

  /// Changes the entity with this id. If it is changed elsewhere in the meantime, `body` runs again on the
  /// new one; after a thousand attempts the update fails with `StoreError.unsettled`.
  @discardableResult
  public func update<T: Storable>(_ type: T.Type, id: String, _ body: (inout T) throws -> Void) throws -> T {
    for _ in 0..<1_000 {
      let (found, stamp) = access(type) { ($0.find(id), $0.stamp(of: id)) } ?? (nil, nil)
      guard var entity = found else { throw StoreError.invalidEntity(type: "\(type)", id: id) }
      try body(&entity)
      Self.check(entity, id)
      if let kept = try replace(entity, ifStillAt: stamp) { return kept }
    }
    throw StoreError.unsettled(type: "\(type)", id: id)
  }

  /// - Returns: the new entity; `nil`, without a change, if it was replaced since it had that stamp.
  private func replace<T: Storable>(_ entity: T, ifStillAt stamp: Int?) throws(StoreError) -> T? {
    let (plan, id) = (RelationPlan.of(T.self), entity.id)
    let relations = RelationChanges(of: entity, id: id, plan)
    // With the old entity, to be released where no lock is held.
    let replaced = try state.withLock { state throws(StoreError) -> (new: T, old: T?)? in
      guard let bucket = state.existingBucket(T.self), bucket.contains(id) else {
        throw .invalidEntity(type: "\(T.self)", id: id)
      }
      if let stamp, stamp != bucket.entities.stamp(of: id) { return nil }
      try state.check(relations, arriving: [])
      return state.replace(entity, relations, bucket)
    }
    return replaced?.new
  }

  /// Inserts an entity, or replaces the one with its id.
  public func upsert<T: Storable>(_ entity: T) {
    Self.orStop { () throws(StoreError) in try upsertChecked(entity) }
  }

  func upsertChecked<T: Storable>(_ entity: T) throws(StoreError) {
    let (plan, id) = (RelationPlan.of(T.self), entity.id)
    let relations = RelationChanges(of: entity, id: id, plan)
    // The old entity is released where no lock is held.
    _ = try state.withLock { state throws(StoreError) -> T? in
      let bucket = state.bucket(T.self, plan)
      try state.check(relations, arriving: [relations.key])
      if bucket.contains(id) { return state.replace(entity, relations, bucket).old }
      state.ids.notice(id, of: plan.key)
      bucket.append(entity, id: id)
      return state.linked(entity, relations, bucket)
    }
  }

  /// Removes the entity with the type and id of this one.
  public func delete<T: Storable>(_ entity: T) throws(StoreError) { try delete(T.self, id: entity.id) }

  /// Removes the entity of this type and id.
  public func delete<T: Storable>(_ type: T.Type, id: String) throws(StoreError) {
    // The entity is released here, where no lock is held.
    let removed = state.withLock { $0.remove(EntityKey(type, id)) }
    if removed.isEmpty { throw .invalidEntity(type: "\(type)", id: id) }
  }

  /// Removes and returns the entities that satisfy `isRemoved`.
  @discardableResult
  public func delete<T: Storable>(_ type: T.Type, where isRemoved: (T) throws -> Bool) rethrows -> [T] {
    let removed = try filter(type, isIncluded: isRemoved)
    return removed.filter { (try? delete(type, id: $0.id)) != nil }
  }

  /// Counts the entities of a type that factories create.
  func nextNumber<T: Storable>(of type: T.Type) -> Int {
    state.withLock { state in
      let number = state.numbers[ObjectIdentifier(type), default: 0]
      state.numbers[ObjectIdentifier(type)] = number + 1
      return number
    }
  }

  func withState<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
    try state.withLock { try body(&$0) }
  }
}

/// An entity that a store can keep and create.
public protocol Storable: Sendable {
  /// The id, which must never change.
  var id: String { get }

  /// Creates an entity with an id. The initializer may read the store and create other entities in it.
  init(id: String, store: Store)
}
