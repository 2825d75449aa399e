internal import Glibc

/// The time of day, for people. Nothing is decided by it.
package enum WallClock {
  /// Milliseconds since 1970-01-01 UTC.
  package static var now: Int { microseconds / 1000 }

  /// Microseconds since 1970-01-01 UTC.
  package static var microseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }
}
