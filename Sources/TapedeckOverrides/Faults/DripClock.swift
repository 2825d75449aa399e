/// How many bytes of a body may go out, and when: a pure table of times, so that it can be tried without waiting.
struct DripClock {
  enum Pace {
    case bandwidth(bytesPerMillisecond: Int)
    case slices(Slices, pauseNanoseconds: Int64)
  }

  enum Step: Equatable {
    case send(Int)
    /// On the monotonic clock.
    case wait(untilNanoseconds: Int64)
  }

  /// How much at a time, in milliseconds' worth of bytes.
  private static let tickMilliseconds = 20

  private var pace: Pace
  /// Bytes that are still to come of the piece under way.
  private var left = 0
  /// When they may go.
  private var due: Int64 = 0

  init(_ pace: Pace) { self.pace = pace }

  /// What to do while so many bytes are there, at least one.
  mutating func next(available: Int, now: Int64) -> Step {
    if left == 0 { beginPiece(available, now) }
    if now < due { return .wait(untilNanoseconds: due) }
    let count = min(left, available)
    left -= count
    if left == 0, case .slices(_, let pause) = pace { due = now + max(pause, 1) }
    return .send(count)
  }

  private mutating func beginPiece(_ available: Int, _ now: Int64) {
    switch pace {
    case .bandwidth(let rate):
      left = min(available, rate.multipliedReportingOverflow(by: Self.tickMilliseconds).partialValue)
      // Time that nothing was there to be sent in is not made up for.
      due = max(due, now) + Int64(left) * 1_000_000 / Int64(rate)
    case .slices(var slices, let pause):
      left = slices.next()
      pace = .slices(slices, pauseNanoseconds: pause)
    }
  }
}
