public import TapedeckHTTP

/// A complete answer of the origin.
public struct RecordedResponse: Sendable, Equatable {
  /// The head with its end-to-end fields.
  public var head: HTTPResponseHead
  public var body: RecordedBody
  /// The sizes of the chunks the origin sent, each at least 1; nil when it did not send chunks.
  public var chunkSizes: [Int]?
  public var trailers: HTTPFields
  /// Whether the end of the connection was the end of the body (RFC 9112 §6.3).
  public var isCloseDelimited: Bool

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
  func isFramedByLength(to method: HTTPMethod) -> Bool {
    chunkSizes == nil && !isCloseDelimited && !BodyFraming.hasNoBody(status: head.status, method: method)
  }
}
