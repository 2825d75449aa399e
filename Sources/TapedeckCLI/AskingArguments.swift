internal import TapedeckProxy

/// How a verb that asks an origin a list of requests was told to do it.
struct AskingArguments {
  /// Whether those are asked that may change something.
  let asksUnsafe: Bool
  private let jobs: Int
  private let timeoutMilliseconds: Int?
  private var configuration = ProxyConfiguration()

  init(_ arguments: Arguments) throws(UsageError) {
    asksUnsafe = arguments.has(.unsafeMethods)
    // A request that changes something decides what those after it get.
    jobs = try arguments.number(.jobs, in: 1...256) ?? (asksUnsafe ? 1 : 4)
    timeoutMilliseconds = try arguments.milliseconds(.timeout)
    try ServeSettings.readReaching(arguments, into: &configuration)
    configuration.mode = .passthrough
  }

  func batch(upstream: String) throws -> UpstreamBatch {
    var configuration = configuration
    configuration.upstream = upstream
    do throws(ProxyError) { try configuration.validate() } catch { throw UsageError(error.description) }
    var batch = try UpstreamBatch(configuration)
    batch.jobs = jobs
    if let timeoutMilliseconds { batch.timeoutMilliseconds = timeoutMilliseconds }
    return batch
  }
}
