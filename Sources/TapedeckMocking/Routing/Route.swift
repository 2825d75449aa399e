/// A registered route, to be narrowed, slowed or removed.
public struct Route: Sendable {
  let router: Router
  let number: Int

  /// The route answers only where `predicate` holds; elsewhere the next route that matches is asked. It stands beside
  /// one of the same path that has no predicate, and is asked first.
  @discardableResult
  public func when(_ predicate: @escaping @Sendable (Request) -> Bool) -> Route {
    router.alter(number) { $0.predicates.append(predicate) }
    return self
  }

  /// The route answers only requests with all of these header fields; `*` is any value.
  @discardableResult
  public func headers(_ fields: HeaderFields) -> Route {
    router.alter(number) { $0.headers += fields.fields }
    return self
  }

  /// How long this route's answers take, whatever its router's latency.
  @discardableResult
  public func latency(_ latency: Latency) -> Route {
    router.alter(number) { $0.latency = latency }
    return self
  }

  /// The route answers once; then what it took the place of answers again.
  @discardableResult
  public func once() -> Route { times(1) }

  /// The route answers so many times; then what it took the place of answers again.
  @discardableResult
  public func times(_ count: Int) -> Route {
    router.alter(number) { $0.uses = UseCounter(count) }
    return self
  }

  /// Removes it; false when it was gone already.
  @discardableResult
  public func remove() -> Bool { router.remove(number, restoringReplaced: false) }

  /// Removes it and puts back the route that it took the place of; false when it was gone already.
  @discardableResult
  public func restore() -> Bool { router.remove(number, restoringReplaced: true) }
}
