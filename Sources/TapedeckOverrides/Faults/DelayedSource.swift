internal import TapedeckHTTP
internal import TapedeckSockets

/// Starts a response after a delay. The origin is not contacted before that, so a client that leaves during the delay
/// has no effect.
final class DelayedSource: ResponseSource {
  private let content: ServedResponse.Content
  private let delayNanoseconds: Int64
  private let method: HTTPMethod
  private let loop: EventLoop
  private var sink: (any ResponseSink)?
  private var timer: LoopTimer?
  /// The source that writes, once the response has begun.
  private var successor: (any ResponseSource)?

  /// - Parameter method: the request's method, which decides whether there is a body.
  init(_ content: ServedResponse.Content, nanoseconds: Int64, to method: HTTPMethod, loop: EventLoop) {
    self.content = content
    delayNanoseconds = nanoseconds
    self.method = method
    self.loop = loop
  }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    timer = loop.timer(afterNanoseconds: delayNanoseconds) { [weak self] in self?.begin() }
  }

  func resume() { successor?.resume() }

  func clientFinished() { successor?.clientFinished() }

  func cancel() {
    timer?.cancel()
    sink = nil
    successor?.cancel()
  }

  func clientLeft() {
    successor?.clientLeft()
    cancel()
  }

  private func begin() {
    guard let sink = sink.take() else { return }
    switch content {
    case .prepared(let prepared): prepared.send(into: sink, to: method)
    case .response(let response): response.send(into: sink, to: method)
    case .stream(let source):
      successor = source
      source.start(into: sink)
    }
  }
}

extension ServedResponse {
  /// Delays the start of the response; does nothing if the delay is zero.
  mutating func delay(by nanoseconds: Int64, of request: HTTPRequest, _ loop: EventLoop) {
    guard nanoseconds > 0 else { return }
    content = .stream(DelayedSource(content, nanoseconds: nanoseconds, to: request.method, loop: loop))
  }
}

extension EventLoop {
  func timer(afterNanoseconds nanoseconds: Int64, _ action: @escaping () -> Void) -> LoopTimer {
    let timer = makeTimer(action)
    timer.set(MonotonicTime(nanoseconds: MonotonicTime.now.nanoseconds + nanoseconds))
    return timer
  }
}
