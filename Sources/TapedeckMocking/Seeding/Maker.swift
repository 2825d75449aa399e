extension Factory {
  /// The entity that a factory is creating, passed to the closures that compute its values.
  public final class Maker {
    /// How many entities of this type factories created in this store before.
    public let number: Int
    /// Realistic values that are the same in every run.
    public var fake: Fake
    /// The store of the entity; `nil` if it is only built.
    public let store: Store?

    private let blueprint: Blueprint
    private let blank: T
    private var draft: T
    private var setters: [AnyKeyPath: (inout T) -> Void] = [:]
    /// The attributes being computed, outermost first.
    private var open: [Attribute] = []

    init(_ blank: T, _ blueprint: Blueprint, number: Int, seed: UInt64, store: Store?) {
      (self.blank, draft) = (blank, blank)
      self.blueprint = blueprint
      self.number = number
      self.store = store
      fake = Fake(seed: seed, of: "\(T.self)", number: number)
    }

    /// The value of another property, computed first if necessary.
    /// - Throws: `SeedingError.cycle`, or what the closure of that property throws.
    public subscript<Value>(_ property: KeyPath<T, Value>) -> Value {
      get throws {
        if let attribute = wanted.first(where: { ($0.path as AnyKeyPath) == property }) {
          _ = try setter(of: attribute)
        }
        return draft[keyPath: property]
      }
    }

    /// Associations come last, so that no partner is created for an entity that fails.
    func make() throws -> T {
      for attribute in wanted where !attribute.isAssociation { _ = try setter(of: attribute) }
      var entity = blank
      for attribute in wanted { try setter(of: attribute)(&entity) }
      return entity
    }

    private var wanted: [Attribute] { blueprint.attributes.filter { store != nil || !$0.isAssociation } }

    private func setter(of attribute: Attribute) throws -> (inout T) -> Void {
      if let setter = setters[attribute.path] { return setter }
      if let start = open.firstIndex(where: { $0.path == attribute.path }) {
        throw SeedingError.cycle((open[start...] + [attribute]).map(\.name))
      }
      open.append(attribute)
      defer { open.removeLast() }
      let setter = try attribute.make(self)
      setters[attribute.path] = setter
      setter(&draft)
      return setter
    }

    func partners<Target>(_ count: Int, of factory: Factory<Target>, _ traits: [String]) throws -> [Target] {
      guard let store else { return [] }
      return try factory.createList(count, in: store, traits: traits)
    }
  }
}
