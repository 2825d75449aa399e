internal import CSystem
internal import Glibc
internal import Synchronization

/// Runs work from other threads on the loop's thread, in order.
public final class LoopMailbox: Sendable {
  let wakeDescriptor: Int32
  private let work = Mutex<[@Sendable () -> Void]>([])

  init() throws(SocketError) {
    wakeDescriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard wakeDescriptor >= 0 else { throw SocketError("eventfd") }
  }

  deinit { close(wakeDescriptor) }

  public func post(_ job: @escaping @Sendable () -> Void) {
    let wasEmpty = work.withLock { jobs in
      jobs.append(job)
      return jobs.count == 1
    }
    guard wasEmpty else { return }
    var one: UInt64 = 1
    _ = write(wakeDescriptor, &one, 8)
  }

  func takeAll() -> [@Sendable () -> Void] {
    var count: UInt64 = 0
    _ = read(wakeDescriptor, &count, 8)
    return work.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
  }
}

/// A value that belongs to a loop; other threads can only use it on that loop.
public final class LoopBound<Value>: @unchecked Sendable {
  // Owned by the loop's thread: only jobs posted to the loop read and release it.
  private let value: Value
  private let mailbox: LoopMailbox

  /// Must be called on the loop's thread.
  public init(_ value: Value, on loop: EventLoop) {
    self.value = value
    mailbox = loop.mailbox
  }

  deinit {
    nonisolated(unsafe) let value = value
    mailbox.post { _ = value }
  }

  /// Runs `body` on the loop's thread, unless the loop has stopped.
  public func post(_ body: @escaping @Sendable (Value) -> Void) {
    nonisolated(unsafe) let value = value
    mailbox.post { body(value) }
  }
}
