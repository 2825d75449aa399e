internal import Synchronization
package import TapedeckHTTP
public import TapedeckRecording
internal import TapedeckSockets
internal import TapedeckUpstream

/// Sends a list of requests to the origin, some at a time, and returns the responses: values in, values out, without
/// proxy, cassette or client.
public struct UpstreamBatch: Sendable {
  public enum Outcome: Sendable {
    case response(RecordedResponse)
    /// No usable response came; a sentence says why.
    case failed(String)
  }

  public struct Result: Sendable {
    public var outcome: Outcome
    public var durationMilliseconds: Double
    /// The fields that the origin was sent.
    package var sentFields = HTTPFields()
  }

  let upstream: UpstreamConfiguration
  /// Requests under way at once.
  public var jobs = 4
  /// For one response, from its request to its end. An event stream, which may never end, is taken as it is by then.
  public var timeoutMilliseconds = 30_000
  /// A response with a larger body counts as failed.
  public var maxBodyBytes = 64 << 20

  /// Throws when the configuration names no origin, or none that can be asked.
  public init(_ configuration: ProxyConfiguration) throws {
    guard let upstream = try configuration.upstreamConfiguration() else {
      throw ProxyError.upstreamMissing(mode: "verify")
    }
    self.upstream = upstream
  }

  /// Sends all of them, starting in their order, and returns when every one has come to an end, or early; `nil` stands
  /// for a request that had not ended by then.
  /// - Parameters:
  ///   - webSockets: what clients said over the WebSockets that requests open, by their index.
  ///   - isToStop: whether to end early; called ten times a second, on another thread.
  ///   - onDone: called with the index of each that is done, on another thread.
  package func results(
    for requests: [HTTPRequest], saying webSockets: [Int: RecordedWebSocket] = [:],
    until isToStop: @escaping @Sendable () -> Bool = { false },
    onDone: @escaping @Sendable (Int) -> Void = { _ in }
  ) throws -> [Result?] {
    guard !requests.isEmpty else { return [] }
    let finished = Mutex<Swift.Result<[Result?], any Error>>(.success([]))
    let thread = try EventLoopThread { [self] loop in
      do {
        let client = try UpstreamClient(configuration: upstream, loop: loop)
        let run = BatchRun(self, requests, webSockets, client: client, loop: loop, onDone: onDone) {
          results in
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

extension UpstreamBatch {
  /// Sends one request from a loop, without waiting.
  /// - Parameter onEnd: called on the loop's thread.
  func send(_ request: HTTPRequest, on loop: EventLoop, onEnd: @escaping (Result?) -> Void) throws {
    let client = try UpstreamClient(configuration: upstream, loop: loop)
    let run = BatchRun(self, [request], [:], client: client, loop: loop, onDone: { _ in }) { results in
      client.shutDown()
      onEnd(results.first ?? nil)
    }
    run.start(until: { false })
  }
}

/// A batch under way, on its loop's thread. The exchanges that run for it retain it.
private final class BatchRun {
  private let batch: UpstreamBatch
  private let requests: [HTTPRequest]
  private let webSockets: [Int: RecordedWebSocket]
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
    _ batch: UpstreamBatch, _ requests: [HTTPRequest], _ webSockets: [Int: RecordedWebSocket],
    client: UpstreamClient, loop: EventLoop,
    onDone: @escaping (Int) -> Void, onEnd: @escaping ([UpstreamBatch.Result?]) -> Void
  ) {
    self.batch = batch
    self.requests = requests
    self.webSockets = webSockets
    self.client = client
    self.loop = loop
    self.onDone = onDone
    self.onEnd = onEnd
    results = Array(repeating: nil, count: requests.count)
    open = requests.count
  }

  func start(until isToStop: @escaping () -> Bool) {
    timer = loop.makeTimer { [unowned self] in
      guard isToStop() else { return checkLater() }
      open = 0
      onEnd(results)
    }
    checkLater()
    for _ in 0..<max(1, min(batch.jobs, requests.count)) { startNext() }
  }

  private func checkLater() { timer?.set(loop.now.adding(milliseconds: Self.stopIntervalMilliseconds)) }

  private func startNext() {
    guard next < requests.count else { return }
    let index = next
    next += 1
    let start = MonotonicTime.now
    let exchange = client.fetch(requests[index])
    var timer: LoopTimer?
    let end = { [self] (outcome: UpstreamBatch.Outcome) in
      timer?.cancel()
      let result = UpstreamBatch.Result(
        outcome: outcome, durationMilliseconds: ChunkLog.milliseconds(since: start),
        sentFields: exchange.sentFields)
      finish(index, result)
    }
    let collector = ResponseCollector(maxBodyBytes: batch.maxBodyBytes) { [self] collector, outcome in
      end(self.outcome(outcome, of: collector))
    }
    let socket = webSockets[index].map {
      RepeatedSocket($0, over: exchange, else: collector, loop: loop, onEnd: end)
    }
    timer = loop.makeTimer {
      exchange.cancel()
      socket?.timeOut() ?? collector.end(.timedOut)
    }
    timer?.set(loop.now.adding(milliseconds: batch.timeoutMilliseconds))
    exchange.start(into: socket ?? collector)
  }

  private func outcome(
    _ outcome: ResponseCollector.Outcome, of collector: ResponseCollector
  ) -> UpstreamBatch.Outcome {
    switch outcome {
    case .complete(let trailers): collector.response(trailers)
    case .timedOut where collector.isEventStream: collector.response(HTTPFields())
    case .timedOut: .failed("The response did not end within \(Double(batch.timeoutMilliseconds) / 1000) s.")
    case .tooLarge: .failed("The response has more than \(batch.maxBodyBytes) bytes.")
    case .failed(let response): .failed(response.failure?.detail ?? HTTPStatus.reason(response.head.status))
    case .brokeOff: .failed("The response broke off.")
    }
  }

  private func finish(_ index: Int, _ result: UpstreamBatch.Result) {
    // An exchange that a stop cuts off has no result.
    guard open > 0 else { return }
    results[index] = result
    open -= 1
    onDone(index)
    guard open == 0 else { return startNext() }
    timer?.cancel()
    onEnd(results)
  }
}

extension ResponseCollector {
  fileprivate var isEventStream: Bool {
    head?.fields.text("content-type")?.lowercased().hasPrefix("text/event-stream") == true
  }

  fileprivate func response(_ trailers: HTTPFields) -> UpstreamBatch.Outcome {
    guard let head else { return .failed("The response has no head.") }
    let recorded = RecordedResponse(
      head: head, body: .bytes(body), chunkSizes: framing == .chunked ? chunks.sizes : nil,
      trailers: trailers, isCloseDelimited: framing == .untilClose)
    return .response(recorded)
  }
}
