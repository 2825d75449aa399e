public import Tapedeck
public import Testing

/// Serves the requests of `URLSession` in a test from a cassette, which is recorded by the first run.
///
/// ```swift
/// @Test(.cassette("github")) func user() async throws {
///   let (data, _) = try await URLSession.shared.data(from: URL(string: "https://api.github.com/users/octocat")!)
/// }
/// ```
///
/// Every test, and every case of a test with arguments, is a session of its own: it gets the recorded responses from the
/// first on. Tests at the same time that name the same cassette share one proxy. A test fails if a request of it was
/// not recorded.
///
/// It holds for `URLSession.shared` and for sessions made with `Interception.current.configuration`, in the task of the
/// test and all tasks started there.
public struct CassetteTrait: TestTrait, SuiteTrait, TestScoping {
  let cassette: TestCassette

  /// On a suite, the trait applies to each of its tests.
  public var isRecursive: Bool { true }

  /// Suites and tests with arguments keep the cassette open from their first test to their last.
  public func scopeProvider(for test: Test, testCase: Test.Case?) -> CassetteTrait? { self }

  /// Opens the cassette; for a test, also serves its requests from it.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    if testCase == nil {
      try await cassette.open { _ in try await function() }
    } else {
      try await cassette.serve { try await function() }
    }
  }
}

extension Trait where Self == CassetteTrait {
  /// Serves the requests of `URLSession` from a cassette.
  /// - Parameters:
  ///   - name: a bare name is `Cassettes/NAME` in the current folder, which is the package's for `swift test`; anything
  ///     with a slash is a path.
  ///   - mode: by default `.once`, which records a cassette that is absent, unless the environment has `CI`. The
  ///     environment's `TAPEDECK_MODE` takes precedence.
  ///   - configure: changes the configuration of the proxy behind it, before it starts.
  public static func cassette(
    _ name: String, mode: RecordMode = .once,
    configure: @escaping @Sendable (inout ProxyConfiguration) -> Void = { _ in }
  ) -> Self {
    CassetteTrait(cassette: TestCassette(name: name, mode: mode, configure: configure))
  }
}
