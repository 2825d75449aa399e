public import TapedeckHTTP

/// The response of the origin: complete, or as far as it had come when the client left a stream.
public struct RecordedResponse: Sendable, Equatable {
  /// The head with its end-to-end fields.
  public var head: HTTPResponseHead
  public var body: RecordedBody
  /// The sizes of the chunks the origin sent, each at least 1; nil when it did not send chunks.
  public var chunkSizes: [Int]?
  public var trailers: HTTPFields
  /// Whether the end of the connection was the end of the body (RFC 9112 §6.3).
  public var isCloseDelimited: Bool
  /// The interim responses before it (RFC 9110 §15.2): status, reason and end-to-end fields.
  public var interim: [HTTPResponseHead] = []
  /// Whether the client left before the end of the body, which then has no length.
  public var isCutByClient = false

  public init(
    head: HTTPResponseHead, body: RecordedBody = .bytes([]), chunkSizes: [Int]? = nil,
    trailers: HTTPFields = HTTPFields(), isCloseDelimited: Bool = false
  ) {
    self.head = head
    self.body = body
    self.chunkSizes = chunkSizes
    self.trailers = trailers
    self.isCloseDelimited = isCloseDelimited
  }

  /// Whether its `Content-Length` is the size of its body.
  package func isFramedByLength(to method: HTTPMethod) -> Bool {
    chunkSizes == nil && !isCloseDelimited && !isCutByClient
      && !BodyFraming.hasNoBody(status: head.status, method: method)
  }
}
