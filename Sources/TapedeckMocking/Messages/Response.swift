public import TapedeckHTTP

/// A response with a status and header fields.
public struct Response: ResponseFieldsProvider, Sendable {
  enum Content: Sendable {
    case none
    case value(any Serializable & Sendable)
    case stream(BodyStream)
  }

  /// The status, from 200 to 999.
  public var statusCode: Int
  /// The header fields in order, with duplicates.
  public var headers: HeaderFields
  var content: Content
  /// The reason phrase of an origin's response; `nil` for the registered one.
  var reason: [UInt8]?

  private init(_ statusCode: Int, _ headers: HeaderFields, _ content: Content) {
    self.statusCode = statusCode
    self.headers = headers
    self.content = content
  }

  /// Creates a response with a value as its body; the header fields are sent in the order of their names.
  @_disfavoredOverload
  public init(statusCode: Int, body: any Serializable & Sendable, headerFields: [String: String]? = nil) {
    self.init(statusCode, HeaderFields(headerFields ?? [:]), .value(body))
  }

  /// Creates a response without a body: `Response(statusCode: 204)`.
  public init(statusCode: Int, headers: HeaderFields = [:]) { self.init(statusCode, headers, .none) }

  /// Creates a response with a JSON body.
  public init(statusCode: Int = 200, json: JSONValue, headers: HeaderFields = [:]) {
    self.init(statusCode, headers, .value(json))
  }

  /// Creates a response with a text body in UTF-8.
  public init(statusCode: Int = 200, text: String, headers: HeaderFields = [:]) {
    self.init(statusCode, headers, .value(RawBody.text(text)))
  }

  /// Creates a response with an XML body.
  public init(statusCode: Int = 200, xml: String, headers: HeaderFields = [:]) {
    self.init(statusCode, headers, .value(RawBody.xml(xml)))
  }

  /// Creates a response with bytes as its body.
  public init(
    statusCode: Int = 200, data: [UInt8], contentType: String = "application/octet-stream",
    headers: HeaderFields = [:]
  ) {
    self.init(statusCode, headers, .value(RawBody(data, contentType: contentType)))
  }

  /// Creates a redirection.
  public init(redirect location: String, statusCode: Int = 302) {
    self.init(statusCode, ["Location": location], .none)
  }

  /// Creates a response whose body is written piece by piece.
  public init(
    statusCode: Int = 200, contentType: String = "application/octet-stream", headers: HeaderFields = [:],
    stream: BodyStream
  ) {
    var headers = headers
    if headers["Content-Type"] == nil { headers["Content-Type"] = contentType }
    self.init(statusCode, headers, .stream(stream))
  }

  /// Creates a response from an HTTP message.
  public init(_ response: HTTPResponse) {
    let fields = HeaderFields(response.head.fields)
    // An empty type is not sent, so that no type is added to a response without one.
    self.init(response.head.status, fields, .value(RawBody(response.body, contentType: "")))
    if response.body.isEmpty { content = .none }
    reason = response.head.reason
  }

  /// Creates a response from a head and a stream.
  init(_ head: HTTPResponseHead, _ stream: BodyStream) {
    self.init(head.status, HeaderFields(head.fields), .stream(stream))
    reason = head.reason
  }

  /// The header fields by name; `nil` when there are none.
  public var headerFields: [String: String]? { headers.isEmpty ? nil : headers.dictionary }

  /// The body's value; a `Passthrough` when there is none, or a stream.
  public var body: any Serializable {
    guard case .value(let value) = content else { return Passthrough() }
    return value
  }

  /// Replaces the body; `Content-Type` becomes that of the new one.
  public mutating func setBody(_ body: (any Serializable & Sendable)?) {
    headers["Content-Type"] = nil
    headers["Content-Length"] = nil
    content = body.map { .value($0) } ?? .none
  }

  /// The body's bytes, if it was given as bytes or text or came from elsewhere; `nil` for values and streams.
  public var data: [UInt8]? {
    guard case .value(let value) = content else { return [] }
    return (value as? RawBody)?.bytes
  }
}

extension Response {
  /// Creates a response with a value that is not sendable, like a class instance: it is serialized at once. A key
  /// transformer around the response transforms the keys that were written.
  public init(statusCode: Int, writing value: any Serializable, headerFields: [String: String]? = nil) {
    self.init(statusCode, HeaderFields(headerFields ?? [:]), .value(FrozenBody(value)))
  }

  /// Creates a response with an object literal, its members in that order.
  public init(statusCode: Int, body: JSONObject, headerFields: [String: String]? = nil) {
    self.init(statusCode, HeaderFields(headerFields ?? [:]), .value(FrozenBody(body)))
  }

  /// Creates a response with a file as its body. The file is read now, so that errors show where the response is made.
  /// - Parameter contentType: by default guessed from the file's name.
  /// - Throws: `FileError`.
  public init(
    statusCode: Int = 200, file path: String, contentType: String? = nil, headers: HeaderFields = [:]
  ) throws(FileError) {
    self.init(
      statusCode: statusCode, data: try LocalFile.read(path),
      contentType: contentType ?? LocalFile.mediaType(of: path), headers: headers)
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
    guard case .value(let value) = content else { return false }
    return try run.writeAny(value)
  }
}

/// A value serialized when the response was made, or why that failed.
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

/// A value that decides the status and header fields of its response.
///
/// It is found at the root of what a handler returns, and inside optionals, policies and key transformers there. When a
/// handler throws an error that conforms, the error is the response.
public protocol ResponseFieldsProvider: CustomSerializable {
  /// The status, from 200 to 999.
  var statusCode: Int { get }
  /// The value that is written as the body.
  var body: any Serializable { get }
  /// The header fields. The body's `Content-Type` is added, unless it is set here: to another value, or to the empty
  /// string, which leaves it out.
  var headerFields: [String: String]? { get }
}

extension ResponseFieldsProvider {
  /// The body's JSON.
  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    body.serialized(transformingKeys: keyTransformer)
  }
}

/// A value whose JSON has a media type of its own.
public protocol MediaTyped: Serializable {
  /// The value of `Content-Type`.
  var contentType: String { get }
}

/// A body that is not JSON: bytes and their media type.
public struct RawBody: MediaTyped, CustomSerializable, Sendable, Equatable {
  /// The bytes.
  public var bytes: [UInt8]
  /// The value of `Content-Type`; the empty string leaves the field out.
  public var contentType: String

  /// Creates a body from bytes.
  public init(_ bytes: [UInt8], contentType: String = "application/octet-stream") {
    self.bytes = bytes
    self.contentType = contentType
  }

  /// A text body in UTF-8.
  public static func text(_ text: String) -> RawBody {
    RawBody(Array(text.utf8), contentType: "text/plain; charset=utf-8")
  }

  /// An HTML body in UTF-8.
  public static func html(_ text: String) -> RawBody {
    RawBody(Array(text.utf8), contentType: "text/html; charset=utf-8")
  }

  /// An XML body.
  public static func xml(_ text: String) -> RawBody {
    RawBody(Array(text.utf8), contentType: "application/xml")
  }

  /// The text of the bytes, as a part of other JSON.
  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    String(decoding: bytes, as: UTF8.self)
  }
}
