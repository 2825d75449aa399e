internal import CSystem
internal import Glibc

/// A loop on a thread of its own.
public final class EventLoopThread: Sendable {
  public let mailbox: LoopMailbox
  private let thread: pthread_t
  private let stopping: Stopping

  private final class Stopping: @unchecked Sendable {
    // Set before the thread begins; read by a job of the loop.
    weak var loop: EventLoop?
  }

  private final class Start {
    let loop: EventLoop
    let setUp: (EventLoop) -> Void
    init(loop: EventLoop, setUp: @escaping (EventLoop) -> Void) {
      self.loop = loop
      self.setUp = setUp
    }
  }

  /// Makes a loop, starts a thread, runs `setUp` on it and then the loop until it is stopped.
  public init(setUp: @escaping @Sendable (EventLoop) -> Void) throws(SocketError) {
    let start = Start(loop: try EventLoop(), setUp: setUp)
    mailbox = start.loop.mailbox
    stopping = Stopping()
    stopping.loop = start.loop
    var handle = pthread_t()
    let context = Unmanaged.passRetained(start)
    let code = pthread_create(
      &handle, nil,
      { context in
        guard let context else { return nil }
        let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        start.setUp(start.loop)
        start.loop.run()
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      throw SocketError("pthread_create", code: code)
    }
    thread = handle
  }

  /// Cores this process may run on.
  public static var usableCores: Int { Int(td_usable_cores()) }

  /// Has the loop stop, from any thread.
  public func stop() {
    mailbox.post { [stopping] in stopping.loop?.stop() }
  }

  /// Waits for the loop to stop.
  public func join() { pthread_join(thread, nil) }
}
