/// Creates entities with sensible values, so that a test states only what it depends on.
///
/// ```swift
/// let users = Factory(User.self) { user in
///   user.set(\.name) { $0.fake.name() }
///   user.set(\.email) { "\(try $0[\.name])\($0.number)@example.com" }
///   user.trait("admin") { $0.set(\.isAdmin, true) }
/// }
/// let posts = Factory(Post.self) { post in
///   post.associate(\.author, users)
///   post.afterCreate { post, store in try comments.createList(3, in: store) { $0.set(\.post, ToOne(post)) } }
/// }
///
/// let ada = try users.create(in: store, "admin") { $0.set(\.name, "Ada") }
/// try posts.createList(20, in: store)
/// ```
///
/// The values of a call take precedence, then those of its traits, last first, then the factory's.
public struct Factory<T: Storable>: Sendable {
  private var base: Blueprint
  private let seed: UInt64

  /// Creates a factory.
  /// - Parameter seed: the seed of the fake values; with the same seed, every run makes the same entities.
  public init(_ type: T.Type, seed: UInt64 = 0, _ describe: (inout Blueprint) -> Void = { _ in }) {
    var blueprint = Blueprint()
    describe(&blueprint)
    (base, self.seed) = (blueprint, seed)
  }

  /// A factory with additional or different values.
  public func extended(_ describe: (inout Blueprint) -> Void) -> Factory {
    var factory = self
    describe(&factory.base)
    return factory
  }

  // MARK: Creating entities

  /// Creates an entity and inserts it into the store, unless an attribute, trait or relation fails.
  @discardableResult
  public func create(
    in store: Store, _ traits: String..., overriding: (inout Blueprint) -> Void = { _ in }
  ) throws -> T {
    try create(in: store, try blueprint(traits, overriding))
  }

  /// Creates entities and inserts them into the store.
  @discardableResult
  public func createList(
    _ count: Int, in store: Store, _ traits: String..., overriding: (inout Blueprint) -> Void = { _ in }
  ) throws -> [T] {
    try createList(count, in: store, traits: traits, overriding: overriding)
  }

  func createList(
    _ count: Int, in store: Store, traits: [String], overriding: (inout Blueprint) -> Void = { _ in }
  ) throws -> [T] {
    let blueprint = try blueprint(traits, overriding)
    return try Self.numbers(count).map { _ in try create(in: store, blueprint) }
  }

  /// Creates an entity outside of a store: without associations, `afterCreate` and, unless set, an id.
  public func build(_ traits: String..., overriding: (inout Blueprint) -> Void = { _ in }) throws -> T {
    try build(0, try blueprint(traits, overriding))
  }

  /// Creates entities outside of a store.
  public func buildList(
    _ count: Int, _ traits: String..., overriding: (inout Blueprint) -> Void = { _ in }
  ) throws -> [T] {
    let blueprint = try blueprint(traits, overriding)
    return try Self.numbers(count).map { try build($0, blueprint) }
  }

  private static func numbers(_ count: Int) throws(SeedingError) -> Range<Int> {
    guard count >= 0 else { throw .badAmount(count) }
    return 0..<count
  }

  private func blueprint(_ traits: [String], _ overriding: (inout Blueprint) -> Void) throws(SeedingError)
    -> Blueprint
  {
    var blueprint = base
    for name in traits {
      guard let trait = base.traits[name] else {
        throw .unknownTrait(name, known: base.traits.keys.sorted())
      }
      trait(&blueprint)
    }
    overriding(&blueprint)
    return blueprint
  }

  private func build(_ number: Int, _ blueprint: Blueprint) throws -> T {
    let blank = T(id: blueprint.id ?? "", store: Store())
    return try Maker(blank, blueprint, number: number, seed: seed, store: nil).make()
  }

  private func create(in store: Store, _ blueprint: Blueprint) throws -> T {
    let number = store.nextNumber(of: T.self)
    func make(_ id: String) throws -> T {
      let blank = T(id: id, store: store)
      return try Maker(blank, blueprint, number: number, seed: seed, store: store).make()
    }
    let id: String
    if let chosen = blueprint.id {
      id = try store.insert(try make(chosen)).id
    } else {
      let (entity, made) = try store.made(make)
      id = try store.keep([entity], reserved: [made])[0].id
    }
    for hook in blueprint.hooks { try hook(try store.get(T.self, id: id), store) }
    return try store.get(T.self, id: id)
  }
}

extension Store {
  fileprivate func get<T: Storable>(_ type: T.Type, id: String) throws(StoreError) -> T {
    guard let entity = find(type, id: id) else { throw .invalidEntity(type: "\(type)", id: id) }
    return entity
  }
}
