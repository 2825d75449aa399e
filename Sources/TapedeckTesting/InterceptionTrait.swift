public import Tapedeck
internal import TapedeckMocking
public import Testing

/// Gives a test, or each test of a suite, an `Interception` of its own.
///
/// ```swift
/// @Test(.overrides { $0.get("/users/:id") { request in ["id": request.components["id"]] } })
/// func user() async throws { … }
/// ```
///
/// Requests that nothing responds to fail without using the network. Beside `cassette`, in any order, routes come first
/// and the cassette responds to the rest.
public struct InterceptionTrait: TestTrait, SuiteTrait, TestScoping {
  let declare: (@Sendable (Router) -> Void)?

  /// On a suite, the trait applies to each of its tests.
  public var isRecursive: Bool { true }

  /// Runs the test inside of its interception.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let interception = Interception(inheriting: .current)
    if let declare {
      let router = Router()
      declare(router)
      interception.add(router, overriding: true)
    }
    try await interception.run { () async throws in try await function() }
  }
}

extension Trait where Self == InterceptionTrait {
  /// An interception without routes: `Router.register` in the test concerns no other test.
  public static var interception: Self { InterceptionTrait(declare: nil) }

  /// Routes that respond to `URLSession` before anything else.
  /// - Parameter declare: registers them, anew for each test, in a router for any host.
  public static func overrides(_ declare: @escaping @Sendable (Router) -> Void) -> Self {
    InterceptionTrait(declare: declare)
  }
}

extension Interception {
  /// A copy of the interception of a test, for a scope inside of it; the shared one is not inherited.
  convenience init(inheriting outer: Interception) {
    self.init(unmatched: .fail)
    guard outer !== Interception.shared else { return }
    unmatched = outer.unmatched
    for router in outer.routers.routers { add(router) }
    routers.fallback = outer.routers.fallback
  }
}
