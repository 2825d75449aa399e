public import TapedeckHTTP

/// Routes as JSON, in the words of overrides files where both have them.
///
/// ```json
/// {"type": "simple", "method": "GET", "path": "/user", "status": 200, "json": {"name": "John"}}
/// {"type": "custom", "path": "/user", "when": {"query": {"page": ":n"}, "headers": {"X-Mark": "*"}}, "headers": {"X-Total": "2"}, "file": "users.json"}
/// {"type": "template", "path": "/hello", "file": "hello.json", "values": {"name": "Ada"}}
/// {"type": "redirect", "path": "/old", "location": "/new"}
/// {"type": "timeout", "path": "/slow", "seconds": 30}
/// {"type": "collection", "routes": [ … ]}
/// ```
extension MockRoute {
  /// The routes of a JSON document: an array of them, an object with them as `routes`, or one route.
  public static func routes(json text: String) throws(MockRouteError) -> [MockRoute] {
    let json: JSONValue
    do throws(JSONError) { json = try JSONValue(parsing: Array(text.utf8)) } catch {
      throw .badJSON(place: "the document", problem: "is no JSON: \(error)")
    }
    if json.array == nil, json["routes"] == nil || json["type"] != nil { return [try MockRoute(json)] }
    if json.array != nil { return try list(json, "routes") }
    for member in json.members ?? [] where member.name.text != "routes" {
      throw .badJSON(
        place: "the document", problem: "has an unknown member \(member.name.text.debugDescription)")
    }
    return try list(json["routes"] ?? .null, "routes")
  }

  /// The routes of a JSON file.
  public static func routes(file path: String) throws(MockRouteError) -> [MockRoute] {
    let bytes: [UInt8]
    do throws(FileError) { bytes = try LocalFile.read(path) } catch {
      throw .badFile(route: "a list of routes", problem: "\(error)")
    }
    do throws(MockRouteError) { return try routes(json: String(decoding: bytes, as: UTF8.self)) } catch {
      throw .badJSON(place: "\(path):", problem: "\(error)")
    }
  }

  private static func list(_ json: JSONValue, _ place: String) throws(MockRouteError) -> [MockRoute] {
    guard let items = json.array else { throw .badJSON(place: place, problem: "must be an array of routes") }
    var routes: [MockRoute] = []
    for (index, item) in items.enumerated() { routes.append(try MockRoute(item, at: "\(place)[\(index)]")) }
    return routes
  }

  /// Reads a route from JSON.
  public init(_ json: JSONValue) throws(MockRouteError) { try self.init(json, at: "the route") }

  private init(_ json: JSONValue, at place: String) throws(MockRouteError) {
    var reader = try MockRouteReader(json, at: place)
    let name = try reader.text("type") ?? "simple"
    guard let kind = Kind(rawValue: name) else {
      let known = Kind.allCases.map(\.rawValue.debugDescription).joined(separator: ", ")
      throw .badJSON(place: "\(place).type", problem: "must be one of \(known)")
    }
    if kind == .collection {
      self = .collection(routes: try Self.list(reader.value("routes") ?? .null, "\(place).routes"))
      try reader.finish()
      return
    }
    guard let path = try reader.text("path") else {
      throw .badJSON(place: "\(place).path", problem: "is missing: the path that the route is for")
    }
    self = try Self.route(kind, HTTPMethod(rawValue: try reader.text("method") ?? "GET"), path, &reader)
    headers = try reader.texts("headers")
    try reader.finish()
  }

  private static func route(
    _ kind: Kind, _ method: HTTPMethod, _ path: String, _ reader: inout MockRouteReader
  ) throws(MockRouteError) -> MockRoute {
    let status = try reader.int("status")
    switch kind {
    case .redirect:
      guard let location = try reader.text("location") else {
        throw .badJSON(place: "\(reader.place).location", problem: "is missing: where the redirection leads")
      }
      return .redirect(method: method, urlPath: path, destination: location, code: status ?? 301)
    case .timeout:
      var route = MockRoute.timeout(
        method: method, urlPath: path, timeoutInSeconds: try reader.number("seconds") ?? 120)
      route.code = status ?? route.code
      return route
    case .template: return try template(method, path, status ?? 200, &reader)
    case .simple:
      var route = MockRoute.simple(method: method, urlPath: path, code: status ?? 200)
      route.content = try content(&reader)
      return route
    case .custom, .collection:
      var when = try reader.object("when")
      let query = try when?.texts("query") ?? [:]
      let fields = try when?.texts("headers") ?? [:]
      try when?.finish()
      return .custom(
        method: method, urlPath: path, query: query, requestHeaders: fields, code: status ?? 200,
        content: try content(&reader))
    }
  }

  private static func template(
    _ method: HTTPMethod, _ path: String, _ status: Int, _ reader: inout MockRouteReader
  ) throws(MockRouteError) -> MockRoute {
    let values = reader.value("values") ?? [:]
    if let file = try reader.text("file") {
      return .template(method: method, urlPath: path, code: status, filename: file, templateInfo: values)
    }
    guard let text = try reader.text("text") else {
      throw .badJSON(place: reader.place, problem: "needs a file or a text, which is the template")
    }
    return .template(method: method, urlPath: path, code: status, text: text, templateInfo: values)
  }

  private static func content(_ reader: inout MockRouteReader) throws(MockRouteError) -> Content {
    let given = ["json", "text", "file"].filter { reader.has($0) }
    if given.count > 1 {
      throw .badJSON(
        place: reader.place, problem: "has \(given.joined(separator: " and ")); one body is enough")
    }
    if let json = reader.value("json") {
      return .json(String(decoding: json.bytes(.compact), as: UTF8.self))
    }
    if let text = try reader.text("text") { return .text(text) }
    return try reader.text("file").map { .file($0) } ?? .empty
  }

  // MARK: Writing

  /// The route as JSON. A JSON body is written as JSON; one that is none, as text with its content type.
  public var json: JSONValue {
    var members: [JSONMember] = [JSONMember("type", JSONValue(kind.rawValue))]
    func add(_ name: String, _ value: JSONValue) { members.append(JSONMember(JSONString(name), value)) }
    if kind == .collection {
      add("routes", .array(routes.map(\.json)))
      return .object(members)
    }
    add("method", JSONValue(method.rawValue))
    add("path", JSONValue(endpoint))
    var when: [JSONMember] = []
    if !query.isEmpty { when.append(JSONMember("query", Self.object(query))) }
    if !requestHeaders.isEmpty { when.append(JSONMember("headers", Self.object(requestHeaders))) }
    if !when.isEmpty { add("when", .object(when)) }
    add("status", JSONValue(code))
    if kind == .redirect { add("location", JSONValue(destination)) }
    if kind == .timeout { add("seconds", JSONValue(timeoutInSeconds)) }
    var headers = headers
    switch content {
    case .empty, .unencodable: break
    case .json(let text):
      if let json = try? JSONValue(parsing: Array(text.utf8)) {
        add("json", json)
      } else {
        headers["Content-Type"] = headers["Content-Type"] ?? "application/json"
        add("text", JSONValue(text))
      }
    case .text(let text): add("text", JSONValue(text))
    case .file(let file): add("file", JSONValue(file))
    case .template(let file, let values):
      add("file", JSONValue(file))
      add("values", values)
    case .templateText(let text, let values):
      add("text", JSONValue(text))
      add("values", values)
    }
    if !headers.isEmpty { add("headers", Self.object(headers)) }
    return .object(members)
  }

  private static func object(_ texts: [String: String]) -> JSONValue {
    .object(texts.sorted { $0.key < $1.key }.map { JSONMember(JSONString($0.key), JSONValue($0.value)) })
  }
}
