/// What a recording survives from the moment its client has the whole answer.
public enum Durability: String, Sendable, CaseIterable {
  /// The death of the process; the loss of power only once the cassette is sealed.
  case process
  /// The loss of power too: the disk is waited for at every exchange.
  case power
}
