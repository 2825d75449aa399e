package import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckResources

/// A request to be matched against rules. Its parts are parsed once, when the first rule needs them.
final class OverrideRequest {
  let http: HTTPRequest
  lazy var path = PathSegments(http.path)
  /// `+` stands for a space, as in the matching of recordings.
  lazy var query = http.query.map { QueryItem.parse($0, plusIsSpace: true) } ?? []
  lazy var headers = HeaderFields(http.fields)
  lazy var json: JSONValue? = try? JSONValue(parsing: http.body)
  lazy var text = String(decoding: http.body, as: UTF8.self)
  lazy var form = Request(http: http).form
  lazy var origin = http.origin

  init(_ http: HTTPRequest) { self.http = http }
}

/// The condition of a rule: `method`, `path`, and `when` with `host`, `query`, `headers`, `form`, `body` (a text), `json` (a part
/// that the body must contain) and `jsonPath` (values at places in the body).
package struct RequestCondition: Sendable {
  private typealias Matchers = [(name: String, value: TextMatcher)]

  /// `nil` for any method.
  let methods: [HTTPMethod]?
  let path: PathPattern
  private let host: HostCondition?
  private let query: Matchers
  private let headers: Matchers
  private let form: Matchers
  private let body: BodyCondition
  /// The number of conditions in `when`. Of two rules for the same path, the one with more conditions is tried first.
  let whenCount: Int

  /// - Parameter forRoute: without a method, a route matches GET, any other rule all methods. A route for GET matches
  ///   HEAD too (RFC 9110 §9.3.2).
  package init(_ reader: inout RuleReader, forRoute: Bool = false) throws(OverrideProblem) {
    methods = try Self.methods(&reader, forRoute: forRoute)
    guard let text = try reader.text("path"), text.hasPrefix("/") else {
      throw reader.problem("path", "must be a text that starts with /, like \"/users/{id}\" or \"/*\"")
    }
    path = try Self.pattern(text, reader)
    var when = try reader.object("when")
    host = try when?.read("host", HostCondition.init)
    query = try Self.matchers(&when, "query", TextMatcher.init)
    headers = try Self.matchers(&when, "headers", TextMatcher.init)
    form = try Self.matchers(&when, "form", TextMatcher.init)
    body = try BodyCondition(&when)
    try when?.finish()
    whenCount = (host == nil ? 0 : 1) + query.count + headers.count + form.count + body.count
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

  private static func pattern(_ text: String, _ reader: RuleReader) throws(OverrideProblem) -> PathPattern {
    guard !text.contains("?"), !text.contains("#") else {
      throw reader.problem("path", "must be a path alone; what follows ? goes into \"when\": {\"query\": …}")
    }
    let pattern = try PathPattern(declared: text, at: reader.place(of: "path"))
    for segment in text.split(separator: "/") where segment.contains("{") || segment.contains("}") {
      guard segment.hasPrefix("{"), segment.hasSuffix("}"),
        !segment.dropFirst().dropLast().contains(where: "{}".contains)
      else { throw reader.problem("path", "\(segment): a parameter takes a whole segment, like /users/{id}") }
    }
    return pattern
  }

  private static func matchers<Matcher>(
    _ reader: inout RuleReader?, _ name: String, _ read: RuleReader.Read<Matcher>
  ) throws(OverrideProblem) -> [(name: String, value: Matcher)] {
    var inner = try reader?.object(name)
    return try inner?.readAll(read) ?? []
  }

  // MARK: Matching

  package func fitsPath(of request: HTTPRequest) -> Bool { path.match(request.path) != nil }

  /// The first condition that the request does not meet, including the path.
  package func obstacle(_ request: HTTPRequest) -> String? {
    fitsPath(of: request) ? obstacle(OverrideRequest(request)) : "path"
  }

  /// Whether the request meets all conditions but the path.
  func accepts(_ request: OverrideRequest) -> Bool {
    methods?.contains(request.http.method) != false && (whenCount == 0 || obstacle(request) == nil)
  }

  /// Whether it looks at the body.
  var readsBody: Bool { !form.isEmpty || body.count > 0 }

  /// Whether the request meets all conditions on its head but the path.
  func acceptsHead(_ request: OverrideRequest) -> Bool {
    methods?.contains(request.http.method) != false
      && itemObstacle(request, includingForm: false) == nil
  }

  /// The first condition but the path that the request does not meet, like `query page is "2"`.
  func obstacle(_ request: OverrideRequest) -> String? {
    if let methods, !methods.contains(request.http.method) {
      return "method is \(methods.map(\.rawValue).joined(separator: " or "))"
    }
    return whenCount == 0 ? nil : itemObstacle(request) ?? body.obstacle(request)
  }

  private func itemObstacle(_ request: OverrideRequest, includingForm: Bool = true) -> String? {
    if let host, !host.accepts(request.origin) { return host.description }
    for (name, matcher) in query where !matcher.accepts(request.query.values(of: name)) {
      return "query \(name) \(matcher.description)"
    }
    for (name, matcher) in headers where !matcher.accepts(request.headers.values(of: name)) {
      return "header \(name) \(matcher.description)"
    }
    for (name, matcher) in form where includingForm && !matcher.accepts(request.form.values(of: name)) {
      return "form field \(name) \(matcher.description)"
    }
    return nil
  }
}

extension [QueryItem] {
  fileprivate func values(of name: String) -> [String] { filter { $0.name == name }.map { $0.value ?? "" } }
}

extension HTTPMethod {
  /// Method names are case-sensitive (RFC 9110 §9.1), but `get` in a rule always means `GET`.
  fileprivate init(anyCase name: String) {
    let upper = name.uppercased()
    let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    self.init(rawValue: known.contains(upper) ? upper : name)
  }
}

extension PathPattern {
  /// Parses the path of a rule. Refuses what other tools would read as a regular expression.
  init(declared text: String, at place: String) throws(OverrideProblem) {
    if let segment = text.split(separator: "/").first(where: Self.isExpression) {
      throw OverrideProblem(
        place,
        "\(segment): a path has no regular expressions; {id} takes any one segment, *rest all that follow")
    }
    do { try self.init(text) } catch { throw OverrideProblem(place, "\(error)") }
    let names = parameters
    for (index, name) in names.enumerated() where names[..<index].contains(name) {
      throw OverrideProblem(
        place, "the parameter {\(name)} stands twice in \(text); give each its own name")
    }
  }

  /// Whether a segment contains characters that are common in regular expressions and rare in URLs.
  private static func isExpression(_ segment: Substring) -> Bool {
    segment.contains("\\")
      || ["(?", "[^", ".*", ".+", "]+", "]*", "]{", "-9]", "-z]", "-Z]"].contains { sign in
        segment.utf8.indices.contains { segment.utf8[$0...].starts(with: sign.utf8) }
      }
  }
}
