internal import Synchronization

/// Holds the tape that is in, to be changed while the proxy runs. Who asks during a change waits for its end.
final class TapeSlot: Versioned {
  private let slot: Mutex<Tape>
  private let changes = Atomic<Int>(0)

  init(_ tape: Tape) { slot = Mutex(tape) }

  var tape: Tape { slot.withLock { $0 } }
  var current: Tape { tape }
  var version: Int { changes.load(ordering: .acquiring) }

  /// Puts what `make` returns in the place of the tape. When it throws, the tape stays.
  func replace(_ make: (Tape) throws -> Tape) throws {
    try slot.withLock { tape in
      // From here on nobody takes what is in for what will be.
      changes.add(1, ordering: .releasing)
      defer { changes.add(1, ordering: .releasing) }
      tape = try make(tape)
    }
  }
}
