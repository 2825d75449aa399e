internal import TapedeckHTTP

extension RouteRegistering {
  /// Registers a route that serves WebSockets: `router.webSocket("/chat/{room}") { socket in … }`.
  ///
  /// It matches requests that open a WebSocket, and no others, so a page may have the same path. The proxy and
  /// the mock server serve it, in-process interception does not: `URLSessionWebSocketTask` does not ask `URLProtocol`.
  /// - Parameters:
  ///   - subprotocols: those that the handler speaks; the first that the client offers is agreed on.
  ///   - handler: called with each WebSocket, in a task of its own.
  @discardableResult
  public func webSocket(
    _ path: String, subprotocols: [String] = [], handler: @escaping @Sendable (WebSocket) async throws -> Void
  ) -> Route {
    group.register(.get, path, .webSocket(WebSocketRoute(subprotocols: subprotocols, handler: handler)))
  }
}

/// What a route does with its WebSockets.
package struct WebSocketRoute: Sendable {
  let subprotocols: [String]
  package let handler: @Sendable (WebSocket) async throws -> Void

  /// The head of the response that opens a WebSocket, without the fields that prove the handshake.
  func head(for request: Request) -> HTTPResponseHead {
    var head = HTTPResponseHead(status: 101)
    if let chosen = WebSocketHandshake(request.http)?.subprotocol(of: subprotocols) {
      head.fields.append(literal: "Sec-WebSocket-Protocol", chosen)
    }
    return head
  }
}

extension RouteMatch {
  /// How the route serves WebSockets; `nil` for any other route.
  package var webSocket: WebSocketRoute? {
    if case .webSocket(let route) = route.handler { route } else { nil }
  }
}
