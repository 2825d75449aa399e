internal import TapedeckHTTP
internal import TapedeckSockets

extension HTTPConnection {
  /// The exchange being answered.
  struct Exchange {
    /// What will be told of it.
    var summary: ExchangeSummary
    let version: HTTPVersion
    let startedAt: MonotonicTime
    var keepsAlive: Bool

    /// For an answer to what is no request.
    static func none(startedAt: MonotonicTime) -> Exchange {
      Exchange(
        summary: ExchangeSummary(method: HTTPMethod(rawValue: "-"), target: [UInt8(ascii: "-")]),
        version: .http11, startedAt: startedAt, keepsAlive: false)
    }
  }
}
