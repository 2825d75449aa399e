/// A miss as JSON, for the error response (RFC 9457), the log and the report.
extension Miss {
  package func problem(status: Int) -> HTTPResponse {
    let document: JSONValue = .object(
      [
        JSONMember("title", "no recording matches this request"),
        JSONMember("status", JSONValue(status)),
        JSONMember("detail", JSONValue(detail)),
        JSONMember("request", ["method": JSONValue(method), "target": JSONValue(target)]),
        JSONMember("nearest", .array(nearest.map(\.text))),
      ] + help)
    var response = HTTPResponse(
      status: status, contentType: "application/problem+json", body: Self.markupFree(document.bytes(.pretty)))
    response.head.fields.append(literal: "X-Content-Type-Options", "nosniff")
    return response
  }

  /// The near misses and suggested fixes, without the request.
  package var explanation: [JSONMember] { [JSONMember("nearest", .array(nearest.map(\.json)))] + help }

  private var help: [JSONMember] {
    [
      JSONMember("fix", fixes.first.map { JSONValue($0.command) } ?? .null),
      JSONMember(
        "fixes", .array(fixes.map { ["because": JSONValue($0.because), "command": JSONValue($0.command)] })),
      JSONMember("curl", JSONValue(curl)),
    ]
  }

  /// Escapes `<`, since text from a client may be markup. In JSON, `<` occurs only in strings.
  private static func markupFree(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "<")) else { return bytes }
    return Array(
      bytes.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false).joined(
        separator: "\\u003c".utf8))
  }
}

extension Miss.Nearest {
  /// The JSON for the client, with differences as text.
  package var text: JSONValue {
    [
      "file": JSONValue(file), "request": JSONValue(request),
      "differences": .array(differences.map { JSONValue($0.description) }),
    ]
  }

  package var json: JSONValue {
    [
      "file": JSONValue(file), "request": JSONValue(request),
      "differences": .array(
        differences.map { difference in
          [
            "field": JSONValue(difference.field),
            "recorded": difference.recorded.map { JSONValue($0) } ?? .null,
            "received": difference.received.map { JSONValue($0) } ?? .null,
          ]
        }),
    ]
  }
}
