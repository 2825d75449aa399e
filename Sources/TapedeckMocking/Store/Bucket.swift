/// The entities of one type in the order of insertion, found by id in constant time.
///
/// Removed entities are returned to the caller, so that their deinits run while no lock is held.
package struct Entities<T: Storable>: Sendable {
  package private(set) var list: [T] = []
  /// For each entity in the list, the `version` in which it was last replaced.
  private var stamps: [Int] = []
  /// The index of each id; `nowhere` for a reserved one.
  private var places: [String: Int] = [:]
  /// The indices of deleted entities, removed when they are half of the list or when all of it is read.
  private var deleted: Set<Int> = []
  private(set) var version = 0

  package init() {}

  private static var nowhere: Int { -1 }

  var count: Int { list.count - deleted.count }

  package func has(_ id: String) -> Bool { places[id] != nil }

  package func find(_ id: String) -> T? { place(of: id).map { list[$0] } }

  /// Changes whenever the entity is replaced, but not when its relations change, because those merge.
  func stamp(of id: String) -> Int? { place(of: id).map { stamps[$0] } }

  private func place(of id: String) -> Int? {
    guard let place = places[id], place != Self.nowhere else { return nil }
    return place
  }

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

  /// - Returns: the old entity; `nil`, without a change, if there was none.
  package mutating func replace(_ entity: T, id: String) -> T? {
    guard let place = place(of: id) else { return nil }
    version += 1
    let old = list[place]
    list[place] = entity
    stamps[place] = version
    return old
  }

  /// - Returns: the removed entity, and others to release.
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

  mutating func changeRelations(of id: String, _ body: (UnsafeMutableRawPointer) -> Void) {
    guard let place = place(of: id) else { return }
    version += 1
    withUnsafeMutablePointer(to: &list[place]) { body(UnsafeMutableRawPointer($0)) }
  }

  func ids(where isWanted: (UnsafeRawPointer) -> Bool) -> [String] {
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

protocol AnyBucket: AnyObject {
  associatedtype Entity: Storable
  var plan: RelationPlan { get }
  var entities: Entities<Entity> { get set }
}

final class Bucket<Entity: Storable>: AnyBucket {
  let plan: RelationPlan
  var entities: Entities<Entity>

  init(_ plan: RelationPlan, _ entities: Entities<Entity> = Entities()) {
    self.plan = plan
    self.entities = entities
  }

  func append(_ entity: Entity, id: String) {
    entities.append(entity, id: id)
    if plan.fields.isEmpty { return }
    entities.changeRelations(of: id) { pointer in
      for field in plan.fields { pointer.settle(field, []) }
    }
  }
}

extension AnyBucket {
  var snapshot: any BucketSnapshot { entities }

  /// Whether the entity exists; a reserved id does not count.
  func contains(_ id: String) -> Bool { entities.stamp(of: id) != nil }

  func targets(of id: String, _ field: StoredRelation) -> [EntityKey] {
    entities.find(id).map { field.keys(of: $0) } ?? []
  }

  func changeRelations(of id: String, _ body: (UnsafeMutableRawPointer) -> Void) {
    entities.changeRelations(of: id, body)
  }

  /// Removes an entity from a relation of all others.
  func detach(_ key: EntityKey, from field: StoredRelation) {
    let ids = entities.ids { $0.relation(field).targets.contains(key) }
    for id in ids { entities.changeRelations(of: id) { $0.remove(key, from: field) } }
  }

  /// - Returns: the entities to release while no lock is held; `nil` if there was no such entity.
  func remove(_ id: String) -> (any Sendable)? { entities.remove(id).map { [$0.entity] + $0.rest } }
}

protocol BucketSnapshot: Sendable {
  var bucket: any AnyBucket { get }
  var type: any Storable.Type { get }
  var version: Int { get }
  var values: [Any] { get }
  func entity(_ id: String) -> (any Storable)?
}

extension Entities: BucketSnapshot {
  var bucket: any AnyBucket { Bucket(RelationPlan.of(T.self), self) }
  var type: any Storable.Type { T.self }
  func entity(_ id: String) -> (any Storable)? { find(id) }
  var values: [Any] {
    var copy = self
    _ = copy.close()
    return copy.list
  }
}
