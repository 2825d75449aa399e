/// What a property like `ToOne` is made of, whatever the types it may lead to: a store reads and writes the properties
/// of its entities through this.
struct OneStorage: Sendable {
  private(set) var target: EntityKey?
  /// Whether somebody said so since this came out of a store. What says nothing changes nothing.
  private(set) var isSaid = false

  mutating func say(_ target: EntityKey?) {
    self.target = target
    isSaid = true
  }

  mutating func settle(_ target: EntityKey?) {
    self.target = target
    isSaid = false
  }
}

/// What a property like `ToMany` is made of.
struct ManyStorage: Sendable {
  enum Said: Sendable {
    case nothing
    /// Changes to the targets that there were.
    case changes(from: [EntityKey])
    /// Exactly these.
    case all
  }

  private(set) var targets: [EntityKey] = []
  private(set) var said = Said.nothing

  mutating func say(_ targets: [EntityKey]) {
    self.targets = targets.uniqued()
    said = .all
  }

  mutating func change(_ body: (inout [EntityKey]) -> Void) {
    if case .nothing = said { said = .changes(from: targets) }
    body(&targets)
  }

  /// Changes the targets in a store.
  mutating func settle(_ body: (inout [EntityKey]) -> Void) {
    body(&targets)
    said = .nothing
  }

  /// What the targets shall be, when they are `current` in the store; nil for no change.
  func wanted(_ current: [EntityKey]) -> [EntityKey]? {
    switch said {
    case .nothing: return nil
    case .all: return targets
    case .changes(let base):
      if base == current { return targets.uniqued() }
      // Others have changed it meanwhile, so only the differences count.
      let (old, new) = (Set(base), Set(targets))
      let kept = current.filter { new.contains($0) || !old.contains($0) }
      let known = Set(current)
      return kept + targets.uniqued().filter { !old.contains($0) && !known.contains($0) }
    }
  }
}

extension Array where Element: Hashable {
  /// Without repetitions; of equal elements the first one stays.
  func uniqued() -> [Element] {
    var seen = Set<Element>(minimumCapacity: count)
    return filter { seen.insert($0).inserted }
  }
}
