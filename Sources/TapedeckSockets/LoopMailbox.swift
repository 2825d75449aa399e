internal import CSystem
internal import Glibc
internal import Synchronization

/// The one door into a loop from other threads: work left here runs on the loop's thread, in order.
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
