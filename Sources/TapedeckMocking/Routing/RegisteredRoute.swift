internal import Synchronization
internal import TapedeckHTTP

/// A route as the router keeps it.
struct RegisteredRoute: Sendable {
  typealias Predicate = @Sendable (Request) -> Bool

  /// Counts registrations: the later route has the larger one.
  let number: Int
  /// Nil for any.
  let method: HTTPMethod?
  let pattern: RoutePattern
  var headers: [HeaderFields.Field] = []
  var predicates: [Predicate] = []
  var latency: Latency?
  /// How often it still answers; nil for ever.
  var uses: UseCounter?
  let handler: RouteHandling

  init(number: Int, method: HTTPMethod?, pattern: RoutePattern, handler: RouteHandling) {
    self.number = number
    self.method = method
    self.pattern = pattern
    self.handler = handler
  }

  /// Routes of one identity replace one another. One that answers only sometimes stands beside others; it has none.
  var identity: RouteIdentity? {
    guard predicates.isEmpty, uses == nil else { return nil }
    return RouteIdentity(
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

struct RouteIdentity: Hashable, Sendable {
  var method: HTTPMethod?
  var shape: [String]
  var headers: [String]
}

/// Counts down to nothing.
final class UseCounter: Sendable {
  private let left: Mutex<Int>

  init(_ count: Int) { left = Mutex(count) }

  var isSpent: Bool { left.withLock { $0 <= 0 } }

  /// How many there were; takes one if there was one.
  func takeRemaining() -> Int {
    left.withLock { left in
      defer { left = max(0, left - 1) }
      return left
    }
  }

  /// Takes one; false when none was left.
  func take() -> Bool {
    left.withLock { left in
      guard left > 0 else { return false }
      left -= 1
      return true
    }
  }
}
