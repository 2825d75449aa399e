/// The head of a response.
public struct HTTPResponseHead: Sendable, Equatable {
  /// The version of the protocol.
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
  /// Set where this response only says why there is no other.
  public var failure: ExchangeFailure?

  /// Creates a response.
  public init(head: HTTPResponseHead, body: [UInt8] = [], trailers: HTTPFields = HTTPFields()) {
    self.head = head
    self.body = body
    self.trailers = trailers
  }

  /// A response of our own making.
  public init(status: Int, contentType: String, body: [UInt8]) {
    var fields = HTTPFields()
    fields.append(literal: "Content-Type", contentType)
    self.init(head: HTTPResponseHead(status: status, fields: fields), body: body)
  }
}

extension HTTPResponseHead {
  /// Whether the connection may carry another exchange after this response (RFC 9112 §9.3). One of HTTP/1.0 may not,
  /// whatever it says.
  public var keepsAlive: Bool {
    guard version == .http11, let closes = try? ConnectionOptions(fields).closes else { return false }
    return !closes
  }
}

extension HTTPResponse {
  /// A refusal of our own, as problem details (RFC 9457); logs give the same reason.
  /// - Parameters:
  ///   - detail: holds no header, target or body of the exchange.
  ///   - title: the reason phrase of the status where it is not given.
  ///   - cause: in the words of RFC 9209 §2.3.
  ///   - members: extension members, after the others.
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
