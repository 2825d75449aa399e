/// Keeps both sides of relations in sync. Checks everything before any change; no user code runs here.
extension Store.State {
  /// Throws if relations are declared wrongly or refer to a missing entity.
  /// - Parameter arriving: entities that will exist when the relations are linked.
  func check(_ relations: RelationChanges, arriving: Set<EntityKey>) throws(StoreError) {
    let (plan, key) = (relations.plan, relations.key)
    if let (relation, problem) = plan.problem {
      throw .badRelation(type: "\(plan.type)", id: key.id, relation: relation, problem)
    }
    for (field, relation) in relations.changes {
      let current = targets(of: key, field)
      let known = Set(current)
      for target in relation.wanted(current) ?? [] where !known.contains(target) {
        guard field.leads(to: target.type) else {
          let problem = RelationProblem.foreignTarget(allowed: field.targets.listed)
          throw .badRelation(type: "\(plan.type)", id: key.id, relation: field.name, problem)
        }
        if arriving.contains(target) || contains(target) { continue }
        throw .missingRelated(
          type: "\(plan.type)", id: key.id, relation: field.name,
          relatedType: "\(field.targets.first(for: target) ?? plan.type)",
          relatedID: target.id)
      }
    }
  }

  private func contains(_ key: EntityKey) -> Bool { buckets[key.type]?.contains(key.id) == true }

  // MARK: Linking

  func link(_ relations: RelationChanges) {
    for (field, relation) in relations.changes {
      let current = targets(of: relations.key, field)
      if let wanted = relation.wanted(current) { link(relations.key, field, from: current, to: wanted) }
    }
  }

  private func link(
    _ key: EntityKey, _ field: StoredRelation, from current: [EntityKey], to wanted: [EntityKey]
  ) {
    if current == wanted { return }
    let (old, new) = (Set(current), Set(wanted))
    for target in current where !new.contains(target) { unlink(key, field, target) }
    for target in wanted where !old.contains(target) { link(key, field, target) }
    change(key) { $0.settle(field, wanted) }
  }

  /// Links two entities on both sides; a to-one side drops its former target.
  private func link(_ key: EntityKey, _ field: StoredRelation, _ target: EntityKey) {
    if !field.isToMany, let old = targets(of: key, field).first { unlink(key, field, old) }
    let inverse = inverse(of: field, at: target)
    if let inverse, !inverse.isToMany, let old = targets(of: target, inverse).first {
      unlink(target, inverse, old)
    }
    change(key) { $0.add(target, to: field) }
    guard let inverse, !(key == target && inverse.index == field.index) else { return }
    change(target) { $0.add(key, to: inverse) }
  }

  private func unlink(_ key: EntityKey, _ field: StoredRelation, _ target: EntityKey) {
    change(key) { $0.remove(target, from: field) }
    if let inverse = inverse(of: field, at: target) { change(target) { $0.remove(key, from: inverse) } }
  }

  private func inverse(of field: StoredRelation, at target: EntityKey) -> StoredRelation? {
    guard let index = field.inverses[target.type] else { return nil }
    return buckets[target.type]?.plan.fields[index]
  }

  func targets(of key: EntityKey, _ field: StoredRelation) -> [EntityKey] {
    buckets[key.type]?.targets(of: key.id, field) ?? []
  }

  private func change(_ key: EntityKey, _ body: (UnsafeMutableRawPointer) -> Void) {
    buckets[key.type]?.changeRelations(of: key.id, body)
  }

  func linked<T: Storable>(_ entity: T, _ relations: RelationChanges, _ bucket: Bucket<T>) -> T {
    if relations.plan.fields.isEmpty { return entity }
    link(relations)
    return bucket.entities.find(relations.key.id) ?? entity
  }

  func replace<T: Storable>(_ entity: T, _ relations: RelationChanges, _ bucket: Bucket<T>) -> (
    new: T, old: T?
  ) {
    let (key, plan) = (relations.key, relations.plan)
    let current = plan.fields.map { targets(of: key, $0) }
    let old = bucket.entities.replace(entity, id: key.id)
    if plan.fields.isEmpty { return (entity, old) }
    change(key) { pointer in
      for (field, targets) in zip(plan.fields, current) { pointer.settle(field, targets) }
    }
    link(relations)
    return (bucket.entities.find(key.id) ?? entity, old)
  }

  // MARK: Removing

  /// Removes an entity from the store and from all relations, with those that it cascades to.
  /// - Returns: the removed entities, to be released outside of the lock; empty if there was none.
  func remove(_ key: EntityKey) -> [any Sendable] {
    var removed: [any Sendable] = []
    var waiting = [key]
    while let key = waiting.popLast() {
      guard let bucket = buckets[key.type], bucket.contains(key.id) else { continue }
      for field in bucket.plan.fields {
        let targets = targets(of: key, field)
        if field.cascades { waiting += targets.reversed() }
        for target in targets { unlink(key, field, target) }
      }
      detachOneWay(key)
      if let left = bucket.remove(key.id) { removed.append(left) }
    }
    return removed
  }

  /// Removes an entity from all relations without an inverse.
  private func detachOneWay(_ key: EntityKey) {
    for bucket in buckets.values {
      for field in bucket.plan.fields where field.leads(to: key.type) && field.inverses[key.type] == nil {
        bucket.detach(key, from: field)
      }
    }
  }
}

extension UnsafeMutableRawPointer {
  fileprivate func add(_ target: EntityKey, to field: StoredRelation) {
    changeRelation(field) { $0.settle { $0 = field.isToMany ? $0 + [target] : [target] } }
  }

  func remove(_ target: EntityKey, from field: StoredRelation) {
    changeRelation(field) { relation in
      relation.settle { targets in
        if let index = targets.firstIndex(of: target) { targets.remove(at: index) }
      }
    }
  }
}

/// The changes of an entity's relations since it was read from a store.
struct RelationChanges: Sendable {
  let key: EntityKey
  let plan: RelationPlan
  private(set) var changes: [(field: StoredRelation, relation: RelationStorage)] = []

  init<T: Storable>(of entity: T, id: String, _ plan: RelationPlan) {
    key = EntityKey(T.self, id)
    self.plan = plan
    if plan.fields.isEmpty { return }
    changes = withUnsafePointer(to: entity) { pointer in
      plan.fields.map { ($0, UnsafeRawPointer(pointer).relation($0)) }.filter { $0.1.isChanged }
    }
  }
}
