extension Factory {
  /// The description of a factory's entities: in the factory, in a trait, or in a call.
  public struct Blueprint: Sendable {
    /// The id; `nil` lets the store choose one.
    public var id: String?
    private(set) var attributes: [Attribute] = []
    private(set) var traits: [String: @Sendable (inout Blueprint) -> Void] = [:]
    private(set) var hooks: [@Sendable (T, Store) throws -> Void] = []

    /// Sets a property.
    public mutating func set<Value: Sendable>(
      _ property: any WritableKeyPath<T, Value> & Sendable, _ value: Value
    ) {
      set(property) { _ in value }
    }

    /// Sets a property to a value computed for each entity. The closure may read other properties, in any
    /// order: `{ "\(try $0[\.name])@example.com" }`.
    public mutating func set<Value>(
      _ property: any WritableKeyPath<T, Value> & Sendable,
      _ make: @escaping @Sendable (Maker) throws -> Value
    ) {
      add(Attribute(property, isAssociation: false, make))
    }

    /// Creates the entity that this one belongs to, unless the property is set otherwise.
    public mutating func associate<Target>(
      _ property: any WritableKeyPath<T, ToOne<Target>> & Sendable, _ factory: Factory<Target>,
      _ traits: String...
    ) {
      add(
        Attribute(property, isAssociation: true) { maker in
          ToOne(try maker.partners(1, of: factory, traits).first)
        })
    }

    /// Creates entities that belong to this one, unless the property is set otherwise.
    public mutating func associate<Target>(
      _ property: any WritableKeyPath<T, ToMany<Target>> & Sendable, _ factory: Factory<Target>,
      _ traits: String...,
      count: Int
    ) {
      add(
        Attribute(property, isAssociation: true) { maker in
          ToMany(try maker.partners(count, of: factory, traits))
        })
    }

    /// Defines a named part of the description, to be used in calls.
    public mutating func trait(_ name: String, _ describe: @escaping @Sendable (inout Blueprint) -> Void) {
      traits[name] = describe
    }

    /// Adds a function that runs after an entity was inserted into the store, in the order of addition.
    public mutating func afterCreate(_ hook: @escaping @Sendable (T, Store) throws -> Void) {
      hooks.append(hook)
    }

    /// Adds at the end, because the order decides between a property and a part of it.
    private mutating func add(_ attribute: Attribute) {
      attributes.removeAll { $0.path == attribute.path }
      attributes.append(attribute)
    }
  }

  struct Attribute: Sendable {
    let path: any AnyKeyPath & Sendable
    let isAssociation: Bool
    /// Makes the value and returns the function that sets it.
    let make: @Sendable (Maker) throws -> (inout T) -> Void

    init<Value>(
      _ property: any WritableKeyPath<T, Value> & Sendable, isAssociation: Bool,
      _ make: @escaping @Sendable (Maker) throws -> Value
    ) {
      path = property
      self.isAssociation = isAssociation
      self.make = { maker in
        let value = try make(maker)
        return { $0[keyPath: property] = value }
      }
    }

    /// Like `User.name`.
    var name: String { String("\(path)".drop { $0 == "\\" }) }
  }
}
