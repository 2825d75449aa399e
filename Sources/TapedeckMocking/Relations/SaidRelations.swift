/// What an entity says about its relations: nothing about those that nobody has set since it came out of a store.
struct SaidRelations: Sendable {
  enum Said: Sendable {
    case one(EntityKey?)
    case many(ManyStorage)
  }

  let key: EntityKey
  let plan: RelationPlan
  private(set) var said: [(field: RelationPlan.Field, said: Said)] = []

  init<T: Storable>(of entity: T, id: String, _ plan: RelationPlan) {
    key = EntityKey(T.self, id)
    self.plan = plan
    if plan.fields.isEmpty { return }
    said = withUnsafePointer(to: entity) { pointer in
      plan.fields.compactMap { field in
        Self.said(field, UnsafeRawPointer(pointer)).map { (field, $0) }
      }
    }
  }

  private static func said(_ field: RelationPlan.Field, _ entity: UnsafeRawPointer) -> Said? {
    if !field.isToMany {
      let storage = entity.one(field)
      return storage.isSaid ? .one(storage.target) : nil
    }
    let storage = entity.many(field)
    if case .nothing = storage.said { return nil }
    return .many(storage)
  }
}

extension UnsafeRawPointer {
  /// The relation of the entity that this leads to.
  func one(_ field: RelationPlan.Field) -> OneStorage {
    (self + field.offset).assumingMemoryBound(to: OneStorage.self).pointee
  }

  func many(_ field: RelationPlan.Field) -> ManyStorage {
    (self + field.offset).assumingMemoryBound(to: ManyStorage.self).pointee
  }

  func targets(_ field: RelationPlan.Field) -> [EntityKey] {
    field.isToMany ? many(field).targets : one(field).target.map { [$0] } ?? []
  }

  func leads(_ field: RelationPlan.Field, to target: EntityKey) -> Bool {
    field.isToMany ? many(field).targets.contains(target) : one(field).target == target
  }
}

extension UnsafeMutableRawPointer {
  private func one(_ field: RelationPlan.Field) -> UnsafeMutablePointer<OneStorage> {
    (self + field.offset).assumingMemoryBound(to: OneStorage.self)
  }

  private func many(_ field: RelationPlan.Field) -> UnsafeMutablePointer<ManyStorage> {
    (self + field.offset).assumingMemoryBound(to: ManyStorage.self)
  }

  func add(_ target: EntityKey, to field: RelationPlan.Field) {
    if field.isToMany { many(field).pointee.settle { $0.append(target) } } else { settle(field, [target]) }
  }

  func remove(_ target: EntityKey, from field: RelationPlan.Field) {
    guard field.isToMany else {
      if one(field).pointee.target == target { settle(field, []) }
      return
    }
    many(field).pointee.settle { targets in
      if let index = targets.firstIndex(of: target) { targets.remove(at: index) }
    }
  }

  /// Sets a relation as its owner would.
  func say(_ field: RelationPlan.Field, _ targets: [EntityKey]) {
    if field.isToMany { many(field).pointee.say(targets) } else { one(field).pointee.say(targets.first) }
  }

  func settle(_ field: RelationPlan.Field, _ targets: [EntityKey]) {
    if field.isToMany {
      many(field).pointee.settle { $0 = targets }
    } else {
      one(field).pointee.settle(targets.first)
    }
  }
}
