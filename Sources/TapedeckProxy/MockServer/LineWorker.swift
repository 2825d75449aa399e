internal import TapedeckSockets

/// Takes connections, on the loop's thread.
final class LineWorker: EventHandler {
  private unowned let loop: EventLoop
  private let listener: Listener
  private let log: LineLog
  private let answer: LineServer.Answer

  init(loop: EventLoop, listener: Listener, log: LineLog, answer: @escaping LineServer.Answer) {
    self.loop = loop
    self.listener = listener
    self.log = log
    self.answer = answer
  }

  func descriptorReady(_ readiness: Readiness) {
    while case .connection(let socket) = listener.accept() {
      LineConnection(loop: loop, socket: socket, log: log, answer: answer).start()
    }
  }
}
