public import TapedeckHTTP

/// A route as data: the requests it matches, and its response. It can be compared, and changed while in use.
///
/// ```swift
/// MockRoute(method: .get, endpoint: "user", code: 200, filename: "get_user_200")
/// MockRoute(method: .get, endpoint: "user", code: 200, object: User.mock())
/// MockRoute(method: .get, endpoint: "user", code: 200, json: #"{"name": "John Doe"}"#)
/// MockRoute.redirect(urlPath: "/old", destination: "/new")
/// ```
///
/// Paths may contain `:name`, `{name}` and `*rest`; the leading slash is optional. `Feather` serves routes on
/// its own port, `Router.mock` in a router. Equal routes match the same requests. Source: Feather, Shock.
public struct MockRoute: Sendable {
  /// The method of a request.
  public typealias HTTPMethod = TapedeckHTTP.HTTPMethod

  /// The body of a response.
  public enum Content: Sendable {
    /// No body.
    case empty
    /// A JSON document, sent unchanged.
    case json(String)
    /// A text.
    case text(String)
    /// A file, whose name decides the media type. A name without an extension gets `.json`.
    case file(String)
    /// A Mustache file, filled in with values. A name without `.mustache` gets that extension.
    case template(file: String, values: JSONValue)
    /// A Mustache text, filled in with values.
    case templateText(String, values: JSONValue)
    /// The reason why a value could not be encoded; registering the route throws it.
    case unencodable(String)

    /// The encoding of a value.
    public init(encoding object: some Encodable) {
      do throws(SerializationError) {
        self = .json(String(decoding: try JSONValue(encoding: object).bytes(.compact), as: UTF8.self))
      } catch {
        self = .unencodable("\(error)")
      }
    }
  }

  /// The method of the requests.
  public let method: HTTPMethod
  /// The path as written; empty for a collection.
  public let endpoint: String
  /// The query items that the request must have; a value like `:name` or `{name}` matches any.
  public private(set) var query: [String: String] = [:]
  /// The header fields that the request must have; the value `*` matches any.
  public private(set) var requestHeaders: [String: String] = [:]
  /// The status, at least 200.
  public var code = 200
  /// Header fields of the response.
  public var headers: [String: String] = [:]
  /// The body of the response.
  public var content = Content.empty
  /// The target of a redirection; empty for other routes.
  public private(set) var destination = ""
  /// How long a timeout route stays silent, in seconds; 0 for other routes.
  public private(set) var timeoutInSeconds = 0.0
  /// The routes of a collection.
  public private(set) var routes: [MockRoute] = []

  private init(_ method: HTTPMethod, _ endpoint: String, _ code: Int, _ content: Content = .empty) {
    self.method = method
    self.endpoint = endpoint
    self.code = code
    self.content = content
  }

  // MARK: As in Feather

  /// A route that responds with a JSON document.
  public init(method: HTTPMethod, endpoint: String, code: Int = 200, json: String) {
    self.init(method, endpoint, code, .json(json))
  }

  /// A route that responds with a value. It is encoded now; if that fails, registering the route throws.
  public init(method: HTTPMethod, endpoint: String, code: Int = 200, object: some Encodable) {
    self.init(method, endpoint, code, Content(encoding: object))
  }

  /// A route that responds with a file, which is read when the route is registered.
  public init(method: HTTPMethod, endpoint: String, code: Int = 200, filename: String) {
    self.init(method, endpoint, code, .file(filename))
  }

  // MARK: As in Shock

  /// A route that responds with a file, or with an empty body.
  public static func simple(
    method: HTTPMethod = .get, urlPath: String, code: Int = 200, filename: String? = nil
  ) -> MockRoute {
    MockRoute(method, urlPath, code, filename.map { .file($0) } ?? .empty)
  }

  /// A route with conditions on the query or header fields, or with response fields.
  public static func custom(
    method: HTTPMethod = .get, urlPath: String, query: [String: String] = [:],
    requestHeaders: [String: String] = [:], responseHeaders: [String: String] = [:], code: Int = 200,
    filename: String? = nil
  ) -> MockRoute {
    custom(
      method: method, urlPath: urlPath, query: query, requestHeaders: requestHeaders,
      responseHeaders: responseHeaders, code: code, content: filename.map { .file($0) } ?? .empty)
  }

  /// A route with conditions on the query or header fields, or with response fields.
  public static func custom(
    method: HTTPMethod = .get, urlPath: String, query: [String: String] = [:],
    requestHeaders: [String: String] = [:], responseHeaders: [String: String] = [:], code: Int = 200,
    content: Content
  ) -> MockRoute {
    var route = MockRoute(method, urlPath, code, content)
    (route.query, route.requestHeaders, route.headers) = (query, requestHeaders, responseHeaders)
    return route
  }

  /// A route that responds with a Mustache file, filled in with values.
  public static func template(
    method: HTTPMethod = .get, urlPath: String, code: Int = 200, filename: String, templateInfo: JSONValue
  ) -> MockRoute {
    MockRoute(method, urlPath, code, .template(file: filename, values: templateInfo))
  }

  /// A route that responds with a Mustache text, filled in with values, as JSON.
  public static func template(
    method: HTTPMethod = .get, urlPath: String, code: Int = 200, text: String, templateInfo: JSONValue
  ) -> MockRoute {
    MockRoute(method, urlPath, code, .templateText(text, values: templateInfo))
  }

  /// A redirection.
  public static func redirect(
    method: HTTPMethod = .get, urlPath: String, destination: String, code: Int = 301
  ) -> MockRoute {
    var route = MockRoute(method, urlPath, code)
    route.destination = destination
    return route
  }

  /// A route that stays silent and responds with 504 after the timeout. Other requests are not delayed.
  public static func timeout(
    method: HTTPMethod = .get, urlPath: String, timeoutInSeconds: Double = 120
  ) -> MockRoute {
    var route = MockRoute(method, urlPath, 504)
    route.timeoutInSeconds = timeoutInSeconds
    return route
  }

  /// Several routes as one.
  public static func collection(routes: [MockRoute]) -> MockRoute {
    var route = MockRoute(.get, "", 200)
    route.routes = routes
    return route
  }

  /// The route itself, or the routes of a collection; empty for an empty path, which is no route.
  public var all: [MockRoute] { endpoint.isEmpty ? routes.flatMap(\.all) : [self] }
}

extension MockRoute: Hashable {
  public static func == (left: MockRoute, right: MockRoute) -> Bool {
    left.identity == right.identity && left.routes == right.routes
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
    hasher.combine(routes)
  }

  /// Equal for routes that match the same requests. The names of parameters are ignored.
  private var identity: [String] {
    if endpoint.isEmpty { return [] }
    let fields = HeaderFields(requestHeaders).fields
    return RegisteredRoute.identity(method, (try? RoutePattern(pattern).shape) ?? [pattern], fields)
  }

  /// The path with its slash, or the URL.
  private var whole: String {
    endpoint.hasPrefix("/") || RoutePattern.isAbsolute(endpoint) ? endpoint : "/\(endpoint)"
  }

  private var pattern: String {
    let path = whole
    let items = query.sorted { $0.key < $1.key }.map { name, value in
      let isWildcard = value.hasPrefix(":") || (value.hasPrefix("{") && value.hasSuffix("}"))
      return "\(URLEncoding.encoded(name))=\(isWildcard ? value : URLEncoding.encoded(value))"
    }
    guard !items.isEmpty else { return path }
    return path + (path.contains("?") ? "&" : "?") + items.joined(separator: "&")
  }
}

// MARK: - Serving

extension Router {
  /// Registers routes that are data, all or none. An equal earlier route is replaced.
  /// - Parameter read: returns the bytes of a file that a route names.
  @discardableResult
  public func mock(
    _ routes: [MockRoute], reading read: (String) throws -> [UInt8]
  ) throws(MockRouteError) -> [Route] {
    var ready: [(MockRoute, RoutePattern, Response)] = []
    for route in routes.flatMap(\.all) {
      ready.append((route, try route.checkedPattern(), try route.response(read)))
    }
    return ready.map { route, pattern, response in
      register(route.method, pattern, .returning { _ in response }) { registered in
        registered.headers = HeaderFields(route.requestHeaders).fields
        if route.timeoutInSeconds > 0 { registered.latency = .seconds(route.timeoutInSeconds) }
      }
    }
  }
}

extension MockRoute {
  private var title: String { "\(method.rawValue) \(whole)" }

  fileprivate func checkedPattern() throws(MockRouteError) -> RoutePattern {
    do throws(PathPatternError) { return try RoutePattern(pattern) } catch {
      throw .badPath(route: title, problem: "\(error)")
    }
  }

  /// Created at registration, so that errors in the route appear then.
  fileprivate func response(_ read: (String) throws -> [UInt8]) throws(MockRouteError) -> Response {
    guard (200...999).contains(code) else { throw .badStatus(route: title, code) }
    var response = try body(read)
    response.statusCode = code
    if !destination.isEmpty { response.headers["Location"] = destination }
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) { response.headers[name] = value }
    return response
  }

  private func body(_ read: (String) throws -> [UInt8]) throws(MockRouteError) -> Response {
    switch content {
    case .empty: return Response(statusCode: code)
    case .json(let json):
      let bytes = Array(json.utf8)
      do throws(JSONError) { _ = try JSONValue(parsing: bytes) } catch {
        throw .invalidJSON(route: title, problem: "\(error)")
      }
      return Response(data: bytes, contentType: "application/json")
    case .text(let text): return Response(text: text)
    case .unencodable(let problem): throw .unencodable(route: title, problem: problem)
    case .templateText(let text, let values):
      do throws(TemplateError) {
        return Response(template: try Template(text, escaping: .json), values: values)
      } catch {
        throw .badFile(route: title, problem: "its template: \(error)")
      }
    case .file(let name):
      let hasExtension = name.split(separator: "/").last?.contains(".") == true
      let file = hasExtension ? name : "\(name).json"
      do { return Response(data: try read(file), contentType: FileName.mediaType(of: file)) } catch {
        throw .badFile(route: title, problem: "\(error)")
      }
    case .template(let name, let values):
      let file = name.hasSuffix(".mustache") ? name : "\(name).mustache"
      do { return Response(template: try Template(try read(file), from: file), values: values) } catch {
        throw .badFile(route: title, problem: "\(error)")
      }
    }
  }
}

/// The reason why a route that is data cannot be served, with the route.
public enum MockRouteError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path is not a pattern.
  case badPath(route: String, problem: String)
  /// The status is outside 200 to 999.
  case badStatus(route: String, Int)
  /// The file cannot be read.
  case badFile(route: String, problem: String)
  /// The JSON text is invalid.
  case invalidJSON(route: String, problem: String)
  /// The object cannot be encoded.
  case unencodable(route: String, problem: String)
  /// The route does not exist.
  case unknownRoute(route: String, known: [String])

  public var description: String {
    switch self {
    case .badPath(let route, let problem): "\(route): \(problem)"
    case .badStatus(let route, let status):
      "\(route): \(status) is not a response status; statuses go from 200 to 999"
    case .badFile(let route, let problem):
      "\(route): \(problem); the folder is that of the server, or else the current one"
    case .invalidJSON(let route, let problem):
      "\(route): its json is not JSON: \(problem); correct it, or serve what is broken on purpose from a file"
    case .unencodable(let route, let problem): "\(route): its object cannot be encoded: \(problem)"
    case .unknownRoute(let route, let known):
      "there is no route \(route); "
        + (known.isEmpty ? "there are none" : "there are \(known.joined(separator: ", "))")
    }
  }
}
