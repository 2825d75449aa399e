internal import Synchronization

/// The port that a listener has got, for those who were made before it had one.
final class ListeningPort: Sendable {
  private let port = Atomic<Int>(0)

  var number: Int { port.load(ordering: .acquiring) }

  func set(_ number: Int) { port.store(number, ordering: .releasing) }
}
