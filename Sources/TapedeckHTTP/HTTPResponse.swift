/// The head of an answer.
public struct HTTPResponseHead: Sendable, Equatable {
  public var version: HTTPVersion
  /// 100–999.
  public var status: Int
  /// The reason phrase, as bytes; may be empty (RFC 9112 §4).
  public var reason: [UInt8]
  public var fields: HTTPFields

  public init(
    version: HTTPVersion = .http11, status: Int, reason: [UInt8]? = nil, fields: HTTPFields = HTTPFields()
  ) {
    self.version = version
    self.status = status
    self.reason = reason ?? Array(HTTPStatus.reason(status).utf8)
    self.fields = fields
  }
}

/// A whole answer, held in memory.
public struct HTTPResponse: Sendable, Equatable {
  public var head: HTTPResponseHead
  public var body: [UInt8]
  public var trailers: HTTPFields
  /// Set where this response only says why there is no other.
  public var failure: ExchangeFailure?

  public init(head: HTTPResponseHead, body: [UInt8] = [], trailers: HTTPFields = HTTPFields()) {
    self.head = head
    self.body = body
    self.trailers = trailers
  }

  /// An answer of our own making.
  public init(status: Int, contentType: String, body: [UInt8]) {
    var fields = HTTPFields()
    fields.append(literal: "Content-Type", contentType)
    self.init(head: HTTPResponseHead(status: status, fields: fields), body: body)
  }
}
