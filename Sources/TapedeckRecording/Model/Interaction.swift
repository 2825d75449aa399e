public import TapedeckHTTP

/// One exchange remembered: what was sent to the origin and what it answered.
public struct Interaction: Sendable, Equatable {
  /// The request with the end-to-end fields that went to the origin and the target as the client asked for it.
  public var request: HTTPRequest
  /// The request's body when it is too large to be held in `request.body`; nil otherwise.
  public var largeRequestBody: BodyFile?
  public var response: RecordedResponse
  public var volatile: VolatileFacts

  public init(
    request: HTTPRequest, largeRequestBody: BodyFile? = nil, response: RecordedResponse,
    volatile: VolatileFacts = VolatileFacts()
  ) {
    self.request = request
    self.largeRequestBody = largeRequestBody
    self.response = response
    self.volatile = volatile
  }
}
