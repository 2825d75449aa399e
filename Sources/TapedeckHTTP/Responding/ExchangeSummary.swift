/// One finished exchange, for logs and summaries.
public struct ExchangeSummary: Sendable {
  public var method: HTTPMethod
  public var target: [UInt8]
  public var status: Int
  public var source: ServedResponse.Source
  /// From the whole request to the last byte of the response leaving our hands.
  public var durationNanoseconds: Int64
  /// Whether the response broke off, or the client left before its end.
  public var wasCutShort: Bool
  /// What the links of the chain decided; `nil` where no link was asked.
  package var decisions: Decisions?
  /// Why the exchange failed, where it did.
  public var failure: ExchangeFailure?

  package init(
    method: HTTPMethod, target: [UInt8], status: Int, source: ServedResponse.Source,
    durationNanoseconds: Int64,
    wasCutShort: Bool, decisions: Decisions?, failure: ExchangeFailure?
  ) {
    self.method = method
    self.target = target
    self.status = status
    self.source = source
    self.durationNanoseconds = durationNanoseconds
    self.wasCutShort = wasCutShort
    self.decisions = decisions
    self.failure = failure
  }
}
