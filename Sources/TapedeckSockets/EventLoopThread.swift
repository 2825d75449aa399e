internal import CSystem
internal import Glibc

/// A loop on its own thread.
public final class EventLoopThread: Sendable {
  public let mailbox: LoopMailbox
  private let thread: pthread_t
  private let stopping: Stopping

  private final class Stopping: @unchecked Sendable {
    // Set before the thread starts; read by a job of the loop, which lives as long as its jobs.
    unowned var loop: EventLoop?
  }

  private final class Start {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  /// Starts a thread that runs `setUp`, then the loop until it is stopped.
  public init(setUp: @escaping @Sendable (EventLoop) -> Void) throws(SocketError) {
    let loop = try EventLoop()
    mailbox = loop.mailbox
    stopping = Stopping()
    stopping.loop = loop
    var handle = pthread_t()
    let context = Unmanaged.passRetained(
      Start {
        setUp(loop)
        loop.run()
      })
    let code = pthread_create(
      &handle, nil,
      { context in
        if let context { Unmanaged<Start>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      throw SocketError("pthread_create", code: code)
    }
    thread = handle
  }

  /// The number of cores that the process may use.
  public static var usableCores: Int { Int(td_usable_cores()) }

  /// Stops the loop; may be called from any thread.
  public func stop() {
    mailbox.post { [stopping] in stopping.loop?.stop() }
  }

  /// Stops the loop and waits for the thread's end, unless the caller runs on it; for a `deinit`. A thread that ends
  /// beside the process's exit leaves what libcrypto keeps for it.
  public func end() {
    guard pthread_equal(pthread_self(), thread) == 0 else { return stopAndForget() }
    stop()
    join()
  }

  /// Stops the loop without waiting; for a thread that is only to run its `setUp`.
  public func stopAndForget() {
    stop()
    pthread_detach(thread)
  }

  /// Waits for the loop to stop.
  public func join() { pthread_join(thread, nil) }
}

/// A semaphore between threads: `wait()` returns once for every `signal()`.
public final class Latch: Sendable {
  private let descriptor: Int32

  public init() throws(SocketError) {
    descriptor = eventfd(0, Int32(EFD_SEMAPHORE | EFD_CLOEXEC))
    guard descriptor >= 0 else { throw SocketError("eventfd") }
  }

  deinit { close(descriptor) }

  public func signal() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  public func wait() {
    var count: UInt64 = 0
    while read(descriptor, &count, 8) < 0, errno == EINTR {}
  }
}

/// Limits and memory of this process.
public enum Machine {
  /// The number of descriptors that the process may open.
  public static var descriptorLimit: Int {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return 1024 }
    return Int(clamping: limits.rlim_cur)
  }

  /// Returns freed memory to the kernel; takes milliseconds if there is much.
  public static func giveBackMemory() { td_give_back_memory() }
}
