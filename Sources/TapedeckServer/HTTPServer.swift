internal import Synchronization
public import TapedeckHTTP
public import TapedeckSockets

/// An HTTP/1.1 server: one listener, with one event loop and one responder per thread.
public final class HTTPServer: Sendable {
  /// Called on each loop's thread; the responder stays there.
  package typealias MakeResponder = @Sendable (EventLoop) throws -> any Responder
  public typealias MakeObserver = @Sendable (EventLoop) -> (any ExchangeObserver)?

  public var address: SocketAddress { listener.address }
  private let listener: Listener
  private let threads: [EventLoopThread]
  private let workers: [WorkerBox]
  private let isStopping = Mutex(false)

  private final class WorkerBox: @unchecked Sendable {
    // Set on the loop's thread; read only by jobs posted to that loop.
    var worker: ServerWorker?
  }

  /// Starts listening and serving. Throws when the address is not available or a responder cannot be made.
  package init(
    address wanted: SocketAddress, threads count: Int,
    configuration: ServerConfiguration = ServerConfiguration(),
    makeObserver: @escaping MakeObserver = { _ in nil }, makeResponder: @escaping MakeResponder
  ) throws {
    let listener = try Listener(wanted)
    self.listener = listener
    let ready = try Latch()
    let descriptors = Machine.descriptorLimit - configuration.reservedDescriptors
    let gate = ConnectionGate(
      maxServed: max(1, min(configuration.maxConnections, descriptors)),
      maxRefused: configuration.maxRefusedConnections,
      maxBodyBytes: max(configuration.heldBodyBytes, 2 * min(configuration.limits.bodyBytes, .max / 2)),
      maxHandshakes: configuration.maxHandshakes)
    let failure = Mutex<(any Error)?>(nil)
    var threads: [EventLoopThread] = []
    var workers: [WorkerBox] = []
    for _ in 0..<max(1, count) {
      let box = WorkerBox()
      workers.append(box)
      threads.append(
        try EventLoopThread { loop in
          do {
            let worker = ServerWorker(
              loop: loop, gate: gate, configuration: configuration,
              responder: try makeResponder(loop),
              observer: makeObserver(loop))
            worker.flushAtEveryTurnEnd()
            try worker.startAccepting(from: listener)
            box.worker = worker
          } catch {
            failure.withLock { $0 = error }
          }
          ready.signal()
        })
    }
    for _ in threads { ready.wait() }
    self.threads = threads
    self.workers = workers
    if let error = failure.withLock({ $0 }) {
      stop(graceMilliseconds: 0)
      throw error
    }
  }

  /// Runs `body` on one of the loops, with its responder and observer, for a request of this process.
  /// - Returns: false once the server is told to stop.
  package func onLoop(
    _ body: @escaping @Sendable (_ responder: any Responder, _ observer: (any ExchangeObserver)?) -> Void
  ) -> Bool {
    isStopping.withLock { isStopping in
      guard !isStopping, let (thread, box) = Array(zip(threads, workers)).randomElement() else {
        return false
      }
      thread.mailbox.post {
        guard let worker = box.worker else { return }
        body(worker.responder, worker.observer)
      }
      return true
    }
  }

  /// Also serves the clients of another network, which want to go elsewhere.
  package func serve(_ network: IsolatedNetwork) {
    for (thread, box) in zip(threads, workers) {
      thread.mailbox.post {
        guard let worker = box.worker, !worker.isStopping else { return }
        for listener in network.listeners {
          // Fails only where the kernel has no memory left; then the other loops accept.
          try? worker.startAccepting(from: listener, of: network)
        }
      }
    }
  }

  /// Stops accepting, waits at most `graceMilliseconds` for exchanges, and joins the threads. Call once.
  public func stop(graceMilliseconds: Int) {
    listener.stop()
    isStopping.withLock { $0 = true }
    for (thread, box) in zip(threads, workers) {
      thread.mailbox.post {
        guard let worker = box.worker else { return thread.stop() }
        worker.stop(graceMilliseconds: graceMilliseconds) { worker.loop.stop() }
      }
    }
    for thread in threads { thread.join() }
  }
}

/// Observes every exchange, on the loop's thread.
public protocol ExchangeObserver: AnyObject {
  /// - Parameter summary: makes a summary, for observers that need one.
  func exchangeFinished(by source: ServedResponse.Source, _ summary: () -> ExchangeSummary)
}
