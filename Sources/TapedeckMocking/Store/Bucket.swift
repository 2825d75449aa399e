/// The entities of one type, in the order they came, found by id at once.
///
/// Holds no code of the user's: entities that leave are handed out, so that what they do when they go is done where no
/// lock is held.
package struct Entities<T: Storable>: Sendable {
  package private(set) var list: [T] = []
  /// Of each in the list, the `version` in which it was last put there as a whole.
  private var stamps: [Int] = []
  /// Where each id is; a reserved one is nowhere yet.
  private var places: [String: Int] = [:]
  /// Places whose entity was deleted. They are closed when half of the list is of that kind, or all of it is asked for.
  private var holes: Set<Int> = []
  /// Counts changes.
  private(set) var version = 0

  package init() {}

  private static var nowhere: Int { -1 }

  var count: Int { list.count - holes.count }

  package func has(_ id: String) -> Bool { places[id] != nil }

  package func find(_ id: String) -> T? { place(of: id).map { list[$0] } }

  /// Another one whenever the entity is replaced; not when its relations change, which merge.
  func stamp(of id: String) -> Int? { place(of: id).map { stamps[$0] } }

  private func place(of id: String) -> Int? {
    guard let place = places[id], place != Self.nowhere else { return nil }
    return place
  }

  /// Keeps an id for an entity that is being made.
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

  /// The entity that was there; nil, and no change, when there was none.
  package mutating func replace(_ entity: T, id: String) -> T? {
    guard let place = place(of: id) else { return nil }
    version += 1
    let old = list[place]
    list[place] = entity
    stamps[place] = version
    return old
  }

  /// The entity that was there, and others that go with it.
  package mutating func remove(_ id: String) -> (entity: T, rest: [T])? {
    guard let place = place(of: id) else { return nil }
    version += 1
    places[id] = nil
    let entity = list[place]
    if place == list.count - 1, holes.isEmpty {
      list.removeLast()
      stamps.removeLast()
      return (entity, [])
    }
    holes.insert(place)
    return (entity, holes.count > 32 && holes.count > list.count / 2 ? close() : [])
  }

  /// Changes the relations of an entity in place; not called for one that is not there.
  mutating func changeRelations(of id: String, _ body: (UnsafeMutableRawPointer) -> Void) {
    guard let place = place(of: id) else { return }
    version += 1
    withUnsafeMutablePointer(to: &list[place]) { body(UnsafeMutableRawPointer($0)) }
  }

  /// The ids of the entities for whose relations `isWanted` holds.
  func ids(whereRelations isWanted: (UnsafeRawPointer) -> Bool) -> [String] {
    list.withUnsafeBufferPointer { buffer in
      places.compactMap { id, place in
        guard place != Self.nowhere, let start = buffer.baseAddress else { return nil }
        return isWanted(UnsafeRawPointer(start + place)) ? id : nil
      }
    }
  }

  /// Closes the holes; what was in them is handed out.
  package mutating func close() -> [T] {
    guard !holes.isEmpty else { return [] }
    let old = list
    let oldStamps = stamps
    var moved = Array(repeating: Self.nowhere, count: old.count)
    list = []
    stamps = []
    for index in old.indices where !holes.contains(index) {
      moved[index] = list.count
      list.append(old[index])
      stamps.append(oldStamps[index])
    }
    holes = []
    for (id, place) in places where place != Self.nowhere { places[id] = moved[place] }
    return old
  }
}

/// The bucket of one type as the store holds it, whatever the type.
protocol AnyBucket: AnyObject {
  var plan: RelationPlan { get }
  var snapshot: any BucketSnapshot { get }

  /// Whether there is an entity of that id, and not only a promise of it.
  func contains(_ id: String) -> Bool
  func readRelations<Result>(of id: String, _ body: (UnsafeRawPointer) -> Result) -> Result?
  func changeRelations(of id: String, _ body: (UnsafeMutableRawPointer) -> Void)
  func ids(whereRelations isWanted: (UnsafeRawPointer) -> Bool) -> [String]
  /// What leaves, to be let go of where no lock is held; nil when there was nothing.
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

  /// Puts an entity in, its relations leading nowhere yet.
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
    entities.remove(id).map { Removed(entity: $0.entity, rest: $0.rest) }
  }

  private struct Removed: Sendable {
    let entity: T
    let rest: [T]
  }
}

/// The entities of one type at a moment.
protocol BucketSnapshot: Sendable {
  var bucket: any AnyBucket { get }
  func entity(_ id: String) -> (any Storable)?
  var version: Int { get }
  var typeName: String { get }
  var qualifiedTypeName: String { get }
  /// The entities, for whoever does not know the type.
  var values: [Any] { get }
}

extension Entities: BucketSnapshot {
  var bucket: any AnyBucket { Bucket(RelationPlans.plan(of: T.self), self) }
  func entity(_ id: String) -> (any Storable)? { find(id) }
  var typeName: String { String(describing: T.self) }
  var qualifiedTypeName: String { String(reflecting: T.self) }
  var values: [Any] {
    var copy = self
    _ = copy.close()
    return copy.list
  }
}
