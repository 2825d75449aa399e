public import TapedeckRedaction

/// What sealing did to a cassette.
public struct SealReport: Sendable, Equatable {
  /// Interaction files written, new or changed.
  public var written = 0
  /// Interactions that were recorded just as they stood there already.
  public var unchanged = 0
  /// Interaction files of replaced requests that were not asked as often again.
  public var removed = 0
  /// Where everything was recorded anew: the files of requests that did not come again, in the order of their names.
  public var untouched: [String] = []
  /// What looks like a secret in what was recorded.
  public var finds: [SecretFind] = []
  /// What was left out, each with the file and the line.
  public var warnings: [String] = []

  public init() {}
}
