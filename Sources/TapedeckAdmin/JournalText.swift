internal import TapedeckHTTP
internal import TapedeckProxy

/// Entries of the journal as JSON, without secrets.
enum JournalText {
  /// Of a body, in characters; the rest can be had by exporting.
  private static let maximumBodyBytes = 64 * 1024

  /// One line of a list.
  static func summary(_ entry: RequestLogEntry, _ proxy: ProxyServer) -> [JSONMember] {
    summary(entry, target: proxy.shownTarget(entry))
  }

  private static func summary(_ entry: RequestLogEntry, target: String) -> [JSONMember] {
    let members = [
      JSONMember("number", JSONValue(entry.number)), JSONMember("started", JSONValue(entry.started)),
      JSONMember("milliseconds", JSONValue(Double(entry.durationNanoseconds / 1000) / 1000)),
      JSONMember("method", JSONValue(entry.request.method.rawValue)),
      JSONMember("target", JSONValue(target)), JSONMember("status", JSONValue(entry.status)),
      JSONMember("source", JSONValue(entry.source.rawValue)), JSONMember("why", JSONValue(entry.reason)),
      JSONMember("cutShort", JSONValue(entry.wasCutShort)),
    ]
    return members + (entry.failure.map { [JSONMember("failure", $0.json)] } ?? [])
  }

  /// All there is.
  static func exchange(_ entry: RequestLogEntry, _ proxy: ProxyServer) -> JSONValue {
    let shown = proxy.shownExchange(entry)
    var members = summary(entry, target: shown.request.targetText)
    members.append(
      JSONMember(
        "request", message(shown.request.fields, shown.request.body, count: shown.request.body.count)))
    members.append(JSONMember("response", message(shown.head.fields, shown.body, count: entry.bodyBytes)))
    members.append(
      JSONMember(
        "decisions",
        .array(
          entry.decisions.all.map { decision in
            let isResponse = decision.outcome == .answered
            return [
              "link": JSONValue(decision.name), "outcome": JSONValue(decision.outcome.rawValue),
              "why": JSONValue(isResponse ? entry.reason : decision.words),
            ]
          })))
    if let miss = entry.decisions.miss {
      members.append(JSONMember("nearest", .array(miss.nearest.map(\.text))))
    }
    return .object(members)
  }

  private static func message(_ fields: HTTPFields, _ body: [UInt8], count: Int) -> JSONValue {
    let headers = fields.map { field -> JSONValue in
      [
        JSONValue(String(decoding: field.name, as: UTF8.self)),
        JSONValue(String(decoding: field.value, as: UTF8.self)),
      ]
    }
    var members = [JSONMember("headers", .array(headers)), JSONMember("bodyBytes", JSONValue(count))]
    let start = Array(body.prefix(maximumBodyBytes))
    if !start.isEmpty { members += content(start) }
    return .object(members)
  }

  /// JSON as JSON, text as text, all else in base64.
  private static func content(_ body: [UInt8]) -> [JSONMember] {
    if let json = try? JSONValue(parsing: body, maximumDepth: 64) { return [JSONMember("body", json)] }
    if UTF8Scan.isValid(body[...]) {
      return [JSONMember("body", JSONValue(String(decoding: body, as: UTF8.self)))]
    }
    return [JSONMember("body", JSONValue(Base64.encode(body))), JSONMember("encoding", "base64")]
  }
}
