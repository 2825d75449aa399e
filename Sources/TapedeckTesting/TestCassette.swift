internal import Foundation
internal import Synchronization
import Tapedeck
internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckProxy

/// A cassette as a test names it.
struct TestCassette: Sendable {
  let name: String
  let mode: RecordMode
  let configure: @Sendable (inout ProxyConfiguration) -> Void

  private static let sessions = Atomic<Int>(0)

  var path: String { name.contains("/") ? name : "Cassettes/\(name)" }

  /// The mode in force.
  private var wantedMode: RecordMode {
    get throws(TestCassetteError) {
      let environment = ProcessInfo.processInfo.environment
      if let text = environment["TAPEDECK_MODE"], !text.isEmpty {
        guard let mode = RecordMode(rawValue: text) else { throw TestCassetteError(mode: text) }
        return mode
      }
      return mode == .once && RecordMode.isCI(environment["CI"]) ? .none : mode
    }
  }

  func configuration() throws(TestCassetteError) -> ProxyConfiguration {
    var configuration = ProxyConfiguration(
      listen: "127.0.0.1:0", forward: ForwardProxy(), cassette: path, mode: try wantedMode)
    configuration.threads = 1
    configuration.sessionSelector = .proxyUser
    configure(&configuration)
    return configuration
  }

  /// Keeps the cassette open while `body` runs.
  func open<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (ProxyServer) async throws -> Result
  ) async throws -> Result {
    let proxy = try await OpenCassettes.shared.take(self)
    let result: Result
    do { result = try await body(proxy) } catch {
      try? await OpenCassettes.shared.giveBack(path)
      throw error
    }
    try await OpenCassettes.shared.giveBack(path)
    return result
  }

  /// Serves the requests of `URLSession` in `body` from the cassette, in a session of their own.
  func serve<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async throws -> Result {
    try await open { proxy in
      let session = "test-\(Self.sessions.add(1, ordering: .relaxed).newValue)"
      defer { proxy.sessions.drop(session) }
      let interception = Interception(inheriting: .current)
      interception.routers.fallback = Self.router(proxy, session)
      var result: Result?
      var failure: (any Error)?
      do { result = try await interception.run(body) } catch { failure = error }
      let misses = proxy.sessions.existing(session)?.misses ?? []
      if !misses.isEmpty { throw MissError(explanations: misses, underlyingError: failure) }
      if let result { return result }
      throw failure ?? CancellationError()
    }
  }

  /// Hands every request to the proxy, as one of the session.
  private static func router(_ proxy: ProxyServer, _ session: String) -> Router {
    let router = Router()
    let user = Data("\(session):".utf8).base64EncodedString()
    router.any("*rest") { request in
      var request = request
      try request.http.fields.append("Proxy-Authorization", "Basic \(user)")
      return try await proxy.respond(to: request)
    }
    return router
  }
}

extension Session {
  /// Why nothing responded to its requests, each.
  fileprivate var misses: [String] {
    requestLog.entries.compactMap { entry in
      guard let miss = entry.decisions.miss else { return nil }
      return (["\(miss.method) \(miss.target): \(miss.detail)"] + miss.lines).joined(separator: "\n")
    }
  }
}

/// The mode that the environment names is none.
struct TestCassetteError: Error, CustomStringConvertible {
  let mode: String

  var description: String {
    "TAPEDECK_MODE is \(mode.debugDescription), which is no record mode: use "
      + RecordMode.allCases.map(\.rawValue).joined(separator: ", ")
  }
}
