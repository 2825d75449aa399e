/// A handler in Kakapo's form. Nil answers with an empty body and the router's `nilStatusCode`.
public typealias RouteHandler = @Sendable (Request) throws -> (any Serializable)?

/// A handler that may wait.
public typealias AsyncRouteHandler = @Sendable (Request) async throws -> (any Serializable)?

/// A handler of any kind. What it returns is written down where it runs, so values need not be sendable.
enum RouteHandling: Sendable {
  case sync(@Sendable (Request, RouterSettings) throws -> RouteAnswer)
  case async(@Sendable (Request, RouterSettings) async throws -> RouteAnswer)

  static func returning(_ handler: @escaping RouteHandler) -> RouteHandling {
    .sync { request, settings in try AnswerWriter.answer(try handler(request), settings) }
  }

  static func returning(_ handler: @escaping AsyncRouteHandler) -> RouteHandling {
    .async { request, settings in try AnswerWriter.answer(try await handler(request), settings) }
  }
}

extension RouteHandling {
  /// The answers one after the other; the last one stays.
  static func sequence(_ answers: [any Serializable & Sendable]) -> RouteHandling {
    let followers = UseCounter(max(0, answers.count - 1))
    return .sync { _, settings in
      let answer = answers.isEmpty ? nil : answers[answers.count - 1 - followers.takeRemaining()]
      return try AnswerWriter.answer(answer, settings)
    }
  }
}
