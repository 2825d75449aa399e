internal import Synchronization

/// Counts the connections of all loops and the request bodies they hold, and decides who may come in, and with what.
///
/// Above the limit a client is still let in to be told 503, which is kinder than a connection that nobody answers; that
/// too has a limit, and above it nobody is accepted: the kernel's backlog waits.
final class ConnectionGate: Sendable {
  enum Admission { case served, refused }

  private struct Count {
    var served = 0
    var refused = 0
  }

  private let maxServed: Int
  private let maxRefused: Int
  private let maxBodyBytes: Int
  private let count = Mutex(Count())
  private let bodyBytes = Atomic(0)

  init(maxServed: Int, maxRefused: Int, maxBodyBytes: Int = .max) {
    self.maxServed = maxServed
    self.maxRefused = maxRefused
    self.maxBodyBytes = maxBodyBytes
  }

  /// Counts `change` more bytes of bodies, or fewer; whether all that are held now are within the limit.
  func holdBody(_ change: Int) -> Bool {
    bodyBytes.add(change, ordering: .relaxed).newValue <= maxBodyBytes
  }

  /// nil when nobody may come in, not even to be refused.
  func enter() -> Admission? {
    count.withLock { count in
      if count.served < maxServed {
        count.served += 1
        return .served
      }
      guard count.refused < maxRefused else { return nil }
      count.refused += 1
      return .refused
    }
  }

  func leave(_ admission: Admission) {
    count.withLock { count in
      switch admission {
      case .served: count.served -= 1
      case .refused: count.refused -= 1
      }
    }
  }
}

/// What one connection holds of request bodies, known to the gate.
struct BodyAccount {
  private let gate: ConnectionGate
  private var held = 0

  init(_ gate: ConnectionGate) { self.gate = gate }

  /// It holds `count` bytes now. False when that is too much, with what all others hold.
  mutating func hold(_ count: Int) -> Bool {
    guard count != held else { return true }
    defer { held = count }
    return gate.holdBody(count - held)
  }

  mutating func release() { _ = hold(0) }
}
