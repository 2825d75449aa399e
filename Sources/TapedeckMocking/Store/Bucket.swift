/// The entities of one type in the order of insertion, found by id in constant time.
///
/// Entities that leave are returned to the caller, so that their deinits run where no lock is held.
package struct Entities<T: Storable>: Sendable {
  package private(set) var list: [T] = []
  /// For each entity in the list, the `version` in which it was last replaced.
  private var stamps: [Int] = []
  /// The index of each id; `nowhere` for a reserved one.
  private var places: [String: Int] = [:]
  /// The indices of deleted entities. They are removed when they are half of the list, or when all of it is read.
  private var deleted: Set<Int> = []
  /// Counts changes.
  private(set) var version = 0

  package init() {}

  private static var nowhere: Int { -1 }

  var count: Int { list.count - deleted.count }

  package func has(_ id: String) -> Bool { places[id] != nil }

  package func find(_ id: String) -> T? { place(of: id).map { list[$0] } }

  /// Changes whenever the entity is replaced; not when its relations change, because those merge.
  func stamp(of id: String) -> Int? { place(of: id).map { stamps[$0] } }

  private func place(of id: String) -> Int? {
    guard let place = places[id], place != Self.nowhere else { return nil }
    return place
  }

  /// Reserves an id for an entity that is being made.
  mutating func reserve(_ id: String) { places[id] = Self.nowhere }

  mutating func release(_ id: String) {
    guard places[id] == Self.nowhere else { return }
    version += 1
    places[id] = nil
  }

  package mutating func append(_ entity: T, id: String) {
    version += 1
    places[id] = list.count
    list.append(entity)
    stamps.append(version)
  }

  /// Replaces an entity.
  /// - Returns: the old one; `nil`, without a change, when there was none.
  package mutating func replace(_ entity: T, id: String) -> T? {
    guard let place = place(of: id) else { return nil }
    version += 1
    let old = list[place]
    list[place] = entity
    stamps[place] = version
    return old
  }

  /// Removes an entity.
  /// - Returns: the entity, and a list of others to release.
  package mutating func remove(_ id: String) -> (entity: T, rest: [T])? {
    guard let place = place(of: id) else { return nil }
    version += 1
    places[id] = nil
    let entity = list[place]
    if place == list.count - 1, deleted.isEmpty {
      list.removeLast()
      stamps.removeLast()
      return (entity, [])
    }
    deleted.insert(place)
    return (entity, deleted.count > 32 && deleted.count > list.count / 2 ? close() : [])
  }

  /// Changes the relations of an entity in place, if it is there.
  mutating func changeRelations(of id: String, _ body: (UnsafeMutableRawPointer) -> Void) {
    guard let place = place(of: id) else { return }
    version += 1
    withUnsafeMutablePointer(to: &list[place]) { body(UnsafeMutableRawPointer($0)) }
  }

  /// The ids of the entities whose relations satisfy `isWanted`.
  func ids(whereRelations isWanted: (UnsafeRawPointer) -> Bool) -> [String] {
    list.withUnsafeBufferPointer { buffer in
      places.compactMap { id, place in
        guard place != Self.nowhere, let start = buffer.baseAddress else { return nil }
        return isWanted(UnsafeRawPointer(start + place)) ? id : nil
      }
    }
  }

  /// Removes the gaps of deleted entities.
  /// - Returns: the old list, to be released.
  package mutating func close() -> [T] {
    guard !deleted.isEmpty else { return [] }
    let old = list
    let oldStamps = stamps
    var moved = Array(repeating: Self.nowhere, count: old.count)
    list = []
    stamps = []
    for index in old.indices where !deleted.contains(index) {
      moved[index] = list.count
      list.append(old[index])
      stamps.append(oldStamps[index])
    }
    deleted = []
    for (id, place) in places where place != Self.nowhere { places[id] = moved[place] }
    return old
  }
}

/// A bucket of any type.
protocol AnyBucket: AnyObject {
  var plan: RelationPlan { get }
  var snapshot: any BucketSnapshot { get }

  /// Whether there is an entity of that id, not only a reservation.
  func contains(_ id: String) -> Bool
  func readRelations<Result>(of id: String, _ body: (UnsafeRawPointer) -> Result) -> Result?
  func changeRelations(of id: String, _ body: (UnsafeMutableRawPointer) -> Void)
  func ids(whereRelations isWanted: (UnsafeRawPointer) -> Bool) -> [String]
  /// Removes an entity.
  /// - Returns: what is to be released where no lock is held; `nil` when there was no such entity.
  func remove(_ id: String) -> (any Sendable)?
}

final class Bucket<T: Storable>: AnyBucket {
  let plan: RelationPlan
  var entities: Entities<T>

  init(_ plan: RelationPlan, _ entities: Entities<T> = Entities()) {
    self.plan = plan
    self.entities = entities
  }

  var snapshot: any BucketSnapshot { entities }

  /// Adds an entity with empty relations.
  func append(_ entity: T, id: String) {
    entities.append(entity, id: id)
    if plan.fields.isEmpty { return }
    changeRelations(of: id) { pointer in
      for field in plan.fields { pointer.settle(field, []) }
    }
  }

  func contains(_ id: String) -> Bool { entities.find(id) != nil }

  func readRelations<Result>(of id: String, _ body: (UnsafeRawPointer) -> Result) -> Result? {
    entities.find(id).map { entity in withUnsafePointer(to: entity) { body(UnsafeRawPointer($0)) } }
  }

  func changeRelations(of id: String, _ body: (UnsafeMutableRawPointer) -> Void) {
    entities.changeRelations(of: id, body)
  }

  func ids(whereRelations isWanted: (UnsafeRawPointer) -> Bool) -> [String] {
    entities.ids(whereRelations: isWanted)
  }

  func remove(_ id: String) -> (any Sendable)? {
    entities.remove(id).map { [$0.entity] + $0.rest }
  }
}

/// The entities of one type at one moment.
protocol BucketSnapshot: Sendable {
  var bucket: any AnyBucket { get }
  func entity(_ id: String) -> (any Storable)?
  var version: Int { get }
  var typeName: String { get }
  var qualifiedTypeName: String { get }
  /// The entities, without their type.
  var values: [Any] { get }
}

extension Entities: BucketSnapshot {
  var bucket: any AnyBucket { Bucket(RelationPlan.of(T.self), self) }
  func entity(_ id: String) -> (any Storable)? { find(id) }
  var typeName: String { String(describing: T.self) }
  var qualifiedTypeName: String { String(reflecting: T.self) }
  var values: [Any] {
    var copy = self
    _ = copy.close()
    return copy.list
  }
}
