import TapedeckHTTP
import TapedeckRecording

extension ExportedInteraction {
  /// A pair of a simulation of schema 5, as Hoverfly's capture mode writes it; several responses to one request are the
  /// states of a sequence. `nil` if no simulation can hold it.
  func hoverfly(_ losses: inout ExportLosses) -> JSONValue? {
    guard let (text, isJSON) = requestText else {
      losses.note("left out, since a simulation holds no request bodies but texts", of: file)
      return nil
    }
    noteVersion(&losses)
    losses.note(
      "request headers are not compared and not carried over; nor is when responses were recorded and how long they took"
    )
    if hasOwnReason { losses.note("its reason phrase is not carried over", of: file) }
    // Hoverfly compares paths and queries decoded.
    let path = PercentCoding.decode(request.path[...])
    let isSlashEncoded = String(decoding: request.path.map(ASCII.lowercased), as: UTF8.self).contains("%2f")
    if path.contains(0) || !UTF8Scan.isValid(path[...]) || isSlashEncoded {
      losses.note("its path is compared decoded, and so cannot be told from others", of: file)
    }
    let name = JSONString("sequence:\(key)")
    func state(_ number: Int) -> JSONValue { .object([JSONMember(name, JSONValue("\(number)"))]) }
    return [
      "request": .object(of: [
        "path": Self.matcher("exact", JSONValue(decoding: path)),
        "method": Self.matcher("exact", JSONValue(request.method.rawValue)),
        "destination": Self.matcher("exact", JSONValue((try? SourceURL(url))?.authority ?? "")),
        "scheme": Self.matcher("exact", url.hasPrefix("https:") ? "https" : "http"), "query": hoverflyQuery,
        "body": Self.matcher(isJSON ? "json" : "exact", text),
        "requiresState": count > 1 ? state(number) : JSONValue?.none,
      ]), "response": hoverflyResponse(next: number < count ? state(number + 1) : JSONValue?.none, &losses),
    ]
  }

  private static func matcher(_ name: JSONValue, _ value: JSONValue) -> JSONValue {
    [["matcher": name, "value": value]]
  }

  private var hoverflyQuery: JSONValue {
    let pairs = request.query.map { FormPairs($0).pairs } ?? []
    return .object(
      pairs.groupedInOrder { String(decoding: $0.name, as: UTF8.self) }.map { name, pairs in
        let values = pairs.map { JSONValue(decoding: $0.value) }
        return JSONMember(
          JSONString(name),
          values.count == 1 ? Self.matcher("exact", values[0]) : Self.matcher("array", .array(values)))
      })
  }

  private func hoverflyResponse(next state: JSONValue?, _ losses: inout ExportLosses) -> JSONValue {
    let text = JSONValue(ifText: responseBody)
    let headers = grouped(response.head.fields, &losses).map { name, values in
      JSONMember(JSONString(name), .array(values.map { JSONValue($0) }))
    }
    return .object(of: [
      "status": JSONValue(response.head.status), "body": text ?? JSONValue(Base64.encode(responseBody)),
      "encodedBody": .bool(text == nil), "headers": .object(headers), "templated": false,
      "transitionsState": state,
    ])
  }
}
