internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckSockets

/// Registered routes as a link of the chain.
///
/// A handler that is not `async` runs here, on the loop; one that is, or that has a latency, answers as a stream.
final class RouteResponder: Responder {
  private let router: Router
  private let next: any Responder
  private let loop: EventLoop

  /// - Parameter next: who answers what handlers let go on.
  init(_ router: Router, before next: any Responder, loop: EventLoop) {
    self.router = router
    self.next = next
    self.loop = loop
  }

  func respond(to request: HTTPRequest) throws -> ServedResponse? {
    guard !router.isEmpty, let match = router.match(Request(http: request), at: .server) else { return nil }
    guard match.latencyNanoseconds == 0, !match.isAsync else {
      return ServedResponse(.stream(RouteSource(match, next: next, loop: loop)), by: .route)
    }
    switch match.answer() {
    case .response(let response): return ServedResponse(.response(response), by: .route)
    case .stream(let head, let stream):
      let source = StreamedBody(stream, head: head, to: request.method, loop: loop)
      return ServedResponse(.stream(source), by: .route)
    case .passthrough: return nil
    }
  }
}
