/// What is said about the entities of a factory: in it, in a trait, or where one is made.
public struct Blueprint<T: Storable>: Sendable {
  /// The id that it shall have; nil for one of the store's.
  public var id: String?
  private(set) var attributes: [Attribute<T>] = []
  private(set) var traits: [String: @Sendable (inout Blueprint<T>) -> Void] = [:]
  private(set) var hooks: [@Sendable (T, Store) throws -> Void] = []

  /// Sets a property.
  public mutating func set<Value: Sendable>(
    _ property: any WritableKeyPath<T, Value> & Sendable, _ value: Value
  ) {
    set(property) { _ in value }
  }

  /// Sets a property to a value that is made for each entity. It may ask for other properties, in whatever order they
  /// are set: `{ "\(try $0[\.name])@example.com" }`.
  public mutating func set<Value>(
    _ property: any WritableKeyPath<T, Value> & Sendable,
    _ make: @escaping @Sendable (Maker<T>) throws -> Value
  ) {
    add(Attribute(property, isAssociation: false, make))
  }

  /// Makes the entity that this one belongs to, unless the property is set otherwise.
  public mutating func associate<Target>(
    _ property: any WritableKeyPath<T, ToOne<Target>> & Sendable, _ factory: Factory<Target>,
    _ traits: String...
  ) {
    add(
      Attribute(property, isAssociation: true) { maker in
        ToOne(try maker.partners(1, of: factory, traits).first)
      })
  }

  /// Makes entities that belong to this one, unless the property is set otherwise.
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

  /// Gives a name to something that may be said about an entity.
  public mutating func trait(_ name: String, _ describe: @escaping @Sendable (inout Blueprint<T>) -> Void) {
    traits[name] = describe
  }

  /// Runs when an entity is in the store, after what was said here and before.
  public mutating func afterCreate(_ hook: @escaping @Sendable (T, Store) throws -> Void) {
    hooks.append(hook)
  }

  /// Puts it at the end, for a part may be set behind the whole and the whole behind a part.
  private mutating func add(_ attribute: Attribute<T>) {
    attributes.removeAll { $0.path == attribute.path }
    attributes.append(attribute)
  }
}

/// How one property comes by its value.
struct Attribute<T: Storable>: Sendable {
  /// What the property is known by.
  let path: any AnyKeyPath & Sendable
  let isAssociation: Bool
  /// Finds the value, and says how it is put in.
  let make: @Sendable (Maker<T>) throws -> (inout T) -> Void

  init<Value>(
    _ property: any WritableKeyPath<T, Value> & Sendable, isAssociation: Bool,
    _ make: @escaping @Sendable (Maker<T>) throws -> Value
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
