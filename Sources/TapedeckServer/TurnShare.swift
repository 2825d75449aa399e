internal import TapedeckSockets

/// What one client was sent in this turn of the loop. One that reads as fast as we write would keep the loop to itself:
/// who got so much waits for the others.
struct TurnShare {
  private var turn = MonotonicTime(nanoseconds: 0)
  private var bytes = 0
  /// When the client last took something, or was first offered it; nil while nothing waits for it.
  private var stalledSince: MonotonicTime?

  mutating func add(_ count: Int, in turn: MonotonicTime) {
    if self.turn != turn { (self.turn, bytes) = (turn, 0) }
    bytes += count
    if count > 0 { stalledSince = nil }
  }

  /// Since when the client has left alone what waits for it, which nothing but reading changes.
  mutating func stall(now: MonotonicTime) -> MonotonicTime {
    let since = stalledSince ?? now
    stalledSince = since
    return since
  }

  func exceeds(_ limit: Int, in turn: MonotonicTime) -> Bool { bytes > limit && self.turn == turn }
}
