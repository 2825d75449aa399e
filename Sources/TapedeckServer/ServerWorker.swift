internal import TapedeckHTTP
internal import TapedeckSockets

/// Accepts and owns the connections of one loop, which share its responder and read buffer.
final class ServerWorker {
  let loop: EventLoop
  let configuration: ServerConfiguration
  let responder: any Responder
  let observer: (any ExchangeObserver)?
  let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
  private(set) lazy var tlsBuffers = TLSBuffers()
  /// The heads of the requests of all connections.
  let heads: HeadCache
  /// The same for requests inside of intercepted tunnels, which hold no further tunnels.
  private(set) lazy var headsInTunnels = {
    var limits = configuration.limits
    limits.allowsConnect = false
    return HeadCache(limits)
  }()
  let gate: ConnectionGate
  private var acceptors: [Acceptor] = []
  private var stopTimer: LoopTimer?
  private var connections: [ObjectIdentifier: HTTPConnection] = [:]
  /// The largest number of connections since memory was last returned to the kernel.
  private var peak = 0
  private var unflushed: [HTTPConnection] = []
  private var whenStopped: (() -> Void)?

  private static let largePeak = 256

  init(
    loop: EventLoop, gate: ConnectionGate, configuration: ServerConfiguration,
    responder: any Responder, observer: (any ExchangeObserver)?
  ) {
    self.loop = loop
    self.gate = gate
    self.configuration = configuration
    self.responder = responder
    self.observer = observer
    heads = HeadCache(configuration.limits)
  }

  deinit { readBuffer.deallocate() }

  var isStopping: Bool { whenStopped != nil }

  /// - Parameter network: that of the listener, if its clients want to go elsewhere.
  func startAccepting(from listener: Listener, of network: IsolatedNetwork? = nil) throws(SocketError) {
    let acceptor = Acceptor(listener, worker: self, network: network)
    try acceptor.start()
    acceptors.append(acceptor)
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

  /// - Parameter transparent: where the client wanted to go, if not to us.
  func open(
    _ socket: StreamSocket, _ admission: ConnectionGate.Admission, to transparent: TransparentOrigin? = nil
  ) {
    let connection = HTTPConnection(socket: socket, worker: self, admission: admission)
    guard connection.start() else { return gate.leave(admission) }
    connections[ObjectIdentifier(connection)] = connection
    peak = max(peak, connections.count)
    if admission == .refused { return connection.refuseToServe() }
    if let transparent { connection.begin(transparent) }
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

  // MARK: Stopping

  func stop(graceMilliseconds: Int, done: @escaping () -> Void) {
    guard whenStopped == nil else { return }
    whenStopped = done
    for acceptor in acceptors { acceptor.stop() }
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
