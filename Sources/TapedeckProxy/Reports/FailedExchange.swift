public import TapedeckHTTP

/// Exchanges with the origin that failed alike.
public struct FailedExchange: CountedGroup, Sendable, Equatable {
  public var method: String
  /// Path and query, without secrets.
  public var target: String
  /// Of the first of them.
  public var failure: ExchangeFailure
  public var count: Int

  public init(method: String, target: String, failure: ExchangeFailure, count: Int) {
    self.method = method
    self.target = target
    self.failure = failure
    self.count = count
  }
}

extension GroupLedger<FailedExchange> {
  func add(_ failure: ExchangeFailure, method: String, target: String) {
    add([method, target, failure.cause]) {
      FailedExchange(method: method, target: target, failure: failure, count: 1)
    }
  }
}
