/// Entities with given ids, to be added to a store together with others.
struct EntityLoad: Sendable {
  let typeName: String
  let keys: [EntityKey]
  /// - Throws: the reason why they cannot be added.
  let check: @Sendable (inout Store.State, _ arriving: Set<EntityKey>) throws(StoreError) -> Void
  let insert: @Sendable (inout Store.State) -> Void
  let link: @Sendable (inout Store.State) -> Void

  init<T: Storable>(_ entities: [T]) {
    let plan = RelationPlan.of(T.self)
    let relations = entities.map { RelationChanges(of: $0, id: $0.id, plan) }
    typeName = "\(T.self)"
    keys = relations.map(\.key)
    check = { state, arriving throws(StoreError) in
      let known = state.bucket(T.self, plan).entities
      for relations in relations {
        let id = relations.key.id
        guard !known.has(id) else { throw .duplicateID(type: "\(T.self)", id: id) }
        try state.check(relations, arriving: arriving)
      }
    }
    insert = { state in
      let bucket = state.bucket(T.self, plan)
      for (entity, relations) in zip(entities, relations) {
        state.ids.notice(relations.key.id, of: plan.key)
        bucket.append(entity, id: relations.key.id)
      }
    }
    link = { state in for relations in relations { state.link(relations) } }
  }
}
