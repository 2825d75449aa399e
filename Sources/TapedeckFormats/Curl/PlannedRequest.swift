public import TapedeckHTTP

/// A request that a file tells without an answer, so that someone must be asked for it.
public struct PlannedRequest: Sendable, Equatable {
  /// Scheme and authority.
  public var origin: String
  public var request: HTTPRequest
  /// The file and the place in it, for messages.
  public var file: String
  public var entry: String
}
