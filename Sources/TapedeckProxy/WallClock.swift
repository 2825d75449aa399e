internal import Glibc

/// The time of day, for people who read cassettes. Nothing is decided by it.
enum WallClock {
  /// Milliseconds since 1970-01-01 UTC.
  static var now: Int { microseconds / 1000 }

  /// Microseconds since 1970-01-01 UTC.
  static var microseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }
}
