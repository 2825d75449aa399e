internal import Glibc
internal import Synchronization

/// Shows the progress of long work on one line of a terminal, redrawn at most ten times a second.
///
/// Any thread may report steps. Call `finish()` before other output; `Terminal.say` clears the line by itself.
final class Progress: Sendable {
  private struct State {
    var done = 0
    var total: Int?
    var nextDraw: Int64
    var isFinished = false
  }

  private static let delayNanoseconds: Int64 = 300_000_000
  private static let intervalNanoseconds: Int64 = 100_000_000

  private let what: String
  private let isVisible: Bool
  private let state: Mutex<State>

  /// - Parameters:
  ///   - what: a participle, such as `verifying`.
  ///   - total: the number of steps, if it is known.
  init(_ what: String, total: Int? = nil) {
    self.what = what
    isVisible = Terminal.standardErrorIsTerminal
    state = Mutex(State(total: total, nextDraw: Self.now + Self.delayNanoseconds))
  }

  deinit { finish() }

  /// - Parameter subject: the subject of the step; may contain any characters.
  func advance(by steps: Int = 1, _ subject: @autoclosure () -> String = "") {
    update(subject) { $0.done += steps }
  }

  func set(_ done: Int, of total: Int?) {
    update({ "" }) { state in
      state.done = done
      state.total = total
    }
  }

  /// Removes the line.
  func finish() {
    let wasVisible = state.withLock { state in
      defer { state.isFinished = true }
      return !state.isFinished
    }
    if isVisible, wasVisible { Terminal.show(status: nil) }
  }

  private func update(_ subject: () -> String, _ change: (inout State) -> Void) {
    guard isVisible else { return }
    let now = Self.now
    let drawn: State? = state.withLock { state in
      change(&state)
      guard !state.isFinished, now >= state.nextDraw else { return nil }
      state.nextDraw = now + Self.intervalNanoseconds
      return state
    }
    guard let drawn else { return }
    let line = Self.line(what, done: drawn.done, total: drawn.total, subject: subject())
    Terminal.show(status: line.shortened(to: max(1, (Terminal.errorColumns ?? 80) - 1)))
  }

  /// As in `tapedeck: verifying 37 of 120 (30 %)  GET /users/1`.
  static func line(_ what: String, done: Int, total: Int?, subject: String) -> String {
    var line = "tapedeck: \(what) \(done)"
    if let total, total > 0 { line += " of \(total) (\(min(done, total) * 100 / total) %)" }
    return subject.isEmpty ? line : "\(line)  \(Printable.line(subject))"
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
