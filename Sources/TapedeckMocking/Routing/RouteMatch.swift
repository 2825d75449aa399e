package import TapedeckHTTP

package enum RouteResponse: Sendable {
  case response(HTTPResponse)
  case stream(HTTPResponseHead, BodyStream)
  /// The request is passed on as if there were no route.
  case passthrough

  /// Writes a response as a route would.
  /// - Throws: `RouterError` or `SerializationError`.
  package init(_ response: Response) throws {
    self = try RouterSettings().response(to: response)
  }

  func decorated(for request: Request) async throws -> Response {
    switch self {
    case .response(let response): Response(response)
    case .stream(let head, let stream): Response(head, stream)
    case .passthrough: try await request.continue()
    }
  }
}

/// A request and the route it matches, before the handler runs; to cancel, drop the match.
package struct RouteMatch: Sendable {
  let route: RegisteredRoute
  package let request: Request
  let settings: RouterSettings
  package let latencyNanoseconds: Int64

  /// Like `GET /users/:id`.
  package var routeDescription: String { route.description }

  /// Its number in the router.
  package var routeNumber: Int { route.number }

  package var isAsync: Bool {
    if !settings.middleware.isEmpty { return true }
    if case .sync = route.handler { return false }
    return true
  }

  /// Runs a handler that is not async and turns an error into a response.
  package func response() -> RouteResponse {
    do { return try run() } catch { return response(to: error) }
  }

  /// Runs the handler and turns an error into a response.
  /// - Parameter next: serves `request.continue()` when the handler awaits it.
  package func response(next: Request.Continuation?) async -> RouteResponse {
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

  package func run(next: Request.Continuation?) async throws -> RouteResponse {
    var request = request
    request.next = next ?? request.next
    return try await run(settings.middleware[...], request)
  }

  private func run(
    _ middleware: ArraySlice<Router.Middleware>, _ request: Request
  ) async throws -> RouteResponse {
    if let outermost = middleware.first {
      var settings = settings
      settings.opensWebSocket = route.opensWebSocket
      let value = try await outermost(request) { inner in
        try await run(middleware.dropFirst(), inner).decorated(for: inner)
      }
      return try settings.response(to: value)
    }
    switch route.handler {
    case .sync(let handler): return try handler(request, settings)
    case .async(let handler): return try await handler(request, settings)
    case .webSocket(let route): return .response(HTTPResponse(head: route.head(for: request)))
    }
  }

  /// The response to an error: its own if it is a `ResponseFieldsProvider`, else a 500 that names it.
  package func response(to error: any Error) -> RouteResponse {
    if let error = error as? any ResponseFieldsProvider,
      let response = try? settings.response(to: error)
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

/// A handler in Kakapo's form. `nil` responds with an empty body and the router's `nilStatusCode`.
public typealias RouteHandler = @Sendable (Request) throws -> (any Serializable)?

/// A handler of any kind. Its result is written where the handler runs, so values need not be sendable.
enum RouteHandling: Sendable {
  case sync(@Sendable (Request, RouterSettings) throws -> RouteResponse)
  case async(@Sendable (Request, RouterSettings) async throws -> RouteResponse)
  case webSocket(WebSocketRoute)

  static func returning(_ handler: @escaping RouteHandler) -> RouteHandling {
    .sync { request, settings in try settings.response(to: try handler(request)) }
  }

  static func returning(
    _ handler: @escaping @Sendable (Request) async throws -> (any Serializable)?
  ) -> RouteHandling {
    .async { request, settings in try settings.response(to: try await handler(request)) }
  }

  /// One response after the other; the last one repeats.
  static func sequence(_ responses: [any Serializable & Sendable]) -> RouteHandling {
    let left = UseCounter(max(0, responses.count - 1))
    return .sync { _, settings in
      let response = responses.isEmpty ? nil : responses[responses.count - 1 - left.take()]
      return try settings.response(to: response)
    }
  }
}

/// The reason why a router cannot respond.
public enum RouterError: Error, Equatable, Sendable, CustomStringConvertible {
  /// `request.continue()` was called, but there is nothing to pass the request on to.
  case nothingBehind(method: String, url: String)
  /// A status outside 200 to 999, where no WebSocket is opened.
  case badStatus(Int)
  /// A header field that HTTP does not allow, with the reason.
  case badHeader(String)
  /// An `async` handler was called where nothing can wait for it.
  case handlerIsAsync(route: String)

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
