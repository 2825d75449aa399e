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

/// The only stored property of each relation type. The store accesses it by pointer, at a relation's offset.
struct RelationStorage: Sendable {
  private(set) var targets: [EntityKey] = []
  /// Whether the relation was changed since it was read from a store.
  private(set) var isChanged = false
  /// The targets before the first edit; `nil` if the targets were assigned as a whole.
  private var base: [EntityKey]?

  mutating func assign(_ targets: [EntityKey]) {
    self.targets = targets.uniqued()
    (isChanged, base) = (true, nil)
  }

  mutating func edit(_ body: (inout [EntityKey]) -> Void) {
    if !isChanged { (isChanged, base) = (true, targets) }
    body(&targets)
  }

  /// Changes the targets inside a store.
  mutating func settle(_ body: (inout [EntityKey]) -> Void) {
    body(&targets)
    (isChanged, base) = (false, nil)
  }

  /// The targets that the relation should have, given the stored ones; `nil` for no change.
  func wanted(_ current: [EntityKey]) -> [EntityKey]? {
    guard isChanged else { return nil }
    guard let base, base != current else { return targets.uniqued() }
    // The relation was changed elsewhere in the meantime, so only the differences count.
    let (old, new) = (Set(base), Set(targets))
    let kept = current.filter { new.contains($0) || !old.contains($0) }
    let known = Set(current)
    return kept + targets.uniqued().filter { !old.contains($0) && !known.contains($0) }
  }
}

extension RelationStorage: Hashable {
  static func == (left: Self, right: Self) -> Bool { left.targets == right.targets }
  func hash(into hasher: inout Hasher) { hasher.combine(targets) }
}

extension UnsafeRawPointer {
  func relation(_ field: StoredRelation) -> RelationStorage {
    (self + field.offset).assumingMemoryBound(to: RelationStorage.self).pointee
  }
}

extension UnsafeMutableRawPointer {
  func changeRelation(_ field: StoredRelation, _ body: (inout RelationStorage) -> Void) {
    body(&(self + field.offset).assumingMemoryBound(to: RelationStorage.self).pointee)
  }

  func settle(_ field: StoredRelation, _ targets: [EntityKey]) {
    changeRelation(field) { $0.settle { $0 = targets } }
  }
}

extension Array where Element: Hashable {
  /// The elements without duplicates; the first of equal ones stays.
  func uniqued() -> [Element] {
    var seen = Set<Element>(minimumCapacity: count)
    return filter { seen.insert($0).inserted }
  }
}
