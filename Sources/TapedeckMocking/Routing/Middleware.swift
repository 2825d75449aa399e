internal import TapedeckHTTP

/// What stands around the handlers of a router: it may look at a request, send a changed one on by `next`, answer
/// without asking, or change the answer. What `next` throws is what the handler threw.
public typealias Middleware =
  @Sendable (
    _ request: Request, _ next: @escaping @Sendable (Request) async throws -> Response
  ) async throws -> (any Serializable)?

extension Router {
  /// Puts something around the handlers of all of this router's routes: the one that came first is the outermost. To
  /// have it around other requests too, register `any("*rest") { $0.continue() }`.
  public func use(_ middleware: @escaping Middleware) { changeSettings { $0.middleware.append(middleware) } }
}

extension RouteAnswer {
  /// For a middleware to look at and change.
  func response(to request: Request) async throws -> Response {
    switch self {
    case .response(let response): Response(response)
    case .stream(let head, let stream): Response(head, stream)
    case .passthrough: try await request.continue()
    }
  }
}
