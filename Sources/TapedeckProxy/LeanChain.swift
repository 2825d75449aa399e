internal import TapedeckHTTP
internal import TapedeckMocking

/// A chain without those links that have nothing to go by just now: put together anew whenever rules change, or the
/// first resource or route comes.
final class LeanChain: Responder {
  /// What a chain was made for.
  private struct Situation: Equatable {
    let rules: Int
    let hasResources: Bool
    let hasRoutes: Bool

    init(_ overrides: Overrides, _ router: Router) {
      rules = overrides.version
      hasResources = !overrides.resources.isEmpty
      hasRoutes = !router.isEmpty
    }
  }

  private let overrides: Overrides
  private let router: Router
  private let make: () -> any Responder
  private var situation: Situation
  private var chain: any Responder

  init(_ overrides: Overrides, _ router: Router, make: @escaping () -> any Responder) {
    self.overrides = overrides
    self.router = router
    self.make = make
    // First the situation: what changes in between is looked at once more.
    situation = Situation(overrides, router)
    chain = make()
  }

  func respond(to request: HTTPRequest) throws -> ServedResponse? {
    let now = Situation(overrides, router)
    if now != situation {
      situation = now
      chain = make()
    }
    return try chain.respond(to: request)
  }
}
