extension Store {
  // MARK: Following relations

  /// The entity that a relation leads to.
  public func find<T>(_ relation: ToOne<T>) -> T? { relation.id.flatMap { find(T.self, id: $0) } }

  /// The entities that a relation leads to, in its order; without those that are gone meanwhile.
  public func findAll<T>(_ relation: ToMany<T>) -> [T] { findAll(T.self, ids: relation.ids) }

  /// The entity that a relation leads to, if it is of this type.
  public func find<each T, Wanted: Storable>(_ relation: ToOneOf<repeat each T>, as type: Wanted.Type)
    -> Wanted?
  {
    relation.id(of: type).flatMap { find(type, id: $0) }
  }

  /// The entity that a relation leads to, whatever its type.
  public func find<each T>(_ relation: ToOneOf<repeat each T>) -> (any Storable)? {
    guard let type = relation.type, let id = relation.id else { return nil }
    return find(type, id: id)
  }

  /// The entities of this type that a relation leads to.
  public func findAll<each T, Wanted: Storable>(_ relation: ToManyOf<repeat each T>, as type: Wanted.Type)
    -> [Wanted]
  {
    findAll(type, ids: relation.ids(of: type))
  }

  /// The entities with these ids, in this order; without those that there are not.
  public func findAll<T: Storable>(_ type: T.Type, ids: [String]) -> [T] {
    withState { state in
      guard let entities = state.existingBucket(type)?.entities else { return [] }
      return ids.compactMap { entities.find($0) }
    }
  }

  // MARK: Making what has relations

  /// Makes entities with consecutive ids; all or, when a relation leads to nothing, none.
  @discardableResult
  public func create<T: Related>(_ type: T.Type, number: Int = 1) throws(StoreError) -> [T] {
    precondition(number >= 0, "create(\(type), number: \(number)): that is no number of entities")
    return try createChecked(type, number: number)
  }

  /// Keeps what `make` returns, given the id that it shall have; nothing when `make` throws or a relation leads to
  /// nothing.
  @discardableResult
  public func insert<T: Related>(_ make: (String) throws -> T) throws -> T { try insertChecked(make) }

  package func insertChecked<T: Storable>(_ make: (String) throws -> T) throws -> T {
    let (entity, id) = try made(make)
    return try keep([entity], reserved: [id])[0]
  }

  /// Keeps an entity, in the place of the one with its id when there is one.
  public func upsert<T: Related>(_ entity: T) throws(StoreError) { try upsertChecked(entity) }

  /// The first entity that is wanted; where there is none, the one that `make` makes, given its id.
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

  // MARK: Looking at declarations

  /// Throws where the relations of these types have no clear inverse or contradict each other: what every change of
  /// such an entity would throw.
  public static func checkRelations<each T: Storable>(of types: repeat (each T).Type) throws {
    for plan in repeat RelationPlan.of(each types) {
      if let (relation, problem) = plan.problem {
        throw StoreError.badRelation(type: "\(plan.type)", id: "", relation: relation, problem)
      }
    }
  }
}
