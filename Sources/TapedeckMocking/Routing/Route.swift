internal import Synchronization
internal import TapedeckHTTP

/// A registered route, to constrain, delay or remove it.
public struct Route: Sendable {
  let router: Router
  let number: Int

  /// Makes the route match only if `predicate` holds. A route for the same path without a predicate stays.
  @discardableResult
  public func when(_ predicate: @escaping @Sendable (Request) -> Bool) -> Route {
    router.alter(number) { $0.predicates.append(predicate) }
    return self
  }

  /// Makes the route match only requests with all of these header fields; the value `*` matches any.
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

  /// Makes the route match once; then the route it replaced matches again.
  @discardableResult
  public func once() -> Route { times(1) }

  /// Makes the route match `count` times; then the route it replaced matches again.
  @discardableResult
  public func times(_ count: Int) -> Route {
    router.alter(number) { $0.uses = UseCounter(count) }
    return self
  }

  /// Removes the route.
  /// - Returns: false if it was already removed.
  @discardableResult
  public func remove() -> Bool { router.remove(number, restoringReplaced: false) }

  /// Removes the route and restores the one it replaced.
  /// - Returns: false if it was already removed.
  @discardableResult
  public func restore() -> Bool { router.remove(number, restoringReplaced: true) }
}

struct RegisteredRoute: Sendable {
  typealias Predicate = @Sendable (Request) -> Bool

  /// Later routes have larger numbers.
  let number: Int
  /// `nil` for any method.
  let method: HTTPMethod?
  let pattern: RoutePattern
  var headers: [HeaderFields.Field] = []
  var predicates: [Predicate] = []
  var latency: Latency?
  /// How often it still responds; `nil` for no limit.
  var uses: UseCounter?
  let handler: RouteHandling

  /// Routes with equal identities replace one another. A route that matches only sometimes has none.
  var identity: [String]? {
    guard predicates.isEmpty, uses == nil else { return nil }
    return Self.identity(method, pattern.shape, headers) + (opensWebSocket ? ["websocket"] : [])
  }

  static func identity(_ method: HTTPMethod?, _ shape: [String], _ headers: [HeaderFields.Field]) -> [String]
  {
    [method?.rawValue ?? ""] + shape + headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
  }

  /// Whether it serves WebSockets, and nothing else.
  var opensWebSocket: Bool {
    if case .webSocket = handler { true } else { false }
  }

  func goesBefore(_ other: RegisteredRoute) -> Bool {
    if opensWebSocket != other.opensWebSocket { return opensWebSocket }
    if (method == nil) != (other.method == nil) { return method != nil }
    if (pattern.origin == nil) != (other.pattern.origin == nil) { return pattern.origin != nil }
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
  var description: String { "\(opensWebSocket ? "WebSocket" : method?.rawValue ?? "any") \(pattern.text)" }
}

final class UseCounter: Sendable {
  private let left: Mutex<Int>

  init(_ count: Int) { left = Mutex(count) }

  /// Decrements the count unless it is zero.
  /// - Returns: the count before.
  @discardableResult
  func take() -> Int {
    left.withLock { left in
      defer { left = max(0, left - 1) }
      return left
    }
  }

  var isSpent: Bool { left.withLock { $0 <= 0 } }
}
