/// How a connection is ended in the middle of a response, on purpose.
public enum ConnectionEnd: Sendable, Equatable {
  /// Closes it (FIN) after everything written and these bytes, which need not be HTTP, have been sent.
  case close(after: [UInt8])
  /// Resets it (RST) after everything written has been sent.
  case reset
}
