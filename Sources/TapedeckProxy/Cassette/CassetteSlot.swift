internal import Synchronization
import TapedeckSockets

/// Holds the tape that is in, to be changed while the proxy runs. Who asks during a change waits for its end.
final class CassetteSlot: Versioned {
  private let slot: Mutex<InsertedCassette>
  private let changes = Atomic<Int>(0)

  init(_ tape: InsertedCassette) { slot = Mutex(tape) }

  var tape: InsertedCassette { slot.withLock { $0 } }
  var current: InsertedCassette { tape }
  var version: Int { changes.load(ordering: .acquiring) }

  /// Puts what `make` returns in the place of the tape. When it throws, the tape stays.
  func replace(_ make: (InsertedCassette) throws -> InsertedCassette) throws {
    try slot.withLock { tape in
      // From here on nobody takes what is in for what will be.
      changes.add(1, ordering: .releasing)
      defer { changes.add(1, ordering: .releasing) }
      tape = try make(tape)
    }
  }
}
