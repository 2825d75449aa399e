public import TapedeckHTTP

/// A request as a route handler sees it, with Kakapo's names.
public struct Request: Sendable {
  /// The values of the route's parameters, by name, percent-decoded.
  public var components: [String: String]
  /// The values of the route's parameters, by name, as spelled in the URL.
  public var rawComponents: [String: String] { components.merging(encodedComponents) { $1 } }
  /// The raw values of the parameters that are percent-encoded in the URL.
  var encodedComponents: [String: String] = [:]
  /// The HTTP message.
  public var http: HTTPRequest
  /// The scheme of the URL, `http` unless the client named another.
  public var scheme: String
  /// Serves `continue()`: the rest of the proxy's chain, or the real network.
  var next: Continuation?

  package typealias Continuation = @Sendable (Request) async throws -> HTTPResponse

  /// Creates a request from its HTTP message.
  /// - Parameter scheme: of the URL; by default the one of the message.
  public init(http: HTTPRequest, scheme: String? = nil, components: [String: String] = [:]) {
    self.http = http
    self.scheme = scheme ?? http.scheme.rawValue
    self.components = components
  }

  /// Creates a request from its URL, for tests of handlers.
  public init(
    _ url: String, method: HTTPMethod = .get, headers: HeaderFields = [:], body: [UInt8] = [],
    components: [String: String] = [:]
  ) {
    let parts = URLText(url)
    var fields = HTTPFields()
    for field in headers { try? fields.append(field.name, field.value) }
    let target = URLText.encodedTarget(parts.target)
    let hasPath = target.first == UInt8(ascii: "/")
    let port = parts.port.map { ":\($0)" } ?? ""
    self.init(
      http: HTTPRequest(
        method: method, target: hasPath ? target : [UInt8(ascii: "/")] + target, fields: fields, body: body,
        authority: Array("\(parts.host ?? "")\(port)".utf8)),
      scheme: parts.scheme ?? "http", components: components)
  }

  // MARK: Target

  /// The method.
  public var method: HTTPMethod { http.method }

  /// The whole URL.
  public var url: String { "\(scheme)://\(authority)\(http.targetText)" }

  /// Host and port, as the client wrote them.
  public var authority: String { String(decoding: http.authority, as: UTF8.self) }

  /// The host in lower case.
  public var host: String { URLText.authority(authority[...]).host }

  /// The port, if the client named one.
  public var port: Int? { URLText.authority(authority[...]).port }

  /// The path, percent-encoded as in the URL.
  public var path: String { String(decoding: http.path, as: UTF8.self) }

  /// The items of the query, in order and decoded.
  public var queryParameters: [QueryItem] { http.query.map { QueryItem.parse($0) } ?? [] }

  /// The value of the query's first item with that name; empty if the item has no value.
  public func query(_ name: String) -> String? {
    queryParameters.first { $0.name == name }.map { $0.value ?? "" }
  }

  // MARK: Fields and body

  /// The body; `nil` when it is empty.
  public var httpBody: [UInt8]? { http.body.isEmpty ? nil : http.body }

  /// The header fields.
  public var httpHeaders: HeaderFields { HeaderFields(http.fields) }

  /// The value of the first header field with that name, in any case.
  public func header(_ name: String) -> String? { httpHeaders[name] }

  /// The body as text; bytes that are not UTF-8 are replaced.
  public var text: String { String(decoding: http.body, as: UTF8.self) }

  /// The body as JSON.
  public func json() throws(JSONError) -> JSONValue { try JSONValue(parsing: http.body) }

  /// Decodes the body's JSON: `let post = try request.decode(NewPost.self)`.
  /// - Throws: `JSONError` or `DecodingError`.
  public func decode<T: Decodable>(_ type: T.Type) throws -> T { try json().decode(type) }

  /// The items of a body of type `application/x-www-form-urlencoded`, in order.
  public var form: [QueryItem] { QueryItem.parse(http.body, plusIsSpace: true) }

  /// The parts of a `multipart/*` body; `nil` for other or malformed bodies.
  public var multipart: [MultipartPart]? {
    guard case .multipart(let boundary) = MediaType(http.fields).kind else { return nil }
    return MultipartBody(http.body, boundary: boundary)?.parts.map { MultipartPart($0) }
  }

  /// The value of a form field, in either kind of form.
  public func formValue(_ name: String) -> String? {
    if let part = multipart?.first(where: { $0.name == name }) { return part.text }
    return form.first { $0.name == name }?.value
  }

  // MARK: Passing it on

  /// Passes the request on, to the cassette and the origin or to the real network:
  /// `return request.continue()`.
  public func `continue`() -> Passthrough { Passthrough() }

  /// Passes the request or a changed copy on and waits for the whole response, which the handler may change:
  /// `var response = try await request.continue()`.
  /// - Throws: `RouterError.nothingBehind` when there is nothing to pass it on to.
  public func `continue`() async throws -> Response {
    guard let next else { throw RouterError.nothingBehind(method: method.rawValue, url: url) }
    return Response(try await next(self))
  }
}

/// The result of a handler that passes the request on as if there were no route.
public struct Passthrough: CustomSerializable, Sendable {
  /// Creates the only value.
  public init() {}

  /// Returns `nil`: nothing is written.
  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? { nil }
}

/// One `name=value` of a query or a form.
public struct QueryItem: Sendable, Hashable {
  /// The name, percent-decoded.
  public var name: String
  /// The value, percent-decoded; `nil` for a name without `=`.
  public var value: String?

  /// Creates an item.
  public init(name: String, value: String?) {
    self.name = name
    self.value = value
  }

  /// The items of a query or form, in order, with duplicates.
  /// - Parameter plusIsSpace: true for forms; in a URL, `+` is a plus, as in `URLComponents`.
  package static func parse(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> [QueryItem] {
    func decode(_ bytes: ArraySlice<UInt8>) -> String {
      String(decoding: PercentCoding.decode(bytes, plusIsSpace: plusIsSpace), as: UTF8.self)
    }
    return Array(text).split(separator: UInt8(ascii: "&")).map { item in
      let name = item.prefix { $0 != UInt8(ascii: "=") }
      return QueryItem(
        name: decode(name), value: name.endIndex < item.endIndex ? decode(item[(name.endIndex + 1)...]) : nil)
    }
  }
}
