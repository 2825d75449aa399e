internal import TapedeckHTTP
public import TapedeckMocking

/// Routes declared in a file, without compiling anything:
/// `{"routes": [{"method": "GET", "path": "/users/{id}", "status": 503, "headers": {…}, "json": …}]}`.
///
/// Every member is checked; an unknown one is an error, since a misspelt `status` that is passed over would answer 200.
public enum OverridesFile {
  /// Registers the routes of a file's bytes with `router`.
  public static func load(_ bytes: [UInt8], named file: String, into router: Router) throws(ProxyError) {
    let document: JSONValue
    do { document = try JSONValue(parsing: bytes) } catch {
      throw .badOverrides(file: file, problem: "not JSON: \(error)")
    }
    do throws(OverrideProblem) {
      try check(document, allowed: ["routes"], at: "the document")
      guard let routes = document["routes"]?.array else { throw OverrideProblem("it needs a list `routes`") }
      for (index, route) in routes.enumerated() { try add(route, at: "routes[\(index)]", to: router) }
    } catch {
      throw .badOverrides(file: file, problem: error.text)
    }
  }

  private struct OverrideProblem: Error {
    var text: String
    init(_ text: String) { self.text = text }
  }

  private static func add(_ route: JSONValue, at place: String, to router: Router) throws(OverrideProblem) {
    try check(route, allowed: ["method", "path", "status", "headers", "json", "text"], at: place)
    guard let path = route["path"]?.text, path.hasPrefix("/") else {
      throw OverrideProblem("\(place): `path` must be a text that starts with /")
    }
    let method = try methodName(route["method"], at: place)
    let response = try response(route, at: place)
    do { try router.register(method, path) { _ in response } } catch {
      throw OverrideProblem("\(place): \(error)")
    }
  }

  private static func methodName(_ value: JSONValue?, at place: String) throws(OverrideProblem) -> HTTPMethod
  {
    guard let value else { return .get }
    guard let name = value.text, HTTPMethod.isValid(name) else {
      throw OverrideProblem("\(place): `method` must be a method name like \"GET\"")
    }
    return HTTPMethod(rawValue: name)
  }

  private static func response(_ route: JSONValue, at place: String) throws(OverrideProblem) -> Response {
    let status = route["status"] == nil ? 200 : route["status"]?.int ?? 0
    guard (200...999).contains(status) else {
      throw OverrideProblem("\(place): `status` must be a number from 200 to 999")
    }
    let headers = try headers(route["headers"], at: place)
    if let text = route["text"] {
      guard route["json"] == nil, let content = text.text else {
        throw OverrideProblem("\(place): `text` must be a text, and stand without `json`")
      }
      return Response(statusCode: status, text: content, headers: headers)
    }
    guard let json = route["json"] else { return Response(statusCode: status, headers: headers) }
    return Response(statusCode: status, json: json, headers: headers)
  }

  private static func headers(
    _ value: JSONValue?, at place: String
  ) throws(OverrideProblem) -> HeaderFields {
    guard let value else { return [:] }
    guard let members = value.members else { throw OverrideProblem("\(place): `headers` must be an object") }
    var fields = HTTPFields()
    var result = HeaderFields()
    for member in members {
      guard let text = member.value.text else {
        throw OverrideProblem("\(place): header \(member.name.text) must be a text")
      }
      do { try fields.append(member.name.text, text) } catch { throw OverrideProblem("\(place): \(error)") }
      result.add(member.name.text, text)
    }
    return result
  }

  private static func check(
    _ value: JSONValue, allowed: [String], at place: String
  ) throws(OverrideProblem) {
    guard let members = value.members else { throw OverrideProblem("\(place) must be an object") }
    for member in members where !allowed.contains(member.name.text) {
      throw OverrideProblem(
        "\(place): unknown member \(member.name.text.debugDescription); known are \(allowed.joined(separator: ", "))"
      )
    }
  }
}
