/// The head of a response.
public struct HTTPResponseHead: Sendable, Equatable {
  /// The protocol version.
  public var version: HTTPVersion
  /// 100–999.
  public var status: Int
  /// The reason phrase, as bytes; may be empty (RFC 9112 §4).
  public var reason: [UInt8]
  /// The header section.
  public var fields: HTTPFields

  /// Creates a head.
  public init(
    version: HTTPVersion = .http11, status: Int, reason: [UInt8]? = nil, fields: HTTPFields = HTTPFields()
  ) {
    self.version = version
    self.status = status
    self.reason = reason ?? Array(HTTPStatus.reason(status).utf8)
    self.fields = fields
  }
}

/// A whole response, held in memory.
public struct HTTPResponse: Sendable, Equatable {
  /// Status and header section.
  public var head: HTTPResponseHead
  /// The body, without transfer coding.
  public var body: [UInt8]
  /// The trailer section.
  public var trailers: HTTPFields
  /// Set when this response reports the lack of a real one.
  public var failure: ExchangeFailure?

  /// Creates a response.
  public init(head: HTTPResponseHead, body: [UInt8] = [], trailers: HTTPFields = HTTPFields()) {
    self.head = head
    self.body = body
    self.trailers = trailers
  }

  /// Creates a response of our own.
  public init(status: Int, contentType: String, body: [UInt8]) {
    var fields = HTTPFields()
    fields.append(literal: "Content-Type", contentType)
    self.init(head: HTTPResponseHead(status: status, fields: fields), body: body)
  }
}

extension HTTPResponseHead {
  /// Whether the connection may carry another exchange (RFC 9112 §9.3). Never after HTTP/1.0.
  public var keepsAlive: Bool {
    guard version == .http11, let closes = try? ConnectionOptions(fields).closes else { return false }
    return !closes
  }
}

extension HTTPResponse {
  /// Our own refusal, as problem details (RFC 9457); logs show the same reason.
  /// - Parameters:
  /// - detail: must not contain a header, target or body of the exchange.
  /// - title: the status's reason phrase by default.
  /// - cause: in the words of RFC 9209 §2.3.
  /// - members: extension members, placed last.
  package static func problem(
    _ status: Int, _ detail: String, title: String? = nil, cause: String = "http_request_error",
    members: [JSONMember] = [], style: JSONStyle = .pretty
  ) -> HTTPResponse {
    let standard: [JSONMember] = [
      JSONMember("title", JSONValue(title ?? HTTPStatus.reason(status))),
      JSONMember("status", JSONValue(status)), JSONMember("detail", JSONValue(detail)),
    ]
    let document = JSONValue.object(standard + members)
    var response = HTTPResponse(
      status: status, contentType: "application/problem+json", body: document.bytes(style))
    response.failure = ExchangeFailure(cause: cause, detail: detail)
    return response
  }
}
