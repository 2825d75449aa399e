package import TapedeckHTTP
package import TapedeckSockets

/// Overrides as links of the responder chain of one loop. A kind without rules is no link; the chain is to be put
/// together anew when `situation` changes.
extension Overrides {
  /// What the links depend on.
  package struct Situation: Equatable {
    let version: Int
    let hasResources: Bool
  }

  package var situation: Situation {
    Situation(
      version: routes.version &+ patches.version &+ faults.version, hasResources: !resources.isEmpty)
  }

  /// The link of the routes.
  package func routes(on loop: EventLoop) -> (any Responder)? {
    routes.isEmpty ? nil : RouteRuleResponder(routes, loop: loop)
  }

  /// The link of the resources.
  package var resourceLink: (any Responder)? { resources.isEmpty ? nil : ResourceResponder(resources) }

  /// A chain with the patches laid over its responses.
  package func patching(_ chain: any Responder, on loop: EventLoop) -> any Responder {
    patches.isEmpty ? chain : PatchResponder(patches, before: chain, loop: loop)
  }

  /// A chain with the faults laid over its responses.
  package func faulting(_ chain: any Responder, on loop: EventLoop) -> any Responder {
    faults.isEmpty ? chain : FaultResponder(faults, before: chain, loop: loop)
  }
}
