public import TapedeckHTTP

/// Hears of every exchange, on the loop's thread.
public protocol ExchangeObserver: AnyObject {
  func exchangeFinished(_ summary: ExchangeSummary)
}
