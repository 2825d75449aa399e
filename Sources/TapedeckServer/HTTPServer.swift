internal import Synchronization
package import TapedeckHTTP
public import TapedeckSockets

/// An HTTP/1.1 server: one listener, one event loop a thread, one responder a loop.
public final class HTTPServer: Sendable {
  /// Made on each loop's thread; what it makes stays there.
  package typealias MakeResponder = @Sendable (EventLoop) throws -> any Responder
  public typealias MakeObserver = @Sendable (EventLoop) -> (any ExchangeObserver)?

  public var address: SocketAddress { listener.address }
  private let listener: Listener
  private let threads: [EventLoopThread]
  private let workers: [WorkerBox]

  /// The worker of one loop, seen from outside it.
  private final class WorkerBox: @unchecked Sendable {
    // Owned by its loop's thread: it is set there, and read only by jobs posted to that loop.
    var worker: ServerWorker?
    var loop: EventLoop?
  }

  /// Listens and serves at once. Throws when the address cannot be had or a responder cannot be made.
  package init(
    address wanted: SocketAddress, threads count: Int,
    configuration: ServerConfiguration = ServerConfiguration(),
    makeObserver: @escaping MakeObserver = { _ in nil }, makeResponder: @escaping MakeResponder
  ) throws {
    let listener = try Listener(wanted)
    self.listener = listener
    let ready = try Latch()
    let descriptors = DescriptorTable.limit - configuration.reservedDescriptors
    let gate = ConnectionGate(
      maxServed: max(1, min(configuration.maxConnections, descriptors)),
      maxRefused: configuration.maxRefusedConnections,
      maxBodyBytes: max(configuration.heldBodyBytes, 2 * min(configuration.limits.bodyBytes, .max / 2)))
    let failure = Mutex<(any Error)?>(nil)
    var threads: [EventLoopThread] = []
    var workers: [WorkerBox] = []
    for _ in 0..<max(1, count) {
      let box = WorkerBox()
      workers.append(box)
      threads.append(
        try EventLoopThread { loop in
          box.loop = loop
          do {
            let worker = ServerWorker(
              loop: loop, listener: listener, gate: gate, configuration: configuration,
              responder: try makeResponder(loop),
              observer: makeObserver(loop))
            worker.flushAtEveryTurnEnd()
            try worker.startAccepting()
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

  /// Stops accepting, lets exchanges in flight finish for at most `graceMilliseconds`, and returns when every thread
  /// has ended. Call once.
  public func stop(graceMilliseconds: Int) {
    listener.stop()
    for (thread, box) in zip(threads, workers) {
      thread.mailbox.post {
        guard let loop = box.loop else { return }
        guard let worker = box.worker else { return loop.stop() }
        worker.stop(graceMilliseconds: graceMilliseconds) { loop.stop() }
      }
    }
    for thread in threads { thread.join() }
  }
}
