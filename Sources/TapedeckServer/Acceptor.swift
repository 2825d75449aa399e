internal import TapedeckSockets

/// Accepts the connections of one listener on one loop.
final class Acceptor: EventHandler {
  private let listener: Listener
  private unowned let worker: ServerWorker
  /// The network of the listener, if its clients want to go elsewhere.
  private let network: IsolatedNetwork?
  private var listening: EventLoop.Registration?
  private var pauseTimer: LoopTimer?

  /// The number accepted per wake-up, so that other loops get their share.
  private static let batch = 16
  private static let pauseMilliseconds = 100

  init(_ listener: Listener, worker: ServerWorker, network: IsolatedNetwork?) {
    (self.listener, self.worker, self.network) = (listener, worker, network)
  }

  func start() throws(SocketError) {
    listening = try worker.loop.add(listener.descriptor, [.read, .exclusive], handler: self)
  }

  func descriptorReady(_ readiness: Readiness) {
    for _ in 0..<Self.batch {
      guard worker.gate.beginAccepting() else { return pause() }
      switch listener.accept() {
      case .connection(let socket): open(socket)
      case .none: return worker.gate.acceptedNone()
      case .exhausted:
        worker.gate.acceptedNone()
        return pause()
      }
    }
  }

  private func open(_ socket: StreamSocket) {
    guard let network else { return worker.open(socket, worker.gate.admit()) }
    guard let authority = network.destination(of: socket) else {
      worker.gate.acceptedNone()
      return socket.closeWithReset()
    }
    worker.open(
      socket, worker.gate.admit(), to: TransparentOrigin(authority: authority, network: network))
  }

  /// Pauses when there are no descriptors or places left: a level-triggered listener would spin.
  private func pause() {
    removeListener()
    let timer =
      pauseTimer
      ?? worker.loop.makeTimer { [weak self] in
        guard let self, !self.worker.isStopping else { return }
        do { try self.start() } catch { self.pause() }
      }
    timer.set(worker.loop.now.adding(milliseconds: Self.pauseMilliseconds))
    pauseTimer = timer
  }

  private func removeListener() {
    guard let registration = listening else { return }
    listening = nil
    worker.loop.remove(registration)
  }

  func stop() {
    removeListener()
    pauseTimer?.cancel()
  }
}
