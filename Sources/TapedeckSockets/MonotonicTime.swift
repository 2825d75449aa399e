internal import Glibc

/// A moment of the monotonic clock, in nanoseconds. Clock changes do not move it.
public struct MonotonicTime: Comparable, Hashable, Sendable {
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  public static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  public func adding(milliseconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: nanoseconds &+ Int64(milliseconds) &* 1_000_000)
  }

  /// Nanoseconds from `earlier` to here.
  public func nanoseconds(since earlier: MonotonicTime) -> Int64 { nanoseconds - earlier.nanoseconds }
}
