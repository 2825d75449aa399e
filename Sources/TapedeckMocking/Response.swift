public import TapedeckHTTP

/// What a route handler answers.
public struct Response: Sendable {
  public enum Body: Sendable, Equatable {
    case json(JSONValue)
    case text(String)
  }

  public var statusCode: Int
  public var body: Body?
  public var headerFields: [(name: String, value: String)]

  public init(statusCode: Int = 200, body: Body? = nil, headerFields: [(name: String, value: String)] = []) {
    self.statusCode = statusCode
    self.body = body
    self.headerFields = headerFields
  }

  /// An answer with a JSON body.
  public init(statusCode: Int = 200, json: JSONValue) { self.init(statusCode: statusCode, body: .json(json)) }

  /// As it goes on the wire; the body's type is said unless a header field says another. Throws when a field is not
  /// one.
  func httpResponse() throws(HTTPFieldError) -> HTTPResponse {
    var fields = HTTPFields()
    for field in headerFields { try fields.append(field.name, field.value) }
    let isTyped = fields.contains("content-type")
    let bytes: [UInt8]
    switch body {
    case .json(let value):
      bytes = value.bytes()
      if !isTyped { fields.append(literal: "Content-Type", "application/json") }
    case .text(let text):
      bytes = Array(text.utf8)
      if !isTyped { fields.append(literal: "Content-Type", "text/plain; charset=utf-8") }
    case nil: bytes = []
    }
    return HTTPResponse(head: HTTPResponseHead(status: statusCode, fields: fields), body: bytes)
  }
}
