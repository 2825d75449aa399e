public import Tapedeck

/// Serves the requests of `URLSession` in `body` from a cassette, as the trait `cassette` does for a test: for XCTest, and
/// for a part of a test.
///
/// ```swift
/// func testUser() async throws {
///   let user = try await withCassette("github") { try await fetchUser("octocat") }
/// }
/// ```
/// - Parameters:
///   - name: a bare name is `Cassettes/NAME` in the current folder; anything with a slash is a path.
///   - mode: as for the trait.
///   - configure: changes the configuration of the proxy behind it, before it starts.
/// - Returns: the value of `body`.
/// - Throws: the error of `body`, `MissError` where a request was not recorded, or why the cassette cannot be used.
public func withCassette<Result>(
  _ name: String, mode: RecordMode = .once,
  configure: @escaping @Sendable (inout ProxyConfiguration) -> Void = { _ in },
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async throws -> Result {
  try await TestCassette(name: name, mode: mode, configure: configure).serve(body)
}
