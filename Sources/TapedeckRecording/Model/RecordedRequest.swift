public import TapedeckHTTP

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
