internal import Synchronization
internal import TapedeckHTTP

/// A registered route: a handle to narrow it, slow it down or remove it.
public struct Route: Sendable {
  let router: Router
  let number: Int

  /// Makes the route respond only where `predicate` holds; elsewhere the next route that matches is asked. It stands
  /// beside a route of the same path without a predicate, and is asked first.
  @discardableResult
  public func when(_ predicate: @escaping @Sendable (Request) -> Bool) -> Route {
    router.alter(number) { $0.predicates.append(predicate) }
    return self
  }

  /// Makes the route respond only to requests with all of these header fields; `*` stands for any value.
  @discardableResult
  public func headers(_ fields: HeaderFields) -> Route {
    router.alter(number) { $0.headers += fields.fields }
    return self
  }

  /// Delays the route's responses, whatever its router's latency.
  @discardableResult
  public func latency(_ latency: Latency) -> Route {
    router.alter(number) { $0.latency = latency }
    return self
  }

  /// Makes the route respond once; then the route it replaced responds again.
  @discardableResult
  public func once() -> Route { times(1) }

  /// Makes the route respond `count` times; then the route it replaced responds again.
  @discardableResult
  public func times(_ count: Int) -> Route {
    router.alter(number) { $0.uses = UseCounter(count) }
    return self
  }

  /// Removes the route.
  /// - Returns: false when it was removed already.
  @discardableResult
  public func remove() -> Bool { router.remove(number, restoringReplaced: false) }

  /// Removes the route and puts back the one it replaced.
  /// - Returns: false when it was removed already.
  @discardableResult
  public func restore() -> Bool { router.remove(number, restoringReplaced: true) }
}

/// A route as the router keeps it.
struct RegisteredRoute: Sendable {
  typealias Predicate = @Sendable (Request) -> Bool

  /// Routes of one identity replace one another.
  struct Identity: Hashable, Sendable {
    var method: HTTPMethod?
    var shape: [String]
    var headers: [String]
  }

  /// Counts registrations: the later route has the larger one.
  let number: Int
  /// `nil` for any.
  let method: HTTPMethod?
  let pattern: RoutePattern
  var headers: [HeaderFields.Field] = []
  var predicates: [Predicate] = []
  var latency: Latency?
  /// How often it still responds; `nil` for no limit.
  var uses: UseCounter?
  let handler: RouteHandling

  init(number: Int, method: HTTPMethod?, pattern: RoutePattern, handler: RouteHandling) {
    self.number = number
    self.method = method
    self.pattern = pattern
    self.handler = handler
  }

  /// `nil` for a route that responds only sometimes: it stands beside others.
  var identity: Identity? {
    guard predicates.isEmpty, uses == nil else { return nil }
    return Identity(
      method: method, shape: pattern.shape,
      headers: headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted())
  }

  /// Whether of two routes for the same path this one is asked first.
  func goesBefore(_ other: RegisteredRoute) -> Bool {
    if (method == nil) != (other.method == nil) { return method != nil }
    if pattern.query.count != other.pattern.query.count {
      return pattern.query.count > other.pattern.query.count
    }
    if headers.count != other.headers.count { return headers.count > other.headers.count }
    return number > other.number
  }

  func acceptsHeaders(_ fields: HTTPFields) -> Bool {
    guard !headers.isEmpty else { return true }
    let fields = HeaderFields(fields)
    return headers.allSatisfy { wanted in
      fields.values(of: wanted.name).contains { wanted.value == "*" || $0 == wanted.value }
    }
  }

  /// Like `GET /users/:id`.
  var description: String { "\(method?.rawValue ?? "any") \(pattern.text)" }
}

/// Counts down to zero.
final class UseCounter: Sendable {
  private let left: Mutex<Int>

  init(_ count: Int) { left = Mutex(count) }

  var isSpent: Bool { left.withLock { $0 <= 0 } }

  /// Takes one if there is one.
  /// - Returns: how many there were.
  func takeRemaining() -> Int {
    left.withLock { left in
      defer { left = max(0, left - 1) }
      return left
    }
  }

  /// Takes one.
  /// - Returns: false when none was left.
  func take() -> Bool { takeRemaining() > 0 }
}
