import CSystem
import Glibc

/// Threads for a piece of work that waits on nothing: this one, and as many others as there are cores beside it.
enum Workers {
  private final class Task: Sendable {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }

  private static let maximum = 8

  /// Calls `work` on up to `count` threads and returns when all calls have returned. There may be fewer, so the work
  /// divides itself among those that come.
  static func run(atMost count: Int, _ work: @escaping @Sendable () -> Void) {
    let others = (1..<max(1, min(count, Int(td_usable_cores()), maximum))).compactMap { _ in start(work) }
    work()
    for thread in others { pthread_join(thread, nil) }
  }

  private static func start(_ work: @escaping @Sendable () -> Void) -> pthread_t? {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Task(work))
    let code = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Task>.fromOpaque(context).takeRetainedValue().work() }
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      return nil
    }
    return thread
  }
}
