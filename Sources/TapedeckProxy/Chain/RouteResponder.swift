internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckSockets

/// Registered routes as a link of the chain.
///
/// A handler that is not `async` runs here, on the loop; one that is, or that has a latency, responds as a stream.
final class RouteResponder: Responder {
  private let router: Router
  private let next: any Responder
  private let loop: EventLoop

  /// - Parameter next: responds to what handlers pass on.
  init(_ router: Router, before next: any Responder, loop: EventLoop) {
    self.router = router
    self.next = next
    self.loop = loop
  }

  func needsBody(of request: HTTPRequest) -> Bool {
    !router.isEmpty && router.handles(Request(http: request), at: .server)
  }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) throws -> ServedResponse? {
    guard !router.isEmpty, let match = router.match(Request(http: request), at: .server) else { return nil }
    if let route = match.webSocket, let handshake = WebSocketHandshake(request) {
      decisions?.respond(.route, .declared)
      return open(match, route, handshake)
    }
    guard match.latencyNanoseconds == 0, !match.isAsync else {
      decisions?.respond(.route, .declared)
      return ServedResponse(.stream(RouteSource(match, next: next, loop: loop)), by: .route)
    }
    let content: ServedResponse.Content
    switch match.response() {
    case .response(let response): content = .response(response)
    case .stream(let head, let stream):
      content = .stream(StreamedBody(stream, head: head, to: request.method, loop: loop))
    case .passthrough: return nil
    }
    decisions?.respond(.route, .declared)
    return ServedResponse(content, by: .route)
  }

  private func open(
    _ match: RouteMatch, _ route: WebSocketRoute, _ handshake: WebSocketHandshake
  ) -> ServedResponse {
    if let refusal = handshake.refusal { return ServedResponse(.response(refusal), by: .route) }
    let socket = RouteSocket(match, route, handshake, loop: loop)
    var response = ServedResponse(.stream(socket), by: .route)
    response.upgrade = socket
    return response
  }
}
