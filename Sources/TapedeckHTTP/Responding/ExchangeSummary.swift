/// One finished exchange, for logs and summaries.
public struct ExchangeSummary: Sendable {
  public var method: HTTPMethod
  public var target: [UInt8]
  public var status: Int
  /// The bytes of the body that were sent, without framing.
  public var bodyBytes: Int
  public var source: ServedResponse.Source
  /// From the turn of the loop in which the request was complete until the last byte of the response was sent.
  public var durationNanoseconds: Int64
  /// Whether the response broke off, or the client left before its end.
  public var wasCutShort: Bool
  /// The decisions of the links; `nil` if none were collected.
  package var decisions: Decisions?
  /// The reason if the exchange failed.
  public var failure: ExchangeFailure?

  package init(
    method: HTTPMethod, target: [UInt8], status: Int, bodyBytes: Int, source: ServedResponse.Source,
    durationNanoseconds: Int64, wasCutShort: Bool, decisions: Decisions?, failure: ExchangeFailure?
  ) {
    self.method = method
    self.target = target
    self.status = status
    self.bodyBytes = bodyBytes
    self.source = source
    self.durationNanoseconds = durationNanoseconds
    self.wasCutShort = wasCutShort
    self.decisions = decisions
    self.failure = failure
  }
}
