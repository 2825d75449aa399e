import TapedeckHTTP
import TapedeckRecording

/// One pair of a simulation of schema 5, as Hoverfly's capture mode writes it; several answers to one request are the
/// states of a sequence.
enum HoverflyExport {
  /// Nil where no simulation can hold it.
  static func pair(
    _ message: ExportedMessage, _ place: ExportedPlace, _ losses: inout ExportLosses
  ) -> JSONValue? {
    guard let body = body(message) else {
      losses.note("left out, since a simulation holds no request bodies but texts", of: message.file)
      return nil
    }
    losses.noteVersion(message.answer)
    losses.note(
      "request headers are not compared and not carried over; nor is when answers were recorded and how long they took"
    )
    if message.hasOwnReason { losses.note("its reason phrase is not carried over", of: message.file) }
    var request = target(message, &losses)
    request.append(JSONMember("body", body))
    var response = response(message, &losses)
    if place.count > 1 {
      let name = JSONString("sequence:\(place.key)")
      request.append(JSONMember("requiresState", .object([JSONMember(name, JSONValue("\(place.number)"))])))
      if place.number < place.count {
        let next = JSONMember(name, JSONValue("\(place.number + 1)"))
        response.append(JSONMember("transitionsState", .object([next])))
      }
    }
    return ["request": .object(request), "response": .object(response)]
  }

  private static func exactly(_ value: String) -> JSONValue {
    .array([["matcher": "exact", "value": JSONValue(value)]])
  }

  /// Hoverfly compares paths and queries decoded.
  private static func target(_ message: ExportedMessage, _ losses: inout ExportLosses) -> [JSONMember] {
    let request = message.request
    let path = PercentCoding.decode(request.path[...])
    if path.contains(0) || !UTF8Scan.isValid(path[...]) || request.path.containsEncodedSlash {
      losses.note("its path is compared decoded, and so cannot be told from others", of: message.file)
    }
    let url = try? SourceURL(message.url)
    let scheme = message.url.hasPrefix("https:") ? "https" : "http"
    return [
      JSONMember("path", exactly(String(decoding: path, as: UTF8.self))),
      JSONMember("method", exactly(request.method.rawValue)),
      JSONMember("destination", exactly(url?.authority ?? "")),
      JSONMember("scheme", exactly(scheme)), JSONMember("query", query(request)),
    ]
  }

  private static func query(_ request: HTTPRequest) -> JSONValue {
    var names: [String] = []
    var values: [String: [String]] = [:]
    for pair in request.query.map({ FormPairs($0).pairs }) ?? [] {
      let name = HARBody.lossyText(pair.name)
      if values[name] == nil { names.append(name) }
      values[name, default: []].append(HARBody.lossyText(pair.value))
    }
    return .object(
      names.map { name in
        let all = values[name] ?? []
        let list: JSONValue = .array([["matcher": "array", "value": .array(all.map { JSONValue($0) })]])
        return JSONMember(JSONString(name), all.count == 1 ? exactly(all[0]) : list)
      })
  }

  private static func body(_ message: ExportedMessage) -> JSONValue? {
    guard let text = HARBody.text(message.requestBody) else { return nil }
    let isJSON =
      ContentType(message.request.fields).isJSON && (try? JSONValue(parsing: message.requestBody)) != nil
    return .array([["matcher": isJSON ? "json" : "exact", "value": text]])
  }

  private static func response(_ message: ExportedMessage, _ losses: inout ExportLosses) -> [JSONMember] {
    let text = HARBody.text(message.responseBody)
    return [
      JSONMember("status", JSONValue(message.response.head.status)),
      JSONMember("body", text ?? JSONValue(Base64.encode(message.responseBody))),
      JSONMember("encodedBody", .bool(text == nil)),
      JSONMember("headers", ExportedFields(message.response.head.fields, of: message.file, &losses).json),
      JSONMember("templated", false),
    ]
  }
}

extension Collection<UInt8> {
  /// Whether decoding would make one segment of a path two.
  fileprivate var containsEncodedSlash: Bool {
    String(decoding: map(ASCII.lowercased), as: UTF8.self).contains("%2f")
  }
}
