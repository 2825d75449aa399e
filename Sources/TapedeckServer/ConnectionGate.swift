internal import Synchronization

/// Admits clients, and counts the connections of all loops and the request bodies they hold. Above the limit
/// a client gets a 503; above a second limit it waits in the kernel's backlog.
final class ConnectionGate: Sendable {
  enum Admission { case served, refused }

  private let maxServed: Int
  private let maxRefused: Int
  private let maxBodyBytes: Int
  private let count = Mutex((accepting: 0, served: 0, refused: 0))
  private let maxHandshakes: Int
  private let bodyBytes = Atomic(0)
  private let handshakes = Atomic(0)

  init(maxServed: Int, maxRefused: Int, maxBodyBytes: Int = .max, maxHandshakes: Int = .max) {
    self.maxServed = maxServed
    self.maxRefused = maxRefused
    self.maxBodyBytes = maxBodyBytes
    self.maxHandshakes = maxHandshakes
  }

  func holdBody(_ change: Int) -> Bool {
    bodyBytes.add(change, ordering: .relaxed).newValue <= maxBodyBytes
  }

  /// Counts one more TLS handshake until `endHandshake()`. Returns false when there are too many.
  func beginHandshake() -> Bool {
    if handshakes.add(1, ordering: .relaxed).newValue <= maxHandshakes { return true }
    endHandshake()
    return false
  }

  func endHandshake() { handshakes.subtract(1, ordering: .relaxed) }

  /// Reserves room to accept one connection; `admit` or `acceptedNone` follows. Returns false when no connection may
  /// be accepted, not even to refuse it.
  func beginAccepting() -> Bool {
    count.withLock { count in
      guard count.accepting + count.served + count.refused < maxServed + maxRefused else { return false }
      count.accepting += 1
      return true
    }
  }

  func acceptedNone() { count.withLock { $0.accepting -= 1 } }

  /// Decides after the accept, so that a loop whose accept finds nobody does not take the place of another's client.
  func admit() -> Admission {
    count.withLock { count in
      count.accepting -= 1
      if count.served < maxServed {
        count.served += 1
        return .served
      }
      count.refused += 1
      return .refused
    }
  }

  func leave(_ admission: Admission) {
    count.withLock { count in
      if admission == .served { count.served -= 1 } else { count.refused -= 1 }
    }
  }
}

struct BodyAccount {
  private let gate: ConnectionGate
  private var held = 0

  init(_ gate: ConnectionGate) { self.gate = gate }

  /// Sets the number of bytes. Returns false when all connections together hold too many.
  mutating func hold(_ count: Int) -> Bool {
    guard count != held else { return true }
    defer { held = count }
    return gate.holdBody(count - held)
  }

  mutating func release() { _ = hold(0) }
}
