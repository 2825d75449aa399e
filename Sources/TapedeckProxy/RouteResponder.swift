internal import TapedeckHTTP
internal import TapedeckMocking

/// Registered routes as a link of the chain.
final class RouteResponder: Responder {
  private let router: Router

  init(_ router: Router) { self.router = router }

  func respond(to request: HTTPRequest) throws -> HTTPAnswer? {
    try router.respond(to: request).map { HTTPAnswer(.response($0), by: .route) }
  }
}
