/// One finished exchange, for logs and summaries.
public struct ExchangeSummary: Sendable {
  public var method: HTTPMethod
  public var target: [UInt8]
  public var status: Int
  public var source: ServedResponse.Source
  /// From the whole request to the last byte of the answer leaving our hands.
  public var durationNanoseconds: Int64
  /// Whether the answer broke off, or the client left before its end.
  public var wasCutShort: Bool
  public var explanation: ResponseExplanation?

  public init(
    method: HTTPMethod, target: [UInt8], status: Int = 0, source: ServedResponse.Source = .server,
    durationNanoseconds: Int64 = 0, wasCutShort: Bool = false, explanation: ResponseExplanation? = nil
  ) {
    self.method = method
    self.target = target
    self.status = status
    self.source = source
    self.durationNanoseconds = durationNanoseconds
    self.wasCutShort = wasCutShort
    self.explanation = explanation
  }
}
