internal import Synchronization
import TapedeckSockets

/// Holds the cassette that is in, which can be changed while the proxy runs. Reading it during a change waits for its
/// end.
final class CassetteSlot: Versioned {
  private let slot: Mutex<InsertedCassette>
  private let changes = Atomic<Int>(0)

  init(_ cassette: InsertedCassette) { slot = Mutex(cassette) }

  var current: InsertedCassette { slot.withLock { $0 } }
  var version: Int { changes.load(ordering: .acquiring) }

  /// Puts what `make` returns in the place of the cassette. When it throws, the cassette stays.
  func replace(_ make: (InsertedCassette) throws -> InsertedCassette) throws {
    try slot.withLock { cassette in
      // From here on nobody takes what is in for what will be.
      changes.add(1, ordering: .releasing)
      defer { changes.add(1, ordering: .releasing) }
      cassette = try make(cassette)
    }
  }
}
