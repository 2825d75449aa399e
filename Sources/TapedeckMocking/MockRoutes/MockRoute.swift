public import TapedeckHTTP

/// A route as data: what is asked, and what is answered. It can be written in Swift, read from JSON, compared, and
/// changed while it is served.
///
/// ```swift
/// MockRoute(method: .get, endpoint: "user", code: 200, filename: "get_user_200")
/// MockRoute(method: .get, endpoint: "user", code: 200, object: User.mock())
/// MockRoute(method: .get, endpoint: "user", code: 200, json: #"{"name": "John Doe"}"#)
/// MockRoute.redirect(urlPath: "/old", destination: "/new")
/// ```
///
/// Paths may hold `:name`, `{name}` and `*rest`; a leading slash may be left out. `Feather` serves them at a port of its own, `Router.mock(_:folder:)` wherever
/// that router answers. Two are equal when they are for the same requests, whatever they answer. Source: Feather, Shock.
public struct MockRoute: Sendable {
  /// The method of a request.
  public typealias HTTPMethod = TapedeckHTTP.HTTPMethod

  /// The kinds of routes.
  public enum Kind: String, Sendable, CaseIterable {
    /// A response of a status and a body.
    case simple
    /// A response under conditions on query or header fields.
    case custom
    /// A rendered template.
    case template
    /// A redirection.
    case redirect
    /// A 504 after a time of silence.
    case timeout
    /// Several routes as one.
    case collection
  }

  /// What is in an answer.
  public enum Content: Sendable {
    /// No body.
    case empty
    /// A JSON document, given as it is.
    case json(String)
    /// Plain text in UTF-8.
    case text(String)
    /// A file, as it is. A name without an extension ends in `.json`.
    case file(String)
    /// A Mustache file with values in its places. A name that does not end in `.mustache` gets that end.
    case template(file: String, values: JSONValue)
    /// A Mustache text with values in its places.
    case templateText(String, values: JSONValue)
    /// What could not be encoded; whoever serves the route throws it.
    case unencodable(String)
  }

  /// The kind of the route.
  public let kind: Kind
  /// The method of its requests.
  public let method: HTTPMethod
  /// As it was written; of a collection the empty text.
  public let endpoint: String
  /// What the query has to hold; a value like `:name` or `{name}` stands for any.
  public private(set) var query: [String: String] = [:]
  /// The header fields that a request has to have, all of them; `*` is any value.
  public private(set) var requestHeaders: [String: String] = [:]
  /// The status, from 200 on.
  public var code = 200
  /// Header fields of the answer.
  public var headers: [String: String] = [:]
  /// The body of the response.
  public var content = Content.empty
  /// Of a redirection.
  public private(set) var destination = ""
  /// Of a timeout.
  public private(set) var timeoutInSeconds = 0.0
  /// Of a collection.
  public private(set) var routes: [MockRoute] = []

  private init(_ kind: Kind, _ method: HTTPMethod, _ endpoint: String) {
    self.kind = kind
    self.method = method
    self.endpoint = endpoint
  }

  // MARK: As in Feather

  /// - Parameter json: given as it is, as `application/json`.
  public init(method: HTTPMethod, endpoint: String, code: Int = 200, json: String) {
    self.init(.simple, method, endpoint)
    self.code = code
    content = .json(json)
  }

  /// - Parameter object: encoded now. One that cannot be is an error of whoever serves the route.
  public init(method: HTTPMethod, endpoint: String, code: Int = 200, object: some Encodable) {
    self.init(.simple, method, endpoint)
    self.code = code
    content = Content(encoding: object)
  }

  /// - Parameter filename: in the folder that whoever serves the route names; without an extension it ends in `.json`.
  public init(method: HTTPMethod, endpoint: String, code: Int = 200, filename: String) {
    self.init(.simple, method, endpoint)
    self.code = code
    content = .file(filename)
  }

  // MARK: As in Shock

  /// - Parameter filename: nil for an empty body.
  public static func simple(
    method: HTTPMethod = .get, urlPath: String, code: Int = 200, filename: String? = nil
  ) -> MockRoute {
    var route = MockRoute(.simple, method, urlPath)
    route.code = code
    route.content = filename.map { .file($0) } ?? .empty
    return route
  }

  /// A route that wants something of the query or the header fields, or has header fields to give.
  public static func custom(
    method: HTTPMethod = .get, urlPath: String, query: [String: String] = [:],
    requestHeaders: [String: String] = [:], responseHeaders: [String: String] = [:], code: Int = 200,
    filename: String? = nil
  ) -> MockRoute {
    custom(
      method: method, urlPath: urlPath, query: query, requestHeaders: requestHeaders,
      responseHeaders: responseHeaders, code: code, content: filename.map { .file($0) } ?? .empty)
  }

  /// A route with conditions on query or header fields, or with response fields.
  public static func custom(
    method: HTTPMethod = .get, urlPath: String, query: [String: String] = [:],
    requestHeaders: [String: String] = [:], responseHeaders: [String: String] = [:], code: Int = 200,
    content: Content
  ) -> MockRoute {
    var route = MockRoute(.custom, method, urlPath)
    (route.query, route.requestHeaders, route.headers) = (query, requestHeaders, responseHeaders)
    (route.code, route.content) = (code, content)
    return route
  }

  /// A Mustache file with values in its places.
  public static func template(
    method: HTTPMethod = .get, urlPath: String, code: Int = 200, filename: String, templateInfo: JSONValue
  ) -> MockRoute {
    template(
      method: method, urlPath: urlPath, code: code, content: .template(file: filename, values: templateInfo))
  }

  /// A Mustache text with values in its places, as JSON.
  public static func template(
    method: HTTPMethod = .get, urlPath: String, code: Int = 200, text: String, templateInfo: JSONValue
  ) -> MockRoute {
    template(
      method: method, urlPath: urlPath, code: code, content: .templateText(text, values: templateInfo))
  }

  private static func template(
    method: HTTPMethod, urlPath: String, code: Int, content: Content
  ) -> MockRoute {
    var route = MockRoute(.template, method, urlPath)
    (route.code, route.content) = (code, content)
    return route
  }

  /// A redirection.
  public static func redirect(
    method: HTTPMethod = .get, urlPath: String, destination: String, code: Int = 301
  ) -> MockRoute {
    var route = MockRoute(.redirect, method, urlPath)
    (route.code, route.destination) = (code, destination)
    return route
  }

  /// A route that keeps silent, and answers 504 when the time is over. Nobody else waits.
  public static func timeout(
    method: HTTPMethod = .get, urlPath: String, timeoutInSeconds: Double = 120
  ) -> MockRoute {
    var route = MockRoute(.timeout, method, urlPath)
    (route.code, route.timeoutInSeconds) = (504, timeoutInSeconds)
    return route
  }

  /// Several routes as one.
  public static func collection(routes: [MockRoute]) -> MockRoute {
    var route = MockRoute(.collection, .get, "")
    route.routes = routes
    return route
  }

  /// The routes in it, if it is a collection, or itself; none for an empty path, which is no route.
  public var all: [MockRoute] {
    kind == .collection ? routes.flatMap(\.all) : endpoint.isEmpty ? [] : [self]
  }

  /// Like `GET /user`.
  var title: String { kind == .collection ? "a collection" : "\(method.rawValue) \(path)" }

  /// With a slash before it.
  var path: String { endpoint.hasPrefix("/") ? endpoint : "/\(endpoint)" }
}

extension MockRoute.Content {
  /// A value as it encodes itself.
  public init(encoding object: some Encodable) {
    do throws(SerializationError) {
      let json = try EncodedJSON.of(object, SerializationRun())
      self = .json(String(decoding: json.bytes(.compact), as: UTF8.self))
    } catch {
      self = .unencodable("\(error)")
    }
  }
}

extension MockRoute: Hashable {
  public static func == (left: MockRoute, right: MockRoute) -> Bool {
    left.requestPart == right.requestPart && left.routes == right.routes
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(requestPart)
    hasher.combine(routes)
  }

  /// What a request has to be like. Names of wildcards do not count.
  private var requestPart: [String] {
    if kind == .collection { return [] }
    let shape = (try? RoutePattern(pattern).shape) ?? [pattern]
    let fields = requestHeaders.map { "\($0.key.lowercased()): \($0.value)" }.sorted()
    return [method.rawValue] + shape + fields
  }

  /// Path and query as a pattern of routes.
  var pattern: String {
    let items = query.sorted { $0.key < $1.key }.map { name, value in
      let isWildcard = value.hasPrefix(":") || (value.hasPrefix("{") && value.hasSuffix("}"))
      return "\(URLEncoding.encoded(name))=\(isWildcard ? value : URLEncoding.encoded(value))"
    }
    guard !items.isEmpty else { return path }
    return path + (path.contains("?") ? "&" : "?") + items.joined(separator: "&")
  }
}
