package import TapedeckHTTP

/// The outcome of a route's handler.
package enum RouteResponse: Sendable {
  case response(HTTPResponse)
  case stream(HTTPResponseHead, BodyStream)
  /// The request goes on as if there were no route.
  case passthrough

  /// Writes a response as a route would.
  /// - Throws: `RouterError` or `SerializationError`.
  package init(_ response: Response) throws {
    self = try ResponseWriter.response(to: response, RouterSettings())
  }

  /// The form in which a middleware gets it.
  func decorated(for request: Request) async throws -> Response {
    switch self {
    case .response(let response): Response(response)
    case .stream(let head, let stream): Response(head, stream)
    case .passthrough: try await request.continue()
    }
  }
}

/// A request and the route that takes it, before the handler runs. The handler does not run until a response is asked
/// for; to cancel, drop the match.
package struct RouteMatch: Sendable {
  let route: RegisteredRoute
  package let request: Request
  let settings: RouterSettings
  /// How long to wait before the handler runs.
  package let latencyNanoseconds: Int64

  /// Like `GET /users/:id`.
  package var routeDescription: String { route.description }

  /// Whether the handler has to be awaited.
  package var isAsync: Bool {
    if !settings.middleware.isEmpty { return true }
    if case .async = route.handler { return true }
    return false
  }

  /// Runs a handler that is not async and turns an error into a response.
  package func response() -> RouteResponse {
    do { return try run() } catch { return response(to: error) }
  }

  /// Runs the handler and turns an error into a response.
  /// - Parameter next: responds when the handler awaits `request.continue()`.
  package func response(
    next: (@Sendable (Request) async throws -> HTTPResponse)?
  ) async -> RouteResponse {
    do { return try await run(next: next) } catch { return response(to: error) }
  }

  /// Runs a handler that is not async.
  /// - Throws: what the handler throws, or `RouterError.handlerIsAsync`.
  package func run() throws -> RouteResponse {
    guard case .sync(let handler) = route.handler, settings.middleware.isEmpty else {
      throw RouterError.handlerIsAsync(route: route.description)
    }
    return try handler(request, settings)
  }

  /// Runs the handler.
  /// - Throws: what the handler throws.
  package func run(
    next: (@Sendable (Request) async throws -> HTTPResponse)?
  ) async throws -> RouteResponse {
    var request = request
    request.next = next ?? request.next
    return try await run(settings.middleware[...], request)
  }

  /// Runs the handler inside the middleware.
  private func run(_ middleware: ArraySlice<Router.Middleware>, _ request: Request) async throws
    -> RouteResponse
  {
    if let outermost = middleware.first {
      let value = try await outermost(request) { inner in
        try await run(middleware.dropFirst(), inner).decorated(for: inner)
      }
      return try ResponseWriter.response(to: value, settings)
    }
    switch route.handler {
    case .sync(let handler): return try handler(request, settings)
    case .async(let handler): return try await handler(request, settings)
    }
  }

  /// The response to an error: its own when it is a `ResponseFieldsProvider`, else a 500 that names the request, the
  /// route and the error.
  package func response(to error: any Error) -> RouteResponse {
    if let error = error as? any ResponseFieldsProvider,
      let response = try? ResponseWriter.response(to: error, settings)
    {
      return response
    }
    let failure = "the handler of \(route.description) failed: \(error)"
    let document: JSONValue = [
      "title": "Internal Server Error", "status": 500,
      "detail": JSONValue("\(request.method.rawValue) \(request.url): \(failure)"),
    ]
    var response = HTTPResponse(
      status: 500, contentType: "application/problem+json", body: document.bytes(.pretty))
    response.failure = ExchangeFailure(cause: "proxy_internal_error", detail: failure)
    return .response(response)
  }
}

/// Why a router cannot respond.
public enum RouterError: Error, Equatable, Sendable, CustomStringConvertible {
  /// `request.continue()` where nothing is behind the router.
  case nothingBehind(method: String, url: String)
  /// A status outside 200 to 999.
  case badStatus(Int)
  /// A header field that HTTP does not allow; the value says why.
  case badHeader(String)
  /// An `async` handler, called from a place that cannot wait.
  case handlerIsAsync(route: String)

  /// The message, with the request or the route.
  public var description: String {
    switch self {
    case .nothingBehind(let method, let url):
      "\(method) \(url): the handler let the request go on, but nothing behind this router responds"
    case .badStatus(let status): "\(status) is not a response status; statuses go from 200 to 999"
    case .badHeader(let problem): problem
    case .handlerIsAsync(let route):
      "the handler of \(route) is async: use `try await router.respond(to:)`"
    }
  }
}
