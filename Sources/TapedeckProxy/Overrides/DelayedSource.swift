internal import TapedeckHTTP
internal import TapedeckSockets

/// An answer that begins later.
final class DelayedSource: ResponseSource {
  private let source: any ResponseSource
  private let nanoseconds: Int64
  private let loop: EventLoop
  private var sink: (any ResponseSink)?
  private var timer: LoopTimer?
  private var hasStarted = false

  init(_ source: any ResponseSource, nanoseconds: Int64, loop: EventLoop) {
    self.source = source
    self.nanoseconds = nanoseconds
    self.loop = loop
  }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    let timer = loop.makeTimer { [weak self] in self?.begin() }
    timer.set(MonotonicTime(nanoseconds: MonotonicTime.now.nanoseconds + nanoseconds))
    self.timer = timer
  }

  private func begin() {
    guard let sink else { return }
    self.sink = nil
    hasStarted = true
    source.start(into: sink)
  }

  func resume() { if hasStarted { source.resume() } }

  func clientFinished() { if hasStarted { source.clientFinished() } }

  func cancel() {
    sink = nil
    timer?.cancel()
    if hasStarted { source.cancel() }
  }
}
