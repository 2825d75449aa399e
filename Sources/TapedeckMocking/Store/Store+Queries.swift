extension Store {
  /// The entity that was inserted first.
  public func first<T: Storable>(_ type: T.Type) -> T? { findAll(type).first }

  /// The first entity that satisfies `isWanted`.
  public func first<T: Storable>(_ type: T.Type, where isWanted: (T) throws -> Bool) rethrows -> T? {
    try findAll(type).first(where: isWanted)
  }

  /// The first entity with a property value: `store.findBy(User.self, \.email, "ada@example.com")`.
  public func findBy<T: Storable, Value: Equatable>(
    _ type: T.Type, _ property: KeyPath<T, Value>, _ value: Value
  ) -> T? {
    first(type) { $0[keyPath: property] == value }
  }

  /// All entities with a property value.
  public func findAllBy<T: Storable, Value: Equatable>(
    _ type: T.Type, _ property: KeyPath<T, Value>, _ value: Value
  ) -> [T] {
    filter(type) { $0[keyPath: property] == value }
  }

  /// The number of entities that satisfy `isCounted`.
  public func count<T: Storable>(_ type: T.Type, where isCounted: (T) throws -> Bool) rethrows -> Int {
    try findAll(type).count(where: isCounted)
  }

  /// All entities sorted by a property; equal ones in the order of insertion.
  public func findAll<T: Storable, Value: Comparable>(
    _ type: T.Type, sortedBy property: KeyPath<T, Value>, descending: Bool = false
  ) -> [T] {
    findAll(type).sortedStably { left, right in
      descending
        ? right[keyPath: property] < left[keyPath: property]
        : left[keyPath: property] < right[keyPath: property]
    }
  }

  /// A page of all entities; the first page is 1.
  public func page<T: Storable>(_ type: T.Type, number: Int, size: Int) -> Page<T> {
    Page(of: findAll(type), number: number, size: size)
  }

  /// A page of the entities that satisfy `isIncluded`.
  public func page<T: Storable>(
    _ type: T.Type, number: Int, size: Int, where isIncluded: (T) throws -> Bool
  ) rethrows -> Page<T> {
    Page(of: try filter(type, isIncluded: isIncluded), number: number, size: size)
  }

  /// The first entity that satisfies `isWanted`; if there is none, the one that `make` creates for a new id.
  /// `make` may run more than once, but concurrent calls return the same entity.
  public func findOrCreate<T: Storable>(
    _ type: T.Type, where isWanted: (T) throws -> Bool, make: (String) throws -> T
  ) rethrows -> T {
    if let found = try first(type, where: isWanted) { return found }
    let (entity, id) = try made(make)
    while true {
      let (found, version) = try wanted(isWanted, insteadOf: id)
      if let found { return found }
      let kept = Self.orStop { () throws(StoreError) in
        try keep([entity], reserved: [id], ifStillAt: version)
      }
      if let kept = kept?.first { return kept }
    }
  }

  /// The first entity that satisfies `isWanted`; if there is one, the reserved id is released.
  func wanted<T: Storable>(_ isWanted: (T) throws -> Bool, insteadOf id: String) rethrows -> (
    found: T?, version: Int
  ) {
    do {
      let (all, version) = versioned(T.self)
      let found = try all.first(where: isWanted)
      if found != nil { release([id], T.self) }
      return (found, version)
    } catch {
      release([id], T.self)
      throw error
    }
  }
}

extension Array {
  package func sortedStably(by areInOrder: (Element, Element) -> Bool) -> [Element] {
    enumerated().sorted { left, right in
      if areInOrder(left.element, right.element) { return true }
      return !areInOrder(right.element, left.element) && left.offset < right.offset
    }.map(\.element)
  }
}
