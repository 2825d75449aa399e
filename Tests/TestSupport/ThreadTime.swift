internal import Glibc

/// The processor time that `body` takes on this thread: what runs beside it does not count.
public func threadTime(_ body: () throws -> Void) rethrows -> Duration {
  let before = threadTime()
  try body()
  return threadTime() - before
}

private func threadTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
