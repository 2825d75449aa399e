/// The reason why an exchange failed. It accompanies the error response to the client, so that logs, reports and the
/// request log say the same.
public struct ExchangeFailure: Sendable, Equatable {
  /// The error type of RFC 9209 §2.3, like `connection_refused`.
  public let cause: String
  /// A text for people, without headers, target or body of the exchange.
  public let detail: String

  public init(cause: String, detail: String) {
    self.cause = cause
    self.detail = detail
  }

  package var json: JSONValue { ["cause": JSONValue(cause), "reason": JSONValue(detail)] }

  /// The cause in plain words, like `connection refused`.
  public var words: String { String(cause.map { $0 == "_" ? " " : $0 }) }
}
