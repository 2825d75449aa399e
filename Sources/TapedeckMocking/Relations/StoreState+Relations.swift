/// Keeps both sides of relations in step. Everything is checked before anything is changed, and no code of the user's
/// runs here.
extension Store.State {
  typealias Field = RelationPlan.Field

  // MARK: Checking

  /// Throws where relations are declared wrongly, or lead to an entity that does not exist.
  /// - Parameter arriving: entities that will be there when the relations are linked.
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
          relatedType: "\(field.targets.first { ObjectIdentifier($0) == target.type } ?? plan.type)",
          relatedID: target.id)
      }
    }
  }

  private func contains(_ key: EntityKey) -> Bool { buckets[key.type]?.contains(key.id) == true }

  // MARK: Linking

  /// Applies the changes of a stored entity's relations.
  func link(_ relations: RelationChanges) {
    for (field, relation) in relations.changes {
      let current = targets(of: relations.key, field)
      if let wanted = relation.wanted(current) { link(relations.key, field, from: current, to: wanted) }
    }
  }

  private func link(_ key: EntityKey, _ field: Field, from current: [EntityKey], to wanted: [EntityKey]) {
    if current == wanted { return }
    let (old, new) = (Set(current), Set(wanted))
    for target in current where !new.contains(target) { unlink(key, field, target) }
    for target in wanted where !old.contains(target) { link(key, field, target) }
    change(key) { $0.settle(field, wanted) }
  }

  /// Links two entities on both sides; a to-one side lets go of its former target.
  private func link(_ key: EntityKey, _ field: Field, _ target: EntityKey) {
    if !field.isToMany, let old = targets(of: key, field).first { unlink(key, field, old) }
    let inverse = inverse(of: field, at: target)
    if let inverse, !inverse.isToMany, let old = targets(of: target, inverse).first {
      unlink(target, inverse, old)
    }
    change(key) { $0.add(target, to: field) }
    guard let inverse, !(key == target && inverse.index == field.index) else { return }
    change(target) { $0.add(key, to: inverse) }
  }

  private func unlink(_ key: EntityKey, _ field: Field, _ target: EntityKey) {
    change(key) { $0.remove(target, from: field) }
    if let inverse = inverse(of: field, at: target) { change(target) { $0.remove(key, from: inverse) } }
  }

  private func inverse(of field: Field, at target: EntityKey) -> Field? {
    guard let index = field.inverses[target.type] else { return nil }
    return buckets[target.type]?.plan.fields[index]
  }

  func targets(of key: EntityKey, _ field: Field) -> [EntityKey] {
    buckets[key.type]?.readRelations(of: key.id) { $0.relation(field).targets } ?? []
  }

  private func change(_ key: EntityKey, _ body: (UnsafeMutableRawPointer) -> Void) {
    buckets[key.type]?.changeRelations(of: key.id, body)
  }

  /// Links a new entity, and returns it as it is then.
  func linked<T: Storable>(_ entity: T, _ relations: RelationChanges, _ bucket: Bucket<T>) -> T {
    if relations.plan.fields.isEmpty { return entity }
    link(relations)
    return bucket.entities.find(relations.key.id) ?? entity
  }

  /// Replaces a stored entity and applies the changes of its relations.
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
  /// - Returns: what leaves, to be released outside of the lock; empty when there was nothing.
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

  /// Removes an entity from all relations whose targets do not lead back.
  private func detachOneWay(_ key: EntityKey) {
    for bucket in buckets.values {
      for field in bucket.plan.fields where field.leadsOneWay(to: key.type) {
        for id in bucket.ids(whereRelations: { $0.relation(field).targets.contains(key) }) {
          bucket.changeRelations(of: id) { $0.remove(key, from: field) }
        }
      }
    }
  }
}

extension UnsafeMutableRawPointer {
  fileprivate func add(_ target: EntityKey, to field: RelationPlan.Field) {
    changeRelation(field) { $0.settle { $0 = field.isToMany ? $0 + [target] : [target] } }
  }

  fileprivate func remove(_ target: EntityKey, from field: RelationPlan.Field) {
    changeRelation(field) { relation in
      relation.settle { targets in
        if let index = targets.firstIndex(of: target) { targets.remove(at: index) }
      }
    }
  }
}
