extension Store {
  /// The entity that a relation refers to.
  public func find<T>(_ relation: ToOne<T>) -> T? { relation.id.flatMap { find(T.self, id: $0) } }

  /// The entities that a relation refers to, in its order, without those deleted in the meantime.
  public func findAll<T>(_ relation: ToMany<T>) -> [T] { findAll(T.self, ids: relation.ids) }

  /// The entity that a relation refers to, if it is of this type.
  public func find<each T, Wanted: Storable>(_ relation: ToOneOf<repeat each T>, as type: Wanted.Type)
    -> Wanted?
  {
    relation.id(of: type).flatMap { find(type, id: $0) }
  }

  /// The entity that a relation refers to, whatever its type.
  public func find<each T>(_ relation: ToOneOf<repeat each T>) -> (any Storable)? {
    guard let type = relation.type, let id = relation.id else { return nil }
    return find(type, id: id)
  }

  /// The entities of this type that a relation refers to.
  public func findAll<each T, Wanted: Storable>(_ relation: ToManyOf<repeat each T>, as type: Wanted.Type)
    -> [Wanted]
  {
    findAll(type, ids: relation.ids(of: type))
  }

  /// The entities with these ids, in this order; unknown ids are skipped.
  public func findAll<T: Storable>(_ type: T.Type, ids: [String]) -> [T] {
    withState { state in
      guard let entities = state.existingBucket(type)?.entities else { return [] }
      return ids.compactMap { entities.find($0) }
    }
  }

  // MARK: Creating entities with relations

  /// Creates entities with consecutive ids, or none if a relation refers to a missing entity.
  @discardableResult
  public func create<T: Related>(_ type: T.Type, number: Int = 1) throws(StoreError) -> [T] {
    precondition(number >= 0, "create(\(type), number: \(number)): that is no number of entities")
    return try createChecked(type, number: number)
  }

  /// Inserts the entity that `make` returns for a new id; nothing if it throws or a target is missing.
  @discardableResult
  public func insert<T: Related>(_ make: (String) throws -> T) throws -> T { try insertChecked(make) }

  package func insertChecked<T: Storable>(_ make: (String) throws -> T) throws -> T {
    let (entity, id) = try made(make)
    return try keep([entity], reserved: [id])[0]
  }

  /// Inserts an entity, or replaces the one with its id.
  public func upsert<T: Related>(_ entity: T) throws(StoreError) { try upsertChecked(entity) }

  /// The first entity that satisfies `isWanted`; if there is none, the one that `make` creates for a new id.
  public func findOrCreate<T: Related>(
    _ type: T.Type, where isWanted: (T) throws -> Bool, make: (String) throws -> T
  ) throws -> T {
    if let found = try first(type, where: isWanted) { return found }
    let (entity, id) = try made(make)
    while true {
      let (found, version) = try wanted(isWanted, insteadOf: id)
      if let found { return found }
      if let kept = try keep([entity], reserved: [id], ifStillAt: version)?.first { return kept }
    }
  }

  // MARK: Checking declarations

  /// Throws if the relations of these types have no clear inverse or contradict each other.
  public static func checkRelations<each T: Storable>(of types: repeat (each T).Type) throws {
    for plan in repeat RelationPlan.of(each types) {
      if let (relation, problem) = plan.problem {
        throw StoreError.badRelation(type: "\(plan.type)", id: "", relation: relation, problem)
      }
    }
  }
}
