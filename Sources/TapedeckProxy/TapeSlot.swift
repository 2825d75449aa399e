internal import Synchronization

/// Holds the tape that is in, to be changed while the proxy runs. Who asks during a change waits for its end.
final class TapeSlot: Sendable {
  private let current: Mutex<Tape>

  init(_ tape: Tape) { current = Mutex(tape) }

  var tape: Tape { current.withLock { $0 } }

  /// Puts what `make` returns in the place of the tape. When it throws, the tape stays.
  func replace(_ make: (Tape) throws -> Tape) throws {
    try current.withLock { tape in tape = try make(tape) }
  }
}
