internal import TapedeckHTTP
internal import TapedeckSockets

extension HTTPConnection {
  /// The exchange being answered. There is one of it, which is handed on and never copied.
  struct Exchange: ~Copyable {
    let method: HTTPMethod
    /// As it may be shown.
    var target: [UInt8]
    let version: HTTPVersion
    let startedAt: MonotonicTime
    var keepsAlive: Bool
    /// Whether a client that finished sending was asked, by an interim response, whether it still reads.
    var isClientAsked = false
    var status = 0
    var source = ServedResponse.Source.server
    var decisions: DecisionCollector?
    var failure: ExchangeFailure?

    init(
      _ method: HTTPMethod, _ target: [UInt8], _ version: HTTPVersion, startedAt: MonotonicTime,
      keepsAlive: Bool
    ) {
      self.method = method
      self.target = target
      self.version = version
      self.startedAt = startedAt
      self.keepsAlive = keepsAlive
    }

    /// For a response to what is no request, or not all of one.
    static func refused(
      _ head: (method: HTTPMethod, target: [UInt8])?, startedAt: MonotonicTime
    ) -> Exchange {
      Exchange(
        head?.method ?? HTTPMethod(rawValue: "-"), head?.target ?? [UInt8(ascii: "-")], .http11,
        startedAt: startedAt, keepsAlive: false)
    }

    /// Takes over what a response says about itself.
    mutating func note(_ response: borrowing ServedResponse) {
      source = response.source
      decisions = response.decisions
      if let shown = response.shownTarget { target = shown }
      if response.endsConnection { keepsAlive = false }
    }

    /// Takes over why it failed, where it did.
    mutating func note(_ failure: ExchangeFailure?) {
      if let failure { self.failure = failure }
    }

    /// What is told of it now that it is over.
    func summary(wasCutShort: Bool) -> ExchangeSummary {
      let duration = MonotonicTime.now.nanoseconds(since: startedAt)
      return ExchangeSummary(
        method: method, target: target, status: status, source: source, durationNanoseconds: duration,
        wasCutShort: wasCutShort, decisions: decisions?.decisions, failure: failure)
    }
  }
}
