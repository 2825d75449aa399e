public import TapedeckHTTP

/// Hears of every exchange, on the loop's thread.
public protocol ExchangeObserver: AnyObject {
  /// - Parameter summary: makes what can be told of it, for those who want to know more than who answered.
  func exchangeFinished(by source: ServedResponse.Source, _ summary: () -> ExchangeSummary)
}
