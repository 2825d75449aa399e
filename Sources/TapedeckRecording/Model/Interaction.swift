public import TapedeckHTTP

/// One exchange remembered: the request sent to the origin, and its response.
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

/// The request of an exchange, as far as it can be compared with one that comes.
public struct RecordedRequest: Sendable, Equatable {
  public var request: HTTPRequest
  /// The body when it is too large to be held in `request.body`; nil otherwise.
  public var largeBody: BodyFile?

  public init(_ request: HTTPRequest, largeBody: BodyFile? = nil) {
    self.request = request
    self.largeBody = largeBody
  }
}

extension Interaction {
  public var recordedRequest: RecordedRequest { RecordedRequest(request, largeBody: largeRequestBody) }
}
