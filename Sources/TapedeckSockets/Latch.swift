internal import CSystem
internal import Glibc

/// Lets one thread wait for others: `wait()` returns once for every `signal()`.
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
