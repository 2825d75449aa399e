/// Why an exchange failed. It travels with the response that stands in for the one that did not come, so that logs,
/// reports and the request log say the same as the client was told.
public struct ExchangeFailure: Sendable, Equatable {
  /// The error type, in the words of RFC 9209 §2.3, like `connection_refused`.
  public let cause: String
  /// For people. Holds no header, target or body of the exchange.
  public let detail: String

  public init(cause: String, detail: String) {
    self.cause = cause
    self.detail = detail
  }

  /// For programs.
  package var json: JSONValue { ["cause": JSONValue(cause), "reason": JSONValue(detail)] }

  /// The cause in plain words, like `connection refused`.
  public var words: String { String(cause.map { $0 == "_" ? " " : $0 }) }
}
