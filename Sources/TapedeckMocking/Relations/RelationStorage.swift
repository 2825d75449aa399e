/// Identifies an entity of a store.
package struct EntityKey: Hashable, Sendable {
  package let type: ObjectIdentifier
  package let id: String

  package init(_ type: ObjectIdentifier, _ id: String) {
    self.type = type
    self.id = id
  }

  init<T: Storable>(_ type: T.Type, _ id: String) { self.init(ObjectIdentifier(type), id) }

  init(of entity: any Storable) { self.init(ObjectIdentifier(Swift.type(of: entity)), entity.id) }
}

/// The only stored property of each kind of relation. The store reads and writes it through pointers, at the offset
/// that a `RelationPlan` names.
struct RelationStorage: Sendable {
  private enum Change: Sendable {
    case none
    /// Differences to what the store held.
    case edited(from: [EntityKey])
    case assigned
  }

  private(set) var targets: [EntityKey] = []
  private var change = Change.none

  /// Whether somebody changed the relation since it came out of a store.
  var isChanged: Bool {
    if case .none = change { false } else { true }
  }

  mutating func assign(_ targets: [EntityKey]) {
    self.targets = targets.uniqued()
    change = .assigned
  }

  mutating func edit(_ body: (inout [EntityKey]) -> Void) {
    if case .none = change { change = .edited(from: targets) }
    body(&targets)
  }

  /// Changes the targets inside a store.
  mutating func settle(_ body: (inout [EntityKey]) -> Void) {
    body(&targets)
    change = .none
  }

  /// The targets that the relation is to have, given those it has in the store; nil for no change.
  func wanted(_ current: [EntityKey]) -> [EntityKey]? {
    switch change {
    case .none: return nil
    case .assigned: return targets
    case .edited(let base):
      if base == current { return targets.uniqued() }
      // Others have changed the relation meanwhile, so only the differences count.
      let (old, new) = (Set(base), Set(targets))
      let kept = current.filter { new.contains($0) || !old.contains($0) }
      let known = Set(current)
      return kept + targets.uniqued().filter { !old.contains($0) && !known.contains($0) }
    }
  }
}

/// Two relations are equal when they lead to the same entities.
extension RelationStorage: Hashable {
  static func == (left: Self, right: Self) -> Bool { left.targets == right.targets }
  func hash(into hasher: inout Hasher) { hasher.combine(targets) }
}

extension UnsafeRawPointer {
  /// A relation of the entity at this address.
  func relation(_ field: RelationPlan.Field) -> RelationStorage {
    (self + field.offset).assumingMemoryBound(to: RelationStorage.self).pointee
  }
}

extension UnsafeMutableRawPointer {
  func changeRelation(_ field: RelationPlan.Field, _ body: (inout RelationStorage) -> Void) {
    body(&(self + field.offset).assumingMemoryBound(to: RelationStorage.self).pointee)
  }

  func settle(_ field: RelationPlan.Field, _ targets: [EntityKey]) {
    changeRelation(field) { $0.settle { $0 = targets } }
  }
}

extension Array where Element: Hashable {
  /// The elements without repetitions; of equal ones the first stays.
  func uniqued() -> [Element] {
    var seen = Set<Element>(minimumCapacity: count)
    return filter { seen.insert($0).inserted }
  }
}
