public import TapedeckHTTP

/// A response with a status and header fields.
public struct Response: ResponseFieldsProvider, Sendable {
  /// The status, from 200 to 999.
  public var statusCode: Int
  /// The header fields in order, with duplicates.
  public var headers: HeaderFields
  /// The value of the body; `nil` for an empty body or a stream.
  private(set) var value: (any Serializable & Sendable)?
  private(set) var stream: BodyStream?
  /// The reason phrase of an origin's response; `nil` for the registered one.
  var reason: [UInt8]?

  private init(
    _ statusCode: Int, _ headers: HeaderFields, _ value: (any Serializable & Sendable)?,
    stream: BodyStream? = nil
  ) {
    self.statusCode = statusCode
    self.headers = headers
    self.value = value
    self.stream = stream
  }

  /// Creates a response with a value as its body; the header fields are sorted by name.
  @_disfavoredOverload
  public init(statusCode: Int, body: any Serializable & Sendable, headerFields: [String: String]? = nil) {
    self.init(statusCode, HeaderFields(headerFields ?? [:]), body)
  }

  /// Creates a response without a body: `Response(statusCode: 204)`.
  public init(statusCode: Int, headers: HeaderFields = [:]) { self.init(statusCode, headers, nil) }

  /// Creates a response with a JSON body.
  public init(statusCode: Int = 200, json: JSONValue, headers: HeaderFields = [:]) {
    self.init(statusCode, headers, json)
  }

  /// Creates a response with a UTF-8 text body.
  public init(statusCode: Int = 200, text: String, headers: HeaderFields = [:]) {
    self.init(statusCode, headers, RawBody.text(text))
  }

  /// Creates a response with an XML body.
  public init(statusCode: Int = 200, xml: String, headers: HeaderFields = [:]) {
    self.init(statusCode, headers, RawBody.xml(xml))
  }

  /// Creates a response with bytes as its body.
  public init(
    statusCode: Int = 200, data: [UInt8], contentType: String = "application/octet-stream",
    headers: HeaderFields = [:]
  ) {
    self.init(statusCode, headers, RawBody(data, contentType: contentType))
  }

  /// Creates a redirection.
  public init(redirect location: String, statusCode: Int = 302) {
    self.init(statusCode, ["Location": location], nil)
  }

  /// Creates a response whose body is written in pieces.
  public init(
    statusCode: Int = 200, contentType: String = "application/octet-stream", headers: HeaderFields = [:],
    stream: BodyStream
  ) {
    var headers = headers
    if headers["Content-Type"] == nil { headers["Content-Type"] = contentType }
    self.init(statusCode, headers, nil, stream: stream)
  }

  /// Creates a response from an HTTP message.
  public init(_ response: HTTPResponse) {
    let fields = HeaderFields(response.head.fields)
    // An empty type is not sent, so that no type is added to a response without one.
    let body = response.body.isEmpty ? nil : RawBody(response.body, contentType: "")
    self.init(response.head.status, fields, body)
    reason = response.head.reason
  }

  init(_ head: HTTPResponseHead, _ stream: BodyStream) {
    self.init(head.status, HeaderFields(head.fields), nil, stream: stream)
    reason = head.reason
  }

  /// The header fields by name; `nil` when there are none.
  public var headerFields: [String: String]? { headers.isEmpty ? nil : headers.dictionary }

  /// The value of the body; a `Passthrough` if it is empty or a stream.
  public var body: any Serializable {
    if let value { value } else { Passthrough() }
  }

  /// Replaces the body and sets `Content-Type` to match.
  public mutating func setBody(_ body: (any Serializable & Sendable)?) {
    headers["Content-Type"] = nil
    headers["Content-Length"] = nil
    (value, stream) = (body, nil)
  }

  /// The bytes of a body made of bytes, text or an HTTP message; `nil` for values and streams.
  public var data: [UInt8]? {
    guard let value else { return [] }
    return (value as? RawBody)?.bytes
  }
}

extension Response {
  /// Creates a response with an `Encodable` value as its body; the header fields are sorted by name.
  public init(
    statusCode: Int = 200, encoding body: some Encodable & Sendable, headerFields: [String: String]? = nil
  ) {
    self.init(statusCode, HeaderFields(headerFields ?? [:]), EncodedValue(body))
  }

  /// Replaces the body by an `Encodable` value and sets `Content-Type` to match.
  public mutating func setBody(encoding body: some Encodable & Sendable) { setBody(EncodedValue(body)) }

  /// Creates a response with a value that is not sendable, like a class instance; it is serialized at once.
  public init(statusCode: Int, writing value: any Serializable, headerFields: [String: String]? = nil) {
    self.init(statusCode, HeaderFields(headerFields ?? [:]), FrozenBody(value))
  }

  /// Creates a response with an object literal, whose members stay in order.
  public init(statusCode: Int, body: JSONObject, headerFields: [String: String]? = nil) {
    self.init(statusCode, HeaderFields(headerFields ?? [:]), FrozenBody(body))
  }

  /// Creates a response with a rendered template as its body.
  /// - Parameter contentType: by default that of the template's escaping.
  public init(
    statusCode: Int = 200, template: Template, values: JSONValue = [:], contentType: String? = nil,
    headers: HeaderFields = [:]
  ) {
    self.init(
      statusCode: statusCode, data: Array(template.rendered(values).utf8),
      contentType: contentType ?? template.contentType, headers: headers)
  }
}

extension Response: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    guard let value else { return false }
    return try run.writeAny(value)
  }
}

/// A value serialized when the response was created, or the error of doing so.
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

/// A value that sets the status and header fields of its response. A handler may return one, also inside
/// optionals, policies and key transformers, or throw one that is an error.
public protocol ResponseFieldsProvider: CustomSerializable {
  /// The status, from 200 to 999.
  var statusCode: Int { get }
  /// The value written as the body.
  var body: any Serializable { get }
  /// The header fields. The body's `Content-Type` is added unless set here; an empty one is not sent.
  var headerFields: [String: String]? { get }
}

extension ResponseFieldsProvider {
  /// The body's JSON.
  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    body.serialized(transformingKeys: keyTransformer)
  }
}

/// A value whose JSON has its own media type.
public protocol MediaTyped: Serializable {
  /// The value of `Content-Type`.
  var contentType: String { get }
}

/// A body that is not JSON: bytes and their media type.
public struct RawBody: MediaTyped, CustomSerializable, Sendable, Equatable {
  /// The bytes.
  public var bytes: [UInt8]
  /// The value of `Content-Type`; if empty, the field is not sent.
  public var contentType: String

  /// Creates a body from bytes.
  public init(_ bytes: [UInt8], contentType: String = "application/octet-stream") {
    self.bytes = bytes
    self.contentType = contentType
  }

  /// A UTF-8 text body.
  public static func text(_ text: String) -> RawBody {
    RawBody(Array(text.utf8), contentType: "text/plain; charset=utf-8")
  }

  /// A UTF-8 HTML body.
  public static func html(_ text: String) -> RawBody {
    RawBody(Array(text.utf8), contentType: "text/html; charset=utf-8")
  }

  /// An XML body.
  public static func xml(_ text: String) -> RawBody {
    RawBody(Array(text.utf8), contentType: "application/xml")
  }

  /// The bytes as text, for use inside other JSON.
  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    String(decoding: bytes, as: UTF8.self)
  }
}
