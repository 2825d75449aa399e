internal import Synchronization

/// A value that a task waits for and the loop gives. The first one counts.
final class Reply<Value: Sendable>: Sendable {
  private struct State {
    var waiting: CheckedContinuation<Value, Never>?
    var value: Value?
  }

  private let state = Mutex(State())

  /// Waits for the value that `ask` lets a loop give; a task that is cancelled gets `cancelled`.
  static func value(
    onCancel cancelled: Value, _ ask: @escaping @Sendable (Reply<Value>) -> Void
  ) async -> Value {
    let reply = Reply()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        reply.wait(continuation)
        ask(reply)
      }
    } onCancel: {
      reply.give(cancelled)
    }
  }

  private func wait(_ continuation: CheckedContinuation<Value, Never>) {
    let value = state.withLock { state in
      if state.value == nil { state.waiting = continuation }
      return state.value
    }
    if let value { continuation.resume(returning: value) }
  }

  func give(_ value: Value) {
    let waiting = state.withLock { state in
      if state.value == nil { state.value = value }
      return state.waiting.take()
    }
    waiting?.resume(returning: value)
  }
}
