internal import TapedeckHTTP
internal import TapedeckSockets

/// An answer whose end comes late: all of its body is out, and the connection stays for a while.
final class SlowlyClosedSource: StreamFilter {
  let source: any ResponseSource
  var sink: (any ResponseSink)?
  private let milliseconds: Int
  private let loop: EventLoop
  private var timer: LoopTimer?
  private var trailers = HTTPFields()

  init(_ source: any ResponseSource, milliseconds: Int, loop: EventLoop) {
    self.milliseconds = milliseconds
    self.loop = loop
    self.source = source
  }

  func end(trailers: HTTPFields) {
    self.trailers = trailers
    let timer = loop.makeTimer { [weak self] in self?.endAtLast() }
    timer.set(MonotonicTime.now.adding(milliseconds: milliseconds))
    self.timer = timer
  }

  private func endAtLast() { finish { $0.end(trailers: trailers) } }

  func cancel() {
    timer?.cancel()
    cancelSource()
  }
}
