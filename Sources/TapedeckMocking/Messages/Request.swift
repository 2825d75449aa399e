public import TapedeckHTTP

/// What a route handler gets to see of a request, in Kakapo's words.
public struct Request: Sendable {
  /// What the route's wildcards caught, by name, percent-decoded.
  public var components: [String: String]
  /// The same as it stood in the URL.
  public var rawComponents: [String: String] { components.merging(encodedComponents) { $1 } }
  /// Those that stood there in another spelling.
  var encodedComponents: [String: String] = [:]
  /// The request underneath.
  public var http: HTTPRequest
  /// `http`, or what the client said.
  public var scheme: String
  /// Who answers if the handler does not: the rest of the proxy's chain, or the real network.
  var next: Continuation?

  typealias Continuation = @Sendable (Request) async throws -> HTTPResponse

  public init(http: HTTPRequest, scheme: String = "http", components: [String: String] = [:]) {
    self.http = http
    self.scheme = scheme
    self.components = components
  }

  /// A request by its URL, as tests of handlers want it.
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

  // MARK: Where it goes

  public var method: HTTPMethod { http.method }

  /// The whole URL.
  public var url: String { "\(scheme)://\(authority)\(http.targetText)" }

  /// Host and port, as the client wrote them.
  public var authority: String { String(decoding: http.authority, as: UTF8.self) }

  /// In lower case.
  public var host: String { URLText.authority(authority[...]).host }

  public var port: Int? { URLText.authority(authority[...]).port }

  /// As it stands in the URL, percent-encoded.
  public var path: String { String(decoding: http.path, as: UTF8.self) }

  /// The query's items in order, decoded; empty without a query.
  public var queryParameters: [QueryItem] { http.query.map { QueryItems.parse($0) } ?? [] }

  /// The value of the query's first item of that name: empty for a name alone, nil where the name is missing.
  public func query(_ name: String) -> String? {
    queryParameters.first { $0.name == name }.map { $0.value ?? "" }
  }

  // MARK: What it carries

  /// The body; nil when there is none.
  public var httpBody: [UInt8]? { http.body.isEmpty ? nil : http.body }

  public var httpHeaders: HeaderFields { HeaderFields(http.fields) }

  /// The value of a header field, its name regardless of case.
  public func header(_ name: String) -> String? { httpHeaders[name] }
}
