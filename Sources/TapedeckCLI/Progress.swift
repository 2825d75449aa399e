internal import Glibc
internal import Synchronization

/// How far a long piece of work has come, on one line of standard error that is redrawn: nothing where that is no
/// terminal, nothing for work that is done before anyone would look, and at most ten times a second.
///
/// Any thread may tell it about steps. Take it away with `finish()` before anything else is said; `Terminal.say` knows
/// about it.
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
  ///   - what: what is being done, as in `verifying`.
  ///   - total: how many steps there will be, where that is known.
  init(_ what: String, total: Int? = nil) {
    self.what = what
    isVisible = Terminal.standardErrorIsTerminal
    state = Mutex(State(total: total, nextDraw: Self.now + Self.delayNanoseconds))
  }

  deinit { finish() }

  /// One step more, or some.
  /// - Parameter subject: what it was about; any text.
  func advance(by steps: Int = 1, _ subject: @autoclosure () -> String = "") {
    update(subject) { $0.done += steps }
  }

  /// So many steps, out of so many.
  func set(_ done: Int, of total: Int?) {
    update({ "" }) { state in
      state.done = done
      state.total = total
    }
  }

  /// Takes the line away.
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
    if let drawn { Terminal.show(status: text(drawn, subject())) }
  }

  private func text(_ state: State, _ subject: String) -> String {
    let line = Self.line(what, done: state.done, total: state.total, subject: subject)
    return TextWidth.shortened(line, to: max(1, (Terminal.errorColumns ?? 80) - 1))
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
