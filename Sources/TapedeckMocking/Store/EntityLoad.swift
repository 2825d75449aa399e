/// Entities with given ids, to be added to a store together with others.
protocol EntityLoad: Sendable {
  var typeName: String { get }
  var keys: [EntityKey] { get }
  /// - Throws: the reason why they cannot be added.
  func check(_ state: inout Store.State, _ arriving: Set<EntityKey>) throws(StoreError)
  func insert(_ state: inout Store.State)
  func link(_ state: inout Store.State)
}

struct EntitiesToLoad<T: Storable>: EntityLoad {
  private let entities: [T]
  private let relations: [RelationChanges]
  private let plan: RelationPlan

  init(_ entities: [T]) {
    let plan = RelationPlan.of(T.self)
    self.entities = entities
    self.plan = plan
    relations = entities.map { RelationChanges(of: $0, id: $0.id, plan) }
  }

  var typeName: String { "\(T.self)" }
  var keys: [EntityKey] { relations.map(\.key) }

  func check(_ state: inout Store.State, _ arriving: Set<EntityKey>) throws(StoreError) {
    let known = state.bucket(T.self, plan).entities
    for relations in relations {
      guard !known.has(relations.key.id) else {
        throw .duplicateID(type: "\(T.self)", id: relations.key.id)
      }
      try state.check(relations, arriving: arriving)
    }
  }

  func insert(_ state: inout Store.State) {
    let bucket = state.bucket(T.self, plan)
    for (entity, relations) in zip(entities, relations) {
      state.ids.notice(relations.key.id, of: plan.key)
      bucket.append(entity, id: relations.key.id)
    }
  }

  func link(_ state: inout Store.State) {
    for relations in relations { state.link(relations) }
  }
}
