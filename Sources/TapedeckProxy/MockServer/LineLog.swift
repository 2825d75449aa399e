internal import Synchronization

/// What the server's thread has to tell the others.
final class LineLog: Sendable {
  private struct State {
    var lines: [String] = []
    var failure: String?
    var isEnded = false
  }

  private let state = Mutex(State())

  var lines: [String] { state.withLock { $0.lines } }
  var failure: String? { state.withLock { $0.failure } }

  func add(_ line: String) { state.withLock { $0.lines.append(line) } }
  func fail(_ problem: String) { state.withLock { $0.failure = problem } }

  /// True for the first who asks.
  func claimEnd() -> Bool {
    state.withLock { state in
      defer { state.isEnded = true }
      return !state.isEnded
    }
  }
}
