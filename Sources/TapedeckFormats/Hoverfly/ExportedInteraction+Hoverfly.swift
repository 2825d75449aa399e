import TapedeckHTTP
import TapedeckRecording

extension ExportedInteraction {
  /// A pair of a simulation of schema 5, as Hoverfly's capture mode writes it; several responses to one request are the
  /// states of a sequence. Nil where no simulation can hold it.
  func hoverfly(_ losses: inout ExportLosses) -> JSONValue? {
    guard let body = hoverflyBody else {
      losses.note("left out, since a simulation holds no request bodies but texts", of: file)
      return nil
    }
    noteVersion(&losses)
    losses.note(
      "request headers are not compared and not carried over; nor is when answers were recorded and how long they took"
    )
    if hasOwnReason { losses.note("its reason phrase is not carried over", of: file) }
    var request = hoverflyTarget(&losses)
    request.append(JSONMember("body", body))
    var response = hoverflyResponse(&losses)
    if count > 1 {
      let name = JSONString("sequence:\(key)")
      request.append(JSONMember("requiresState", .object([JSONMember(name, JSONValue("\(number)"))])))
      if number < count {
        let next = JSONMember(name, JSONValue("\(number + 1)"))
        response.append(JSONMember("transitionsState", .object([next])))
      }
    }
    return ["request": .object(request), "response": .object(response)]
  }

  private func exactly(_ value: String) -> JSONValue {
    .array([["matcher": "exact", "value": JSONValue(value)]])
  }

  /// Hoverfly compares paths and queries decoded.
  private func hoverflyTarget(_ losses: inout ExportLosses) -> [JSONMember] {
    let path = PercentCoding.decode(request.path[...])
    if path.contains(0) || !UTF8Scan.isValid(path[...]) || request.path.containsEncodedSlash {
      losses.note("its path is compared decoded, and so cannot be told from others", of: file)
    }
    let source = try? SourceURL(url)
    let scheme = url.hasPrefix("https:") ? "https" : "http"
    return [
      JSONMember("path", exactly(String(decoding: path, as: UTF8.self))),
      JSONMember("method", exactly(request.method.rawValue)),
      JSONMember("destination", exactly(source?.authority ?? "")),
      JSONMember("scheme", exactly(scheme)), JSONMember("query", hoverflyQuery),
    ]
  }

  private var hoverflyQuery: JSONValue {
    var names: [String] = []
    var values: [String: [String]] = [:]
    for pair in request.query.map({ FormPairs($0).pairs }) ?? [] {
      let name = String(decoding: pair.name, as: UTF8.self)
      if values[name] == nil { names.append(name) }
      values[name, default: []].append(String(decoding: pair.value, as: UTF8.self))
    }
    return .object(
      names.map { name in
        let all = values[name] ?? []
        let list: JSONValue = .array([["matcher": "array", "value": .array(all.map { JSONValue($0) })]])
        return JSONMember(JSONString(name), all.count == 1 ? exactly(all[0]) : list)
      })
  }

  private var hoverflyBody: JSONValue? {
    guard let text = JSONValue(ifText: requestBody) else { return nil }
    let isJSON =
      ContentType(request.fields).isJSON && (try? JSONValue(parsing: requestBody)) != nil
    return .array([["matcher": isJSON ? "json" : "exact", "value": text]])
  }

  private func hoverflyResponse(_ losses: inout ExportLosses) -> [JSONMember] {
    let text = JSONValue(ifText: responseBody)
    let headers = grouped(response.head.fields, &losses).map { name, values in
      JSONMember(JSONString(name), .array(values.map { JSONValue($0) }))
    }
    return [
      JSONMember("status", JSONValue(response.head.status)),
      JSONMember("body", text ?? JSONValue(Base64.encode(responseBody))),
      JSONMember("encodedBody", .bool(text == nil)),
      JSONMember("headers", .object(headers)),
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
