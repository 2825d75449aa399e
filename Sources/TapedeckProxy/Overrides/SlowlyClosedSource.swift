internal import TapedeckHTTP
internal import TapedeckSockets

/// An answer whose end comes late: all of its body is out, and the connection stays for a while.
final class SlowlyClosedSource: StreamFilter {
  private let milliseconds: Int
  private let loop: EventLoop
  private var timer: LoopTimer?
  private var trailers = HTTPFields()

  init(_ source: any ResponseSource, milliseconds: Int, loop: EventLoop) {
    self.milliseconds = milliseconds
    self.loop = loop
    super.init(source)
  }

  override func end(trailers: HTTPFields) {
    self.trailers = trailers
    let timer = loop.makeTimer { [weak self] in self?.endAtLast() }
    timer.set(MonotonicTime.now.adding(milliseconds: milliseconds))
    self.timer = timer
  }

  private func endAtLast() { super.end(trailers: trailers) }

  override func cancel() {
    timer?.cancel()
    super.cancel()
  }
}
