internal import TapedeckSockets

extension ProxyServer {
  /// Starts a proxy, runs `body` with it, and stops it however `body` ends: with a value, an error or a cancellation.
  ///
  /// ```swift
  /// let users = try await ProxyServer.run(configuration) { proxy in try await fetchUsers(from: proxy.baseURL) }
  /// ```
  ///
  /// After a value, exchanges in flight get as long as `stop` gives them; after an error they are ended. What was
  /// recorded is sealed before this returns.
  /// - Returns: the value of `body`.
  /// - Throws: what the start throws, else the error of `body`, else the error of sealing.
  public static func run<Result>(
    _ configuration: ProxyConfiguration, isolation: isolated (any Actor)? = #isolation,
    _ body: (ProxyServer) async throws -> Result
  ) async throws -> Result {
    let proxy = try ProxyServer(configuration)
    let result: Result
    do { result = try await body(proxy) } catch {
      do { try await proxy.shutDown(graceMilliseconds: 0) } catch let problem {
        configuration.notice("warning: \(problem)")
      }
      throw error
    }
    try await proxy.shutDown(graceMilliseconds: 10_000)
    return result
  }

  /// `stop` for tasks: waits on a thread of its own, so that handlers in flight have the task pool.
  /// - Throws: the error of sealing, or `ProxyError.notSealed`.
  package nonisolated(nonsending) func shutDown(graceMilliseconds: Int) async throws {
    let outcome = await withCheckedContinuation { continuation in
      let stop: @Sendable () -> Void = {
        continuation.resume(
          returning: Swift.Result { try self.stop(graceMilliseconds: graceMilliseconds) })
      }
      if let thread = try? EventLoopThread(setUp: { _ in stop() }) { thread.stopAndForget() } else { stop() }
    }
    let summary = try outcome.get()
    if let problem = summary.sealRefusal ?? summary.recordingFailure { throw ProxyError.notSealed(problem) }
  }
}
