internal import TapedeckHTTP
internal import TapedeckSockets

/// A response that begins after a delay, by a timer of the loop. Nothing is asked before that, so a client that leaves
/// during the delay has no effect.
final class DelayedSource: ResponseSource {
  private let content: ServedResponse.Content
  private let delayNanoseconds: Int64
  private let method: HTTPMethod
  private let loop: EventLoop
  private var sink: (any ResponseSink)?
  private var timer: LoopTimer?
  /// The source that writes, once the response has begun.
  private var successor: (any ResponseSource)?

  /// - Parameter method: of the request, which decides whether there is a body.
  init(_ content: ServedResponse.Content, nanoseconds: Int64, to method: HTTPMethod, loop: EventLoop) {
    self.content = content
    delayNanoseconds = nanoseconds
    self.method = method
    self.loop = loop
  }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    let timer = loop.makeTimer { [weak self] in self?.begin() }
    timer.set(MonotonicTime(nanoseconds: MonotonicTime.now.nanoseconds + delayNanoseconds))
    self.timer = timer
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
    guard let sink else { return }
    self.sink = nil
    switch content {
    case .prepared(let prepared): prepared.send(into: sink, to: method)
    case .response(let response): response.send(into: sink, to: method)
    case .stream(let source):
      successor = source
      source.start(into: sink)
    }
  }
}
