internal import TapedeckHTTP
internal import TapedeckProxy

/// Entries of the request log as JSON, with their secrets redacted.
extension RequestLogEntry {
  /// Bytes of a body that are shown; an export has all of it.
  private static let maximumBodyBytes = 64 * 1024

  /// One line of a list.
  func summary(_ proxy: ProxyServer, _ session: Session) -> [JSONMember] {
    summary(target: proxy.shownTarget(self, of: session))
  }

  func summary(target: String) -> [JSONMember] {
    let members = [
      JSONMember("number", JSONValue(number)), JSONMember("started", JSONValue(started)),
      JSONMember("milliseconds", JSONValue(Double(durationNanoseconds / 1000) / 1000)),
      JSONMember("method", JSONValue(request.method.rawValue)), JSONMember("target", JSONValue(target)),
      JSONMember("status", JSONValue(status)), JSONMember("source", JSONValue(source.rawValue)),
      JSONMember("why", JSONValue(reason)), JSONMember("cutShort", JSONValue(wasCutShort)),
    ]
    let origin = origin.map { [JSONMember("origin", JSONValue($0))] } ?? []
    return members + origin + (failure.map { [JSONMember("failure", $0.json)] } ?? [])
  }

  /// One line of a feed.
  func followed(_ proxy: ProxyServer, _ session: Session) -> JSONValue {
    var members = [
      JSONMember("id", JSONValue(id)), JSONMember("session", session.name.map { JSONValue($0) } ?? .null),
      JSONMember("bodyBytes", JSONValue(bodyBytes)),
    ]
    members += summary(proxy, session)
    if let file = decisions.replay?.file { members.append(JSONMember("file", JSONValue(file))) }
    if let rule = decisions.responded?.rule { members.append(JSONMember("rule", JSONValue(rule))) }
    let applied = decisions.applied
    if !applied.isEmpty { members.append(JSONMember("applied", .array(applied.map { JSONValue($0) }))) }
    return .object(members)
  }

  /// The whole exchange.
  func exchange(_ proxy: ProxyServer, _ session: Session) -> JSONValue {
    let shown = proxy.shownExchange(self, of: session)
    let request = shown.request
    var members =
      summary(target: request.targetText) + [
        JSONMember("request", Self.message(request.fields, request.body, count: request.body.count)),
        JSONMember("response", Self.message(shown.head.fields, shown.body, count: bodyBytes)),
        JSONMember("decisions", steps),
      ]
    if let said = proxy.shownWebSocket(self, of: session) {
      members.append(JSONMember("webSocket", said.json))
    }
    let nearest = decisions.miss.map { [JSONMember("nearest", .array($0.nearest.map(\.text)))] }
    return .object(members + (nearest ?? []))
  }

  /// What each link of the chain did.
  var steps: JSONValue {
    .array(
      decisions.all.map { decision in
        [
          "link": JSONValue(decision.name), "outcome": JSONValue(decision.outcome.rawValue),
          "why": JSONValue(decision.outcome == .answered ? reason : decision.words),
        ]
      })
  }

  private static func message(_ fields: HTTPFields, _ body: [UInt8], count: Int) -> JSONValue {
    let headers: [JSONValue] = fields.map { field in
      .array([field.name, field.value].map { JSONValue(String(decoding: $0, as: UTF8.self)) })
    }
    var members = [JSONMember("headers", .array(headers)), JSONMember("bodyBytes", JSONValue(count))]
    let start = Array(body.prefix(maximumBodyBytes))
    if !start.isEmpty { members += content(start) }
    return .object(members)
  }

  /// JSON as JSON, text as text, anything else in base64.
  private static func content(_ body: [UInt8]) -> [JSONMember] {
    if let json = try? JSONValue(parsing: body, maximumDepth: 64) { return [JSONMember("body", json)] }
    if UTF8Scan.isValid(body[...]) {
      return [JSONMember("body", JSONValue(String(decoding: body, as: UTF8.self)))]
    }
    return [JSONMember("body", JSONValue(Base64.encode(body))), JSONMember("encoding", "base64")]
  }
}
