internal import TapedeckHTTP
internal import TapedeckSockets

/// An answer that the client never gets. It is made and thrown away, and the connection ends instead.
final class WithheldSource: ResponseSource, ResponseSink {
  private let source: any ResponseSource
  private let milliseconds: Int?
  private let connectionEnd: ConnectionEnd
  private let loop: EventLoop
  private var sink: (any ResponseSink)?
  private var timer: LoopTimer?
  /// Whether the connection may end as far as the answer goes, and as far as the time goes.
  private var isAnswered: Bool
  private var isTime = false

  /// - Parameters:
  ///   - milliseconds: from the request on; nil for ever.
  ///   - awaitsAnswer: whether the connection ends no earlier than the answer begins.
  init(
    _ source: any ResponseSource, until milliseconds: Int?, awaitsAnswer: Bool, end: ConnectionEnd,
    loop: EventLoop
  ) {
    self.source = source
    self.milliseconds = milliseconds
    connectionEnd = end
    self.loop = loop
    isAnswered = !awaitsAnswer
  }

  // MARK: As a source

  func start(into sink: any ResponseSink) {
    self.sink = sink
    source.start(into: self)
    guard let milliseconds, self.sink != nil else { return }
    let timer = loop.makeTimer { [weak self] in
      self?.isTime = true
      self?.endIfDue()
    }
    timer.set(MonotonicTime.now.adding(milliseconds: milliseconds))
    self.timer = timer
  }

  func resume() {}

  func cancel() {
    sink = nil
    timer?.cancel()
    source.cancel()
  }

  func clientLeft() {
    source.clientLeft()
    cancel()
  }

  /// Who waits for nothing is not kept waiting: the connection would stay for ever.
  func clientFinished() {
    guard connectionEnd == .close(after: []) else { return }
    (isTime, isAnswered) = (true, true)
    endIfDue()
  }

  private func endIfDue() {
    guard isTime, isAnswered, let sink else { return }
    self.sink = nil
    sink.abort(connectionEnd)
    cancel()
  }

  // MARK: As a sink that swallows

  func informational(_ head: HTTPResponseHead) {}

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) { answered() }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand { sink == nil ? .gone : .more }

  func rest() { answered() }
  func end(trailers: HTTPFields) { answered() }
  func fail(_ response: HTTPResponse) { answered() }
  func abort(_ end: ConnectionEnd) { answered() }

  private func answered() {
    isAnswered = true
    endIfDue()
  }
}
