internal import TapedeckHTTP
internal import TapedeckSockets

/// Accepts and owns the connections of one loop, which share its responder and read buffer.
final class ServerWorker: EventHandler {
  let loop: EventLoop
  let configuration: ServerConfiguration
  let responder: any Responder
  let observer: (any ExchangeObserver)?
  let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
  private let listener: Listener
  let gate: ConnectionGate
  private var listening: EventLoop.Registration?
  private var acceptPause: LoopTimer?
  private var stopTimer: LoopTimer?
  private var connections: [ObjectIdentifier: HTTPConnection] = [:]
  /// The largest number of connections since memory was last returned to the kernel.
  private var peak = 0
  private var unflushed: [HTTPConnection] = []
  private var whenStopped: (() -> Void)?

  /// The number accepted per wake-up, so that other loops get their share.
  private static let acceptBatch = 16
  private static let acceptPauseMilliseconds = 100
  private static let largePeak = 256

  init(
    loop: EventLoop, listener: Listener, gate: ConnectionGate, configuration: ServerConfiguration,
    responder: any Responder, observer: (any ExchangeObserver)?
  ) {
    self.loop = loop
    self.listener = listener
    self.gate = gate
    self.configuration = configuration
    self.responder = responder
    self.observer = observer
  }

  deinit { readBuffer.deallocate() }

  var isStopping: Bool { whenStopped != nil }

  func startAccepting() throws(SocketError) {
    listening = try loop.add(listener.descriptor, [.read, .exclusive], handler: self)
  }

  /// Must be called once, on the loop's thread.
  func flushAtEveryTurnEnd() {
    loop.atEveryTurnEnd { [weak self] in
      guard let self else { return }
      // Flushing one connection may end its exchange and begin the next, which adds output.
      while !self.unflushed.isEmpty {
        let connections = self.unflushed
        self.unflushed.removeAll(keepingCapacity: true)
        for connection in connections { connection.turnEnded() }
      }
    }
  }

  func flushAtTurnEnd(_ connection: HTTPConnection) { unflushed.append(connection) }

  func descriptorReady(_ readiness: Readiness) {
    for _ in 0..<Self.acceptBatch {
      guard gate.beginAccepting() else { return pauseAccepting() }
      switch listener.accept() {
      case .connection(let socket): open(socket, gate.admit())
      case .none: return gate.acceptedNone()
      case .exhausted:
        gate.acceptedNone()
        return pauseAccepting()
      }
    }
  }

  private func open(_ socket: StreamSocket, _ admission: ConnectionGate.Admission) {
    let connection = HTTPConnection(socket: socket, worker: self, admission: admission)
    guard connection.start() else { return gate.leave(admission) }
    connections[ObjectIdentifier(connection)] = connection
    peak = max(peak, connections.count)
    if admission == .refused { connection.refuseToServe() }
  }

  func forget(_ connection: HTTPConnection) {
    guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    gate.leave(connection.admission)
    giveBackMemory()
    finishStoppingIfIdle()
  }

  /// After a peak, the allocator would keep its memory forever.
  private func giveBackMemory() {
    guard peak >= Self.largePeak, connections.count <= peak / 16 else { return }
    peak = connections.count
    Machine.giveBackMemory()
  }

  /// Pauses when there are no descriptors or places left: a level-triggered listener would spin.
  private func pauseAccepting() {
    stopAccepting()
    let timer =
      acceptPause
      ?? loop.makeTimer { [weak self] in
        guard let self, !self.isStopping else { return }
        do { try self.startAccepting() } catch { self.pauseAccepting() }
      }
    timer.set(loop.now.adding(milliseconds: Self.acceptPauseMilliseconds))
    acceptPause = timer
  }

  private func stopAccepting() {
    guard let registration = listening else { return }
    listening = nil
    loop.remove(registration)
  }

  // MARK: Stopping

  func stop(graceMilliseconds: Int, done: @escaping () -> Void) {
    guard whenStopped == nil else { return }
    whenStopped = done
    stopAccepting()
    acceptPause?.cancel()
    for connection in Array(connections.values) { connection.closeIfIdle() }
    let timer = loop.makeTimer { [weak self] in
      guard let self else { return }
      for connection in Array(self.connections.values) { connection.close(wasCutShort: true) }
    }
    timer.set(loop.now.adding(milliseconds: graceMilliseconds))
    stopTimer = timer
    finishStoppingIfIdle()
  }

  private func finishStoppingIfIdle() {
    guard connections.isEmpty, let done = whenStopped else { return }
    stopTimer?.cancel()
    whenStopped = {}
    done()
  }
}
