public import TapedeckHTTP

/// An answer with a status and header fields.
public struct Response: ResponseFieldsProvider, Sendable {
  enum Content: Sendable {
    case none
    case value(any Serializable & Sendable)
    case stream(BodyStream)
  }

  public var statusCode: Int
  /// In order, with duplicates.
  public var headers: HeaderFields
  var content: Content
  /// As an origin said it; nil for the registered one.
  var reason: [UInt8]?

  private init(_ statusCode: Int, _ headers: HeaderFields, _ content: Content) {
    self.statusCode = statusCode
    self.headers = headers
    self.content = content
  }

  /// A value with a status and header fields, which come in the order of their names.
  @_disfavoredOverload
  public init(statusCode: Int, body: any Serializable & Sendable, headerFields: [String: String]? = nil) {
    self.init(statusCode, HeaderFields(headerFields ?? [:]), .value(body))
  }

  /// An answer without a body: `Response(statusCode: 204)`.
  public init(statusCode: Int, headers: HeaderFields = [:]) { self.init(statusCode, headers, .none) }

  public init(statusCode: Int = 200, json: JSONValue, headers: HeaderFields = [:]) {
    self.init(statusCode, headers, .value(json))
  }

  public init(statusCode: Int = 200, text: String, headers: HeaderFields = [:]) {
    self.init(statusCode, headers, .value(RawBody.text(text)))
  }

  public init(statusCode: Int = 200, xml: String, headers: HeaderFields = [:]) {
    self.init(statusCode, headers, .value(RawBody.xml(xml)))
  }

  public init(
    statusCode: Int = 200, data: [UInt8], contentType: String = "application/octet-stream",
    headers: HeaderFields = [:]
  ) {
    self.init(statusCode, headers, .value(RawBody(data, contentType: contentType)))
  }

  /// A redirection.
  public init(redirect location: String, statusCode: Int = 302) {
    self.init(statusCode, ["Location": location], .none)
  }

  /// An answer that is written bit by bit.
  public init(
    statusCode: Int = 200, contentType: String = "application/octet-stream", headers: HeaderFields = [:],
    stream: BodyStream
  ) {
    var headers = headers
    if headers["Content-Type"] == nil { headers["Content-Type"] = contentType }
    self.init(statusCode, headers, .stream(stream))
  }

  /// What somebody else answered.
  public init(_ response: HTTPResponse) {
    let fields = HeaderFields(response.head.fields)
    // An empty type is none, so that none is added to what had none.
    self.init(response.head.status, fields, .value(RawBody(response.body, contentType: "")))
    if response.body.isEmpty { content = .none }
    reason = response.head.reason
  }

  /// A head and a body that comes bit by bit.
  init(_ head: HTTPResponseHead, _ stream: BodyStream) {
    self.init(head.status, HeaderFields(head.fields), .stream(stream))
    reason = head.reason
  }

  public var headerFields: [String: String]? { headers.isEmpty ? nil : headers.dictionary }

  public var body: any Serializable {
    get {
      guard case .value(let value) = content else { return Passthrough() }
      return value
    }
  }

  /// Gives it another body. `Content-Type` becomes the new one's.
  public mutating func setBody(_ body: (any Serializable & Sendable)?) {
    headers["Content-Type"] = nil
    headers["Content-Length"] = nil
    content = body.map { .value($0) } ?? .none
  }

  /// The bytes of a body that has come from somewhere else or was given as bytes; nil for others.
  public var data: [UInt8]? {
    guard case .value(let value) = content else { return [] }
    return (value as? RawBody)?.bytes
  }
}

extension Response {
  /// A value that may not leave this thread, like an object that others change: it is written down at once. Key
  /// transformers around the response get to see the keys that it has by then.
  public init(statusCode: Int, writing value: any Serializable, headerFields: [String: String]? = nil) {
    self.init(statusCode, HeaderFields(headerFields ?? [:]), .value(FrozenBody(value)))
  }

  /// An object written where it is needed, members in that order.
  public init(statusCode: Int, body: JSONObject, headerFields: [String: String]? = nil) {
    self.init(statusCode, HeaderFields(headerFields ?? [:]), .value(FrozenBody(body)))
  }
}

extension Response: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    guard case .value(let value) = content else { return false }
    return try run.writeAny(value)
  }
}

/// A value as it was when it was answered, or why it could not be.
struct FrozenBody: Sendable, MediaTyped, Writable {
  let contentType: String
  let json: Result<JSONValue?, SerializationError>

  init(_ value: any Serializable) {
    contentType = (value as? any MediaTyped)?.contentType ?? "application/json"
    do throws(SerializationError) { json = .success(try value.json()) } catch { json = .failure(error) }
  }

  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    guard let json = try json.get() else { return false }
    return try run.write(json)
  }
}
