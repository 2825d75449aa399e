internal import TapedeckHTTP
internal import TapedeckMocking

/// A route declared in JSON: a request condition, and the answer.
struct RouteRule: OverrideRule {
  static let kind = OverrideKind.routes

  let id: String
  let source: JSONValue
  let condition: RequestCondition
  private(set) var usage: RuleUsage
  private let response: HTTPResponse

  init(_ declaration: RuleDeclaration) throws(OverrideProblem) {
    var reader = try RuleReader(declaration.json, at: declaration.place)
    _ = try reader.text("id")
    id = declaration.id
    source = declaration.json
    condition = try RequestCondition(&reader, defaultMethod: .get)
    usage = RuleUsage(try RuleUsage.Limits(&reader))
    response = try Self.response(&reader)
    try reader.finish()
  }

  private static func response(_ reader: inout RuleReader) throws(OverrideProblem) -> HTTPResponse {
    let status = try reader.int("status", in: 200...999) ?? 200
    let text = try reader.text("text")
    let json = reader.value("json")
    if text != nil, json != nil { throw reader.problem("text", "must stand without json") }
    var response = HTTPResponse(head: HTTPResponseHead(status: status))
    if let json {
      response = HTTPResponse(status: status, contentType: "application/json", body: json.bytes(.compact))
    } else if let text {
      response = HTTPResponse(
        status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
    }
    if var headers = try reader.object("headers") {
      for name in headers.names {
        guard let value = try headers.text(name) else { continue }
        response.head.fields.removeAll { HeaderName($0.name) == HeaderName(name) }
        do { try response.head.fields.append(name, value) } catch { throw headers.problem(name, "\(error)") }
      }
    }
    return response
  }

  func fresh() -> RouteRule {
    var copy = self
    copy.usage = RuleUsage(usage.limits)
    return copy
  }

  func answer(to request: OverrideRequest) -> HTTPAnswer {
    HTTPAnswer(.response(response), by: .route)
  }
}

/// A field's name regardless of its case.
private struct HeaderName: Equatable {
  let text: String
  init(_ name: some Collection<UInt8>) { text = String(decoding: name, as: UTF8.self).lowercased() }
  init(_ name: String) { text = name.lowercased() }
}
