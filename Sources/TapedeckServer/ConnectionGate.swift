internal import Synchronization

/// Counts the connections of all loops, and decides who may come in.
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
  private let count = Mutex(Count())

  init(maxServed: Int, maxRefused: Int) {
    self.maxServed = maxServed
    self.maxRefused = maxRefused
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
