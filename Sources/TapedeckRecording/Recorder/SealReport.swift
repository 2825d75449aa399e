public import TapedeckRedaction

/// The changes that sealing made to a cassette.
public struct SealReport: Sendable, Equatable {
  /// Interaction files written, new or changed.
  public var written = 0
  /// Interactions that were recorded just as they stood there already.
  public var unchanged = 0
  /// Interaction files of replaced requests that were not asked as often again.
  public var removed = 0
  /// When everything was recorded again: the files of requests that did not come, in the order of their names.
  public var untouched: [String] = []
  /// Likely secrets in the recorded interactions.
  public var finds: [SecretFind] = []
  /// Lines that were left out, each with its file and number.
  public var warnings: [String] = []

  public init() {}
}
