package import TapedeckHTTP
internal import TapedeckMocking

/// Which requests a rule is for: `method`, `path`, and `when` with `query`, `headers`, `form`, `body` (a text), `json`
/// (what the body must hold at least) and `jsonPath` (what stands at places in it).
package struct RequestCondition: Sendable {
  /// Nil for any.
  let methods: [HTTPMethod]?
  let path: PathPattern
  let query: [(name: String, matcher: TextMatcher)]
  let headers: [(name: String, matcher: TextMatcher)]
  let form: [(name: String, matcher: TextMatcher)]
  let body: TextMatcher?
  let json: JSONValue?
  let jsonPath: [(path: JSONPath, matcher: JSONMatcher)]

  /// - Parameter forRoute: where no method is named a route is for GET, any other rule for all of them; and a route for
  ///   GET is for HEAD too (RFC 9110 §9.3.2).
  package init(_ reader: inout RuleReader, forRoute: Bool = false) throws(OverrideProblem) {
    methods = try Self.methods(&reader, forRoute: forRoute)
    guard let text = try reader.text("path"), text.hasPrefix("/") else {
      throw reader.problem("path", "must be a text that starts with /, like \"/users/{id}\" or \"/*\"")
    }
    path = try Self.pattern(text, &reader)
    var when = try reader.object("when")
    query = try Self.matchers(&when, "query")
    headers = try Self.matchers(&when, "headers")
    form = try Self.matchers(&when, "form")
    let place = when?.place(of: "body") ?? ""
    body = try when?.value("body").map { value throws(OverrideProblem) in try TextMatcher(value, at: place) }
    json = when?.value("json")
    jsonPath = try Self.jsonPaths(&when)
    try when?.finish()
  }

  private static func methods(
    _ reader: inout RuleReader, forRoute: Bool
  ) throws(OverrideProblem) -> [HTTPMethod]? {
    guard let value = reader.value("method") else { return forRoute ? [.get, .head] : nil }
    let items = value.array ?? [value]
    let names = items.compactMap(\.text)
    guard !names.isEmpty, names.count == items.count,
      names.allSatisfy({ $0 == "*" || HTTPMethod.isValid($0) })
    else { throw reader.problem("method", "must be a method name like \"GET\", a list of them, or \"*\"") }
    if names.contains("*") { return nil }
    let methods = names.map(HTTPMethod.init(anyCase:))
    return forRoute && methods.contains(.get) && !methods.contains(.head) ? methods + [.head] : methods
  }

  private static func pattern(_ text: String, _ reader: inout RuleReader) throws(OverrideProblem)
    -> PathPattern
  {
    guard !text.contains("?"), !text.contains("#") else {
      throw reader.problem(
        "path", "must be a path alone; what stands behind ? goes into \"when\": {\"query\": …}")
    }
    let pattern = try PathTemplate.pattern(text, at: reader.place(of: "path"))
    for segment in text.split(separator: "/") where segment.contains("{") || segment.contains("}") {
      guard segment.hasPrefix("{"), segment.hasSuffix("}"),
        !segment.dropFirst().dropLast().contains(where: "{}".contains)
      else { throw reader.problem("path", "\(segment): a hole takes a whole segment, like /users/{id}") }
    }
    return pattern
  }

  private static func matchers(
    _ reader: inout RuleReader?, _ name: String
  ) throws(OverrideProblem) -> [(name: String, matcher: TextMatcher)] {
    guard var inner = try reader?.object(name) else { return [] }
    var matchers: [(String, TextMatcher)] = []
    for name in inner.names {
      let place = inner.place(of: name)
      guard let value = inner.value(name) else { continue }
      matchers.append((name, try TextMatcher(value, at: place)))
    }
    return matchers
  }

  private static func jsonPaths(
    _ reader: inout RuleReader?
  ) throws(OverrideProblem) -> [(path: JSONPath, matcher: JSONMatcher)] {
    guard var inner = try reader?.object("jsonPath") else { return [] }
    var matchers: [(JSONPath, JSONMatcher)] = []
    for name in inner.names {
      guard let value = inner.value(name) else { continue }
      let path: JSONPath
      do { path = try JSONPath(name) } catch { throw inner.problem(name, "\(error)") }
      matchers.append((path, try JSONMatcher(value, at: inner.place(of: name))))
    }
    return matchers
  }

  /// How many things it asks for beside method and path: of two rules for the same path the one that asks for more
  /// goes first.
  var whenCount: Int {
    query.count + headers.count + form.count + jsonPath.count + (body == nil ? 0 : 1) + (json == nil ? 0 : 1)
  }

  package func fitsPath(of request: HTTPRequest) -> Bool { path.match(request.path) != nil }

  /// The first thing that stands in the way, the path included.
  package func obstacle(_ request: HTTPRequest) -> String? {
    fitsPath(of: request) ? obstacle(OverrideRequest(request)) : "path"
  }

  /// Whether the request is one of these, its path aside.
  func accepts(_ request: OverrideRequest) -> Bool { obstacle(request) == nil }

  /// The first thing that stands in the way, its path aside: `query page is "2"`.
  func obstacle(_ request: OverrideRequest) -> String? {
    if let methods, !methods.contains(request.http.method) {
      return "method is \(methods.map(\.rawValue).joined(separator: " or "))"
    }
    return whenCount == 0 ? nil : itemObstacle(request) ?? bodyObstacle(request)
  }

  private func itemObstacle(_ request: OverrideRequest) -> String? {
    for (name, matcher) in query where !matcher.accepts(request.query.values(of: name)) {
      return "query \(name) \(matcher.description)"
    }
    for (name, matcher) in headers where !matcher.accepts(request.headers.values(of: name)) {
      return "header \(name) \(matcher.description)"
    }
    for (name, matcher) in form where !matcher.accepts(request.form.values(of: name)) {
      return "form field \(name) \(matcher.description)"
    }
    return nil
  }

  private func bodyObstacle(_ request: OverrideRequest) -> String? {
    if let body, !body.accepts(request.http.body.isEmpty ? [] : [request.text]) {
      return "body \(body.description)"
    }
    if let json, request.json?.holds(json) != true {
      return "body holds \(String(decoding: json.bytes(.compact), as: UTF8.self))"
    }
    for (path, matcher) in jsonPath where !matcher.accepts(request.json?.values(at: path) ?? []) {
      return "body \(path) \(matcher.description)"
    }
    return nil
  }

  /// What the holes of the path caught.
  func components(of request: OverrideRequest) -> [String: String] { path.values(in: request.path) }
}

extension [QueryItem] {
  fileprivate func values(of name: String) -> [String] { filter { $0.name == name }.map { $0.value ?? "" } }
}

extension HTTPMethod {
  /// Methods are told apart by their case (RFC 9110 §9.1), but no `get` is anything but a slip of the pen.
  fileprivate init(anyCase name: String) {
    let upper = name.uppercased()
    let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    self.init(rawValue: known.contains(upper) ? upper : name)
  }
}
