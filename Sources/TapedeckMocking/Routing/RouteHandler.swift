internal import TapedeckHTTP

/// A handler in Kakapo's form. `nil` responds with an empty body and the router's `nilStatusCode`.
public typealias RouteHandler = @Sendable (Request) throws -> (any Serializable)?

/// A handler of any kind. Its result is written where the handler runs, so that values need not be sendable.
enum RouteHandling: Sendable {
  case sync(@Sendable (Request, RouterSettings) throws -> RouteResponse)
  case async(@Sendable (Request, RouterSettings) async throws -> RouteResponse)

  static func returning(_ handler: @escaping RouteHandler) -> RouteHandling {
    .sync { request, settings in try ResponseWriter.response(to: try handler(request), settings) }
  }

  static func returning(
    _ handler: @escaping @Sendable (Request) async throws -> (any Serializable)?
  ) -> RouteHandling {
    .async { request, settings in try ResponseWriter.response(to: try await handler(request), settings) }
  }

  /// One response after the other; the last one repeats.
  static func sequence(_ responses: [any Serializable & Sendable]) -> RouteHandling {
    let left = UseCounter(max(0, responses.count - 1))
    return .sync { _, settings in
      let response = responses.isEmpty ? nil : responses[responses.count - 1 - left.takeRemaining()]
      return try ResponseWriter.response(to: response, settings)
    }
  }
}
