public import TapedeckMocking

/// What becomes of a request that no route takes.
public indirect enum UnmatchedPolicy: Sendable {
  /// It goes to the real network, as if nothing were intercepted.
  case passThrough
  /// It fails with an error that names the nearest routes; the network is never asked.
  case fail
  /// It gets this answer; one without a body says what came and which routes are nearest.
  case answer(Response)
  /// As the closure says: for exceptions by host or path, for an assertion, for an issue of the test.
  case decide(@Sendable (UnmatchedRequest) -> UnmatchedPolicy)

  public static let notFound = UnmatchedPolicy.answer(Response(statusCode: 404))
}

/// A request that no route takes, and the routes that come nearest.
public struct UnmatchedRequest: Sendable, CustomStringConvertible {
  public let request: Request
  /// The nearest first, each with what is different.
  public let nearestRoutes: [String]

  public var description: String {
    RouteRefusal.text("\(request.method) \(request.url)", nearest: nearestRoutes)
  }
}
