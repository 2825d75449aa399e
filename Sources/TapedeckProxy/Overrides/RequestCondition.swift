internal import TapedeckHTTP
internal import TapedeckMocking

/// Which requests a rule is for: `method`, `path`, and `when` with `query`, `headers`, `body` (a text) and `json` (what
/// the body must hold at least).
struct RequestCondition: Sendable {
  /// Nil for any.
  let methods: [HTTPMethod]?
  let path: PathPattern
  let query: [(name: String, matcher: TextMatcher)]
  let headers: [(name: String, matcher: TextMatcher)]
  let body: TextMatcher?
  let json: JSONValue?

  /// - Parameter defaultMethod: where none is named; nil means any.
  init(_ reader: inout RuleReader, defaultMethod: HTTPMethod? = nil) throws(OverrideProblem) {
    methods = try Self.methods(&reader) ?? defaultMethod.map { [$0] }
    guard let text = try reader.text("path"), text.hasPrefix("/") else {
      throw reader.problem("path", "must be a text that starts with /, like \"/users/{id}\" or \"/*\"")
    }
    do { path = try PathPattern(text) } catch { throw reader.problem("path", "\(error)") }
    var when = try reader.object("when")
    query = try Self.matchers(&when, "query")
    headers = try Self.matchers(&when, "headers")
    let place = when?.place(of: "body") ?? ""
    body = try when?.value("body").map { value throws(OverrideProblem) in try TextMatcher(value, at: place) }
    json = when?.value("json")
    try when?.finish()
  }

  private static func methods(_ reader: inout RuleReader) throws(OverrideProblem) -> [HTTPMethod]? {
    guard let value = reader.value("method") else { return nil }
    let items = value.array ?? [value]
    let names = items.compactMap(\.text)
    guard !names.isEmpty, names.count == items.count,
      names.allSatisfy({ $0 == "*" || HTTPMethod.isValid($0) })
    else { throw reader.problem("method", "must be a method name like \"GET\", a list of them, or \"*\"") }
    return names.contains("*") ? nil : names.map { HTTPMethod(rawValue: $0) }
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

  /// How many things it asks for beside method and path: of two rules for the same path the one that asks for more
  /// goes first.
  var whenCount: Int { query.count + headers.count + (body == nil ? 0 : 1) + (json == nil ? 0 : 1) }

  /// Whether the request is one of these, its path aside.
  func accepts(_ request: OverrideRequest) -> Bool { obstacle(request) == nil }

  /// The first thing that stands in the way, its path aside: `query page is "2"`.
  func obstacle(_ request: OverrideRequest) -> String? {
    if let methods, !methods.contains(request.http.method) {
      return "method is \(methods.map(\.rawValue).joined(separator: " or "))"
    }
    for (name, matcher) in query
    where !matcher.accepts(request.query.filter { $0.name == name }.map { $0.value ?? "" }) {
      return "query \(name) \(matcher.description)"
    }
    for (name, matcher) in headers where !matcher.accepts(request.headers.values(of: name)) {
      return "header \(name) \(matcher.description)"
    }
    if let body, !body.accepts(request.http.body.isEmpty ? [] : [request.text]) {
      return "body \(body.description)"
    }
    if let json, request.json?.holds(json) != true {
      return "body holds \(String(decoding: json.bytes(.compact), as: UTF8.self))"
    }
    return nil
  }

  /// What the holes of the path caught.
  func components(of request: OverrideRequest) -> [String: String] { path.match(request.http.path) ?? [:] }
}

extension JSONValue {
  /// Whether all of `part` is in here: members of objects by name, elements of arrays in order, anything else equal.
  func holds(_ part: JSONValue) -> Bool {
    switch (self, part) {
    case (.object, .object(let wanted)):
      return wanted.allSatisfy { member in self[member.name.text]?.holds(member.value) == true }
    case (.array(let items), .array(let wanted)):
      return items.count == wanted.count && zip(items, wanted).allSatisfy { $0.holds($1) }
    case (.string(let left), .string(let right)): return left.text == right.text
    case (.number, .number): return self == part || double == part.double
    default: return self == part
    }
  }
}
