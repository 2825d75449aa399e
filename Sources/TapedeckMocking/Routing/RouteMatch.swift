package import TapedeckHTTP

/// A request and the route that takes it, before the handler runs. Nothing happens until it is asked for an answer;
/// who cancels lets go of it.
package struct RouteMatch: Sendable {
  let route: RegisteredRoute
  package let request: Request
  let settings: RouterSettings
  /// How long to wait before the handler runs.
  package let latencyNanoseconds: Int64

  init(route: RegisteredRoute, request: Request, settings: RouterSettings, nanoseconds: Int64) {
    self.route = route
    self.request = request
    self.settings = settings
    latencyNanoseconds = nanoseconds
  }

  /// Like `GET /users/:id`.
  package var routeDescription: String { route.description }

  /// Whether the handler has to be waited for.
  package var isAsync: Bool {
    if !settings.middleware.isEmpty { return true }
    if case .async = route.handler { return true }
    return false
  }

  /// Runs a handler that is not async, here and now. What it throws becomes the answer.
  package func answer() -> RouteAnswer {
    do { return try outcome() } catch { return failure(error) }
  }

  /// Runs the handler. What it throws becomes the answer.
  /// - Parameter next: who answers when the handler lets the request go on and waits.
  package func answer(
    next: (@Sendable (Request) async throws -> HTTPResponse)?
  ) async -> RouteAnswer {
    do { return try await outcome(next: next) } catch { return failure(error) }
  }

  /// Runs a handler that is not async, here and now, for a door that knows what to make of some errors.
  package func outcome() throws -> RouteAnswer {
    guard case .sync(let handler) = route.handler, settings.middleware.isEmpty else {
      throw RouterError.handlerIsAsync(route: route.description)
    }
    return try handler(request, settings)
  }

  /// Runs the handler, for a door that knows what to make of some errors.
  package func outcome(
    next: (@Sendable (Request) async throws -> HTTPResponse)?
  ) async throws -> RouteAnswer {
    var request = request
    request.next = next ?? request.next
    return try await run(settings.middleware[...], request)
  }

  /// Runs the handler inside what is around it.
  private func run(_ middleware: ArraySlice<Middleware>, _ request: Request) async throws -> RouteAnswer {
    if let outermost = middleware.first {
      let value = try await outermost(request) { inner in
        try await run(middleware.dropFirst(), inner).response(to: inner)
      }
      return try AnswerWriter.answer(value, settings)
    }
    switch route.handler {
    case .sync(let handler): return try handler(request, settings)
    case .async(let handler): return try await handler(request, settings)
    }
  }

  /// An error that knows its answer gives it; any other is a 500 that names the request, the route and the error.
  package func failure(_ error: any Error) -> RouteAnswer {
    if let error = error as? any ResponseFieldsProvider,
      let answer = try? AnswerWriter.answer(error, settings)
    {
      return answer
    }
    let document: JSONValue = [
      "title": "Internal Server Error", "status": 500,
      "detail": JSONValue(
        "\(request.method.rawValue) \(request.url): the handler of \(route.description) failed: \(error)"),
    ]
    var response = HTTPResponse(
      status: 500, contentType: "application/problem+json", body: document.bytes(.pretty))
    response.failure = ExchangeFailure(
      cause: "proxy_internal_error", detail: "the handler of \(route.description) failed: \(error)")
    return .response(response)
  }
}
