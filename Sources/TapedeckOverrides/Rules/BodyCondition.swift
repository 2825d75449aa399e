internal import TapedeckHTTP

/// A condition on a body, or on a message of a WebSocket: `body` (a text), `json` (a part that it must contain) and
/// `jsonPath` (values at places in it).
struct BodyCondition: Sendable, Equatable {
  private struct Place: Sendable, Equatable {
    let path: JSONPath
    let matcher: JSONMatcher
  }

  private let body: TextMatcher?
  private let json: JSONValue?
  private let jsonPath: [Place]

  /// - Parameter when: whose members it reads; `nil` for no condition.
  init(_ when: inout RuleReader?) throws(OverrideProblem) {
    body = try when?.read("body", TextMatcher.init)
    json = when?.value("json")
    let place = when?.place(of: "jsonPath") ?? ""
    var inner = try when?.object("jsonPath")
    let matchers = try inner?.readAll(JSONMatcher.init) ?? []
    jsonPath = try matchers.map { name, matcher throws(OverrideProblem) in
      do { return Place(path: try JSONPath(name), matcher: matcher) } catch {
        throw OverrideProblem("\(place).\(name)", "\(error)")
      }
    }
  }

  var count: Int { jsonPath.count + (body == nil ? 0 : 1) + (json == nil ? 0 : 1) }

  /// The first condition that is not met, like `body $.user.role is "admin"`.
  func obstacle(_ request: OverrideRequest) -> String? {
    if let body, !body.accepts(request.http.body.isEmpty ? [] : [request.text]) {
      return "body \(body.description)"
    }
    if let json, request.json?.holds(json) != true {
      return "body holds \(String(decoding: json.bytes(.compact), as: UTF8.self))"
    }
    for place in jsonPath where !place.matcher.accepts(request.json?.values(at: place.path) ?? []) {
      return "body \(place.path) \(place.matcher.description)"
    }
    return nil
  }
}
