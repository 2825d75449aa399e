public import TapedeckHTTP
import TapedeckRedaction

extension RequestMatcher {
  /// How a request differs from the recorded one that has its key: in names of the query, places in the body and
  /// whole parts that the rules leave out of the key. Header fields and the host never count: those that are compared
  /// are equal, and the others are new in every run.
  public func drift(of request: HTTPRequest, from recorded: RecordedRequest) -> [RequestDifference] {
    guard seesDrift else { return [] }
    let old = recorded.request
    if old.target == request.target, old.method == request.method, recorded.largeBody == nil,
      old.body == request.body
    {
      return []
    }
    return RequestComparison(redaction.comparable(request), rules: rules.complete).differences(from: recorded)
      .filter { $0.comparedHeader == nil && !$0.isVariant }
  }

  public func drift(of request: HTTPRequest, from recorded: Interaction) -> [RequestDifference] {
    drift(of: request, from: recorded.recordedRequest)
  }
}
