/// The changes of an entity's relations since it came out of a store.
struct RelationChanges: Sendable {
  let key: EntityKey
  let plan: RelationPlan
  private(set) var changes: [(field: RelationPlan.Field, relation: RelationStorage)] = []

  init<T: Storable>(of entity: T, id: String, _ plan: RelationPlan) {
    key = EntityKey(T.self, id)
    self.plan = plan
    if plan.fields.isEmpty { return }
    changes = withUnsafePointer(to: entity) { pointer in
      plan.fields.map { ($0, UnsafeRawPointer(pointer).relation($0)) }.filter { $0.1.isChanged }
    }
  }
}
