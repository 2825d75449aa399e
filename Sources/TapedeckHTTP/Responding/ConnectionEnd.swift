/// How a connection ends in the midst of a response, where that is what is wanted.
public enum ConnectionEnd: Sendable, Equatable {
  /// In order (FIN), once all that was written and these bytes, which need be no HTTP, are on their way.
  case close(after: [UInt8])
  /// With a reset (RST), once all that was written is on its way.
  case reset
}
