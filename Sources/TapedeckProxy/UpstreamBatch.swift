internal import Synchronization
public import TapedeckHTTP
public import TapedeckRecording
internal import TapedeckSockets
internal import TapedeckUpstream

/// Asks the origin a list of requests, some at a time, and gives back what came: values in, values out, without proxy,
/// cassette or client.
public struct UpstreamBatch: Sendable {
  public enum Outcome: Sendable {
    case answered(RecordedResponse)
    /// Nothing usable came; a sentence says why.
    case failed(String)
  }

  public struct Result: Sendable {
    public var outcome: Outcome
    public var durationMilliseconds: Double
  }

  private let upstream: UpstreamConfiguration
  /// Requests under way at once.
  public var jobs = 4
  /// For one answer, from its request to its end. An event stream, which may never end, is taken as it is by then.
  public var timeoutMilliseconds = 30_000
  /// An answer with a larger body counts as failed.
  public var maxBodyBytes = 64 << 20

  /// Throws when the configuration names no origin, or none that can be asked.
  public init(_ configuration: ProxyConfiguration) throws {
    guard let upstream = try configuration.upstreamConfiguration() else {
      throw ProxyError.upstreamMissing(mode: "verify")
    }
    self.upstream = upstream
  }

  /// Asks all of them, starting in their order, and returns when every one has come to an end.
  /// - Parameter onDone: told the index of each that is done, on another thread.
  public func results(
    for requests: [HTTPRequest], onDone: @escaping @Sendable (Int) -> Void = { _ in }
  ) throws -> [Result] {
    try results(for: requests, until: { false }, onDone: onDone).compactMap { $0 }
  }

  /// The same, unless it is to stop before: `nil` stands for what had not come to an end by then.
  /// - Parameter isToStop: asked a few times a second, on another thread.
  public func results(
    for requests: [HTTPRequest], until isToStop: @escaping @Sendable () -> Bool,
    onDone: @escaping @Sendable (Int) -> Void
  ) throws -> [Result?] {
    guard !requests.isEmpty else { return [] }
    let finished = Mutex<Swift.Result<[Result?], any Error>>(.success([]))
    let thread = try EventLoopThread { [self] loop in
      do {
        let client = try UpstreamClient(configuration: upstream, loop: loop)
        let run = BatchRun(self, requests, client: client, loop: loop, onDone: onDone) { results in
          finished.withLock { $0 = .success(results) }
          client.shutDown()
          loop.stop()
        }
        run.start(until: isToStop)
      } catch {
        finished.withLock { $0 = .failure(error) }
        loop.stop()
      }
    }
    thread.join()
    return try finished.withLock { $0 }.get()
  }
}

/// A batch under way, on its loop's thread. It is held by the exchanges that run for it.
private final class BatchRun {
  private let batch: UpstreamBatch
  private let requests: [HTTPRequest]
  private let client: UpstreamClient
  private let loop: EventLoop
  private let onDone: (Int) -> Void
  private let onEnd: ([UpstreamBatch.Result?]) -> Void
  private var timer: LoopTimer?
  private static let stopIntervalMilliseconds = 100
  private var results: [UpstreamBatch.Result?]
  private var next = 0
  private var open: Int

  init(
    _ batch: UpstreamBatch, _ requests: [HTTPRequest], client: UpstreamClient, loop: EventLoop,
    onDone: @escaping (Int) -> Void, onEnd: @escaping ([UpstreamBatch.Result?]) -> Void
  ) {
    self.batch = batch
    self.requests = requests
    self.client = client
    self.loop = loop
    self.onDone = onDone
    self.onEnd = onEnd
    results = Array(repeating: nil, count: requests.count)
    open = requests.count
  }

  func start(until isToStop: @escaping () -> Bool) {
    let timer = loop.makeTimer { [unowned self] in
      guard isToStop() else { return watch() }
      open = 0
      onEnd(results)
    }
    self.timer = timer
    watch()
    start()
  }

  /// Looks again in a moment whether it is to stop.
  private func watch() { timer?.set(loop.now.adding(milliseconds: Self.stopIntervalMilliseconds)) }

  private func start() { for _ in 0..<max(1, min(batch.jobs, requests.count)) { startNext() } }

  private func startNext() {
    guard next < requests.count else { return }
    let index = next
    next += 1
    let start = MonotonicTime.now
    let exchange = client.fetch(requests[index])
    let collector = AnswerCollector(exchange, maxBodyBytes: batch.maxBodyBytes) { [self] outcome in
      let milliseconds = Double(MonotonicTime.now.nanoseconds(since: start) / 1000) / 1000
      finish(index, UpstreamBatch.Result(outcome: outcome, durationMilliseconds: milliseconds))
    }
    collector.start(on: loop, timeoutMilliseconds: batch.timeoutMilliseconds)
  }

  private func finish(_ index: Int, _ result: UpstreamBatch.Result) {
    // What is cut off by a stop is no result.
    guard open > 0 else { return }
    results[index] = result
    open -= 1
    onDone(index)
    guard open == 0 else { return startNext() }
    timer?.cancel()
    onEnd(results)
  }
}
